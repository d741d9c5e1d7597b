import Foundation
import LiveActivity
import Testing

@testable import ActivityDispatch

@Suite("An order that is open for thirteen hours")
struct LongOrderTests {
    @Test(
        """
        With late and lost reports, killed and force-quit apps and lost starts a card that can be changed stays until another can be, \
        and what the system takes off nobody has swiped
        """, arguments: 0..<8)
    func holds(batch: UInt64) {
        for seed in (batch * 25)..<(batch * 25 + 25) {
            var order = LongOrder(seed: seed)
            order.run(hours: 13.25)
            #expect(order.violations.prefix(1) == [], "seed \(seed)")
            if !order.violations.isEmpty { return }
        }
    }

    @Test("Whoever opens the app after thirteen hours sees their order as it is, unless they had taken it off")
    func opened() {
        for seed in 0..<60 as Range<UInt64> {
            var order = LongOrder(seed: seed)
            order.run(hours: 13.25)
            order.openApp()
            guard !order.hasSwiped else { continue }
            #expect(order.shown == [order.wanted], "seed \(seed)")
        }
    }

    @Test("An order whose first start was lost is on the screen once its app is opened, also after thirteen hours")
    func firstStartLost() {
        for seed in 0..<60 as Range<UInt64> {
            var order = LongOrder(seed: seed, losesFirstStart: true)
            order.run(hours: 13.25)
            order.openApp()
            guard !order.hasSwiped else { continue }
            #expect(order.shown == [order.wanted], "seed \(seed)")
        }
    }

    @Test("The runs do kill apps, lose starts and reports, and replace cards")
    func meets() {
        var met: Set<String> = []
        for seed in 0..<25 as Range<UInt64> {
            var order = LongOrder(seed: seed)
            order.run(hours: 13.25)
            met.formUnion(order.met)
        }
        #expect(
            met == [
                "force-quit", "killed", "late report", "lost report", "lost start", "replaced", "started by the app",
            ])
    }
}
