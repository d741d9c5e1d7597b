import CardPresentation
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import Testing
import WireCoding

@testable import ActivityDispatch
@testable import Orders

@Suite("Properties of the whole path")
struct WholePathTests {
    static let seedsInEach = 80
    static let stepsInEach = 80

    @Test(
        "Whatever is lost, redelivered, shuffled, reopened or killed, no screen goes back, and the newest state arrives",
        arguments: 0..<8)
    func holds(block: Int) throws {
        var compared = 0
        defer { #expect(compared > Self.seedsInEach / 2, "\(compared) pages") }
        for seed in (block * Self.seedsInEach)..<((block + 1) * Self.seedsInEach) {
            var world = try World(seed: UInt64(seed))
            for _ in 0..<Self.stepsInEach { try world.step() }
            try world.recover()
            let faults = world.screens.flatMap(\.faults) + world.dispatch.faults
            #expect(faults.isEmpty, "seed \(seed): \(faults)")
            for delivery in world.orders.deliveries.values {
                expectNewestState(of: delivery, in: world, seed)
                expectFormerEpisodesEnded(of: delivery, in: world, seed)
            }
            expectSummary(in: world, seed)
            for device in world.screens.indices { expectCardsOnScreen(of: device, in: world, seed) }
            let pages = world.orders.deliveries.values.reduce(0) { $0 + expectPage(of: $1, in: world, seed) }
            compared += pages
            try expectDismissals(&world)
        }
    }

    @Test("The random runs reach every end, reopen, replace cards after hours, and show summaries")
    func coverage() throws {
        var ends: [TailStatus: Int] = [:]
        var endedOnScreen = 0
        var reopened = 0
        var replaced = 0
        var summaries = 0
        for seed in 90_000..<90_080 {
            var world = try World(seed: UInt64(seed))
            for _ in 0..<Self.stepsInEach * 2 { try world.step() }
            try world.recover()
            for delivery in world.orders.deliveries.values {
                if case .handedOver(let tail) = delivery.status, tail.isEnd { ends[tail, default: 0] += 1 }
                if delivery.episode > 1 { reopened += 1 }
            }
            endedOnScreen += world.screens.reduce(0) { $0 + $1.phone.rememberedCards.count { !$0.state.isLive } }
            replaced += world.dispatch.devices.reduce(0) { $0 + $1.cards.count { $0.replaces != nil } }
            summaries += world.dispatch.summary.episode
        }
        #expect(Set(ends.keys).isSuperset(of: [.delivered, .cancelled, .returned]))
        #expect(endedOnScreen > 20)
        #expect(reopened > 5)
        #expect(replaced > 20)
        #expect(summaries > 20)
    }

    /// What is wanted is the delivery's newest version, and the screens show what is wanted.
    private func expectNewestState(of delivery: Delivery, in world: World, _ seed: Int) {
        let id = ActivityID(delivery.id, episode: delivery.episode)
        guard let wanted = world.dispatch.wanted(id) else {
            Issue.record("seed \(seed): nothing is wanted for \(id)")
            return
        }
        #expect(wanted.content.revision.version == delivery.version, "seed \(seed)")
        #expect(wanted.isEnd == delivery.status.isEnded, "seed \(seed)")
        for (device, screen) in world.screens.enumerated() {
            let cards = screen.phone.rememberedCards.filter { $0.attributes.activity == id.rawValue }
            let live = cards.filter(\.state.isLive)
            #expect(live.count <= 1, "seed \(seed), device \(device): \(live.count) cards of \(id)")
            for card in live {
                #expect(!wanted.isEnd, "seed \(seed), device \(device): \(id) has ended")
                #expect(card.content.revision == wanted.content.revision, "seed \(seed), device \(device)")
            }
        }
    }

    /// A customer's page draws the card that their phones show, in every language.
    ///
    /// - Returns: how many cards there were to compare it with.
    private func expectPage(of delivery: Delivery, in world: World, _ seed: Int) -> Int {
        var compared = 0
        let id = ActivityID(delivery.id, episode: delivery.episode)
        let now = world.now.epochSeconds
        guard let wanted = world.dispatch.wanted(id), let own = world.orders.step(of: delivery.id, at: world.now)
        else { return compared }
        for screen in world.screens {
            for card in screen.phone.rememberedCards where card.attributes.activity == id.rawValue && card.state.isLive
            {
                let known = WantedCards.Card(delivery: delivery.id, activity: id, step: wanted, at: card.timestamp)
                let page = PageCard(wanted: known, own: own, of: delivery, now: now).phoneCard(at: now)
                // What a card says that is about to end by itself, only a phone's does.
                guard now < card.startedAt + Self.lastWordAfter, page.state == card.state else { continue }
                compared += 1
                for language in Words.languages {
                    let words = Words(locale: language)
                    #expect(
                        CardFace(page, words: words, now: now, in: .page)
                            == CardFace(card, words: words, now: now, in: .page),
                        "seed \(seed): \(id)")
                }
            }
        }
        return compared
    }

    private static let lastWordAfter = Int(Limits.stream.lastWordAfter)

    /// Of a reopened delivery only the newest episode is wanted, live or counted.
    private func expectFormerEpisodesEnded(of delivery: Delivery, in world: World, _ seed: Int) {
        let newest = ActivityID(delivery.id, episode: delivery.episode)
        let former = world.dispatch.activities.values.filter { $0.delivery == delivery.id && $0.id != newest }
        for activity in former {
            #expect(activity.isEnded, "seed \(seed): \(activity.id) is wanted, the delivery is at \(newest)")
            for (device, screen) in world.screens.enumerated() {
                let cards = world.dispatch.devices[device].cards.filter { $0.activity == activity.id }
                #expect(!cards.contains { $0.state.isOnScreen }, "seed \(seed), device \(device): \(activity.id)")
                let shown = screen.phone.rememberedCards.filter { $0.attributes.activity == activity.id.rawValue }
                #expect(!shown.contains { $0.state.isLive }, "seed \(seed), device \(device): \(activity.id)")
            }
        }
    }

    /// The summary counts each delivery that may be on a screen, once.
    private func expectSummary(in world: World, _ seed: Int) {
        let live = world.orders.deliveries.values.count { delivery in
            let wanted = world.dispatch.wanted(ActivityID(delivery.id, episode: delivery.episode))
            return wanted.map { !$0.isEnd && !isYetToStart($0, at: world.now) } ?? false
        }
        let summary = world.dispatch.summary.activity.flatMap { $0.isEnded ? nil : $0 }
        if live >= Summary.startsAt { #expect(summary != nil, "seed \(seed): no summary of \(live)") }
        if live < Summary.endsBelow { #expect(summary == nil, "seed \(seed): a summary of \(live)") }
        if let summary { #expect(summary.wanted.attributes.itemCount == live, "seed \(seed)") }
    }

    /// A phone shows exactly the cards that the service believes it shows, and lacks one only where it is full.
    private func expectCardsOnScreen(of device: Int, in world: World, _ seed: Int) {
        let cards = world.dispatch.devices[device].cards
        let believed = cards.filter(\.state.isOnScreen)
        let shown = world.screens[device].phone.rememberedCards.filter(\.state.isLive)
        #expect(
            Set(shown.map(\.id)) == Set(believed.map { $0.id.uuidString.lowercased() }),
            "seed \(seed), device \(device): what is shown is not what is believed")
        #expect(believed.count <= Phone.activitiesMaxInTheField, "seed \(seed), device \(device)")
        for activity in world.dispatch.activities.values
        where !activity.isEnded && !isYetToStart(activity.wanted, at: world.now) {
            let hasCard = believed.contains { $0.activity == activity.id }
            #expect(
                hasCard || believed.count == Phone.activitiesMaxInTheField,
                "seed \(seed), device \(device): no card for \(activity.id)")
        }
    }

    private func isYetToStart(_ wanted: ActivityStep, at now: Date) -> Bool {
        if case .show(let shown) = wanted { shown.startAt > Int(now.timeIntervalSince1970) } else { false }
    }

    /// Four hours after the last end nothing that ended is on a screen any more.
    private func expectDismissals(_ world: inout World) throws {
        let ended = world.screens.map { $0.phone.rememberedCards.filter { !$0.state.isLive }.map(\.id) }
        world.now += 4 * 3600 + 60
        for device in world.screens.indices {
            try world.screens[device].read(world.dispatch.devices[device], at: world.now, upTo: .max)
            for id in ended[device] {
                let state = world.screens[device].phone[card: id]?.state
                #expect(state == .dismissed || state == nil)
            }
        }
    }
}
