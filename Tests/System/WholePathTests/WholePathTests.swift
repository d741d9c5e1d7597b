import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import Testing

@Suite("Properties of the whole path")
struct WholePathTests {
    static let seedsInEach = 250
    static let stepsInEach = 60

    @Test(
        "Whatever is lost, redelivered, shuffled or killed, no screen goes back, and the newest state arrives",
        arguments: 0..<8)
    func holds(block: Int) throws {
        for seed in 0..<Self.seedsInEach {
            var world = try World(seed: UInt64(block * Self.seedsInEach + seed), deliveries: 2)
            for _ in 0..<Self.stepsInEach { try world.step() }
            try world.recover()
            let faults = world.screen.faults + world.dispatch.faults
            #expect(faults.isEmpty, "seed \(block * Self.seedsInEach + seed): \(faults)")
            for delivery in world.orders.deliveries.values { expectNewestState(of: delivery, in: world, seed) }
            try expectDismissals(&world)
        }
    }

    @Test("The random runs reach every end, and cards that were on a screen when they ended")
    func coversEveryEnd() throws {
        var ends: [TailStatus: Int] = [:]
        var endedOnScreen = 0
        for seed in 0..<300 {
            var world = try World(seed: UInt64(90_000 + seed), deliveries: 2)
            for _ in 0..<Self.stepsInEach * 2 { try world.step() }
            try world.recover()
            for delivery in world.orders.deliveries.values {
                if case .handedOver(let tail) = delivery.status, tail.isEnd { ends[tail, default: 0] += 1 }
            }
            endedOnScreen += world.screen.phone.rememberedCards.count { !$0.state.isLive }
        }
        #expect(Set(ends.keys).isSuperset(of: [.delivered, .cancelled, .returned]))
        #expect(endedOnScreen > 20)
    }

    /// What is wanted is the delivery's newest version, and the screen shows what is wanted.
    private func expectNewestState(of delivery: Delivery, in world: World, _ seed: Int) {
        let id = ActivityID(delivery.id, episode: delivery.episode)
        guard let wanted = world.dispatch.wanted(id) else {
            Issue.record("seed \(seed): nothing is wanted for \(id)")
            return
        }
        #expect(wanted.content.revision.version == delivery.version, "seed \(seed)")
        #expect(wanted.isEnd == delivery.status.isEnded, "seed \(seed)")
        let card = world.screen.phone.rememberedCards.first { $0.attributes.activity == id.rawValue }
        // What ended before its card's time came never had one.
        guard let card else {
            #expect(wanted.isEnd || isYetToStart(wanted, at: world.now), "seed \(seed): no card for \(id)")
            return
        }
        #expect(card.content.revision == wanted.content.revision, "seed \(seed)")
        #expect(card.state.isLive != wanted.isEnd, "seed \(seed)")
    }

    private func isYetToStart(_ wanted: ActivityStep, at now: Date) -> Bool {
        if case .show(let shown) = wanted { shown.startAt > Int(now.timeIntervalSince1970) } else { false }
    }

    /// Four hours after the last end nothing that ended is on the screen any more.
    private func expectDismissals(_ world: inout World) throws {
        world.now += 4 * 3600 + 60
        try world.screen.read(world.dispatch, at: world.now, upTo: .max)
        for card in world.screen.phone.rememberedCards where card.endedAt != nil {
            #expect(card.state == .dismissed)
        }
    }
}
