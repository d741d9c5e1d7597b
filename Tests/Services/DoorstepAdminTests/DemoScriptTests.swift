import CourierSimulation
import DoorstepAPI
import EmulatorAPI
import Foundation
import OrderDomain
import Testing

@testable import DoorstepAdmin

@Suite("The demo's script")
struct DemoScriptTests {
    static let start = Date(timeIntervalSince1970: 1_795_280_400)

    @Test("Its scenes are in the order of their times, and end with both rides")
    func demo() throws {
        let scenes = DemoScript.scenes
        #expect(scenes.map(\.at) == scenes.map(\.at).sorted())
        #expect(scenes.filter { if case .ridden = $0.act { true } else { false } }.count == 2)
        let orders = try DemoScript.orders(customer: DemoScript.id("mette"), now: Self.start, number: 1001)
        #expect(orders.flatMap(\.deliveries).count == DemoScript.Part.allCases.count)
    }

    @Test("The customer's iPhone is offline while cards change, and back before the customer taps a button")
    func phone() throws {
        let scenes = DemoScript.scenes
        let off = try #require(scenes.firstIndex { $0.act == .phone(.goOffline) })
        let on = try #require(scenes.firstIndex { $0.act == .phone(.goOnline) })
        let tap = try #require(scenes.firstIndex { if case .approved = $0.act { true } else { false } })
        #expect(off < on && on < tap)
        let changes = scenes[off..<on].count { if case .status = $0.act { true } else { false } }
        #expect(changes >= 2, "Apple keeps one push, so that the app has to do the rest")
    }

    @Test("One courier is offline for longer than the card waits, and one arrives late")
    func disruptions() throws {
        var silences: [TimeInterval] = []
        for scene in DemoScript.scenes {
            guard case .ridden(_, _, let disruption) = scene.act else { continue }
            if case .offline(_, let seconds) = disruption { silences.append(seconds) }
            guard case .halted(_, let seconds) = disruption else { continue }
            let order = try DemoScript.orders(customer: DemoScript.id("mette"), now: Self.start, number: 1001)[0]
            let straight = order.store.location.distance(to: order.door)
            let fastest = scene.at + straight / DemoScript.metersPerSecond(.bicycle)
            let inTime = Self.start.addingTimeInterval(fastest * 1.5)
            #expect(inTime < order.promise.end, "it could have been kept")
            #expect(Self.start.addingTimeInterval(fastest * 1.2 + seconds) > order.promise.end)
        }
        #expect(silences.count == 1 && silences.allSatisfy { $0 > 400 })
    }
}
