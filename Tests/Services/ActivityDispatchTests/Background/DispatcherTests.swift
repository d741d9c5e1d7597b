import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import PostgresClient
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Dispatcher", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct DispatcherTests {
    let delivery = DeliveryID(UUID())

    @Test("A lease of a clock that was set back since holds nothing up")
    func leaseOfFormerClock() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            try await service.pool.execute("UPDATE cards SET leased_until = \(service.clock.now + 3600)")
            service.clock.advance(by: 5)
            try await service.show(2, of: delivery)
            try await service.reconcile()
            #expect(try await service.events()?.last?.revision.version == 2)
        }
    }

    @Test("A card starts, is updated and ends, each under a higher id and timestamp")
    func wholeLife() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            let start = try #require(try await service.events()?.first)
            #expect(start.event == .start && start.revision.version == 1)
            #expect(start.body.delivery == delivery.rawValue)

            service.clock.advance(by: 5)
            try await service.show(2, of: delivery, phase: .onTheWay)
            try await service.reconcile()
            let updates = try #require(try await service.events(after: start.id))
            #expect(updates.map(\.event) == [.update])
            #expect(updates[0].body.payload.aps.timestamp > start.body.payload.aps.timestamp)

            service.clock.advance(by: 5)
            try await service.end(3, of: delivery)
            try await service.reconcile()
            let ends = try #require(try await service.events(after: updates[0].id))
            #expect(ends.map(\.event) == [.end])
            #expect(ends[0].body.payload.aps.dismissalDate == Int(service.clock.now.timeIntervalSince1970) + 900)
            let card = try #require(try await service.cards(of: delivery).first)
            #expect(card.state == "ended" && card.answered == "taken" && card.sent?.version == 3)
        }
    }

    @Test(
        "A reader that was offline is sent the newest state, never an older one: a start in place of the update it missed"
    )
    func lateReader() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            service.clock.advance(by: 5)
            try await service.show(2, of: delivery)
            try await service.reconcile()
            let late = try #require(try await service.events())
            #expect(late.map(\.event) == [.start, .update] && late.allSatisfy { $0.revision.version == 2 })
            #expect(late[0].body.payload.aps.attributes != nil)
            // The connection may break between the two: what is resumed after the start is the newest.
            #expect(try await service.events(after: late[0].id)?.map(\.id) == [late[1].id])

            service.clock.advance(by: 5)
            try await service.end(3, of: delivery)
            try await service.reconcile()
            let both = try #require(try await service.events())
            #expect(both.map(\.event) == [.start, .end])
            #expect(both[0].id == late[0].id && both[1].id > late[1].id)
            #expect(both[0].body.payload.aps.timestamp < both[1].body.payload.aps.timestamp)
            var phone = Phone(hasIsland: true)
            for received in both {
                _ = phone.receive(
                    received.body.payload, card: received.body.card, at: Int(service.clock.now.timeIntervalSince1970))
            }
            #expect(phone[card: both[0].body.card]?.state == .ended)
            #expect(try await service.events(after: both[0].id)?.map(\.event) == [.end])

            service.clock.advance(by: 1000)
            #expect(try await service.events()?.isEmpty == true)
            #expect(try await service.events(after: late[0].id)?.map(\.event) == [.end])
        }
    }

    @Test("Redelivered and older intents change nothing, and nothing is sent after the end")
    func olderIntents() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            try await service.show(3, 1, of: delivery)
            let redelivered = try await service.apply({ .shows(3, 1, activity: $0) }, of: delivery)
            let older = try await service.apply({ .shows(3, 0, activity: $0) }, of: delivery)
            #expect(!redelivered && !older)
            try await service.end(2, of: delivery)
            let after = try await service.apply({ .shows(9, activity: $0) }, of: delivery)
            #expect(!after)
            try await service.reconcile()
            #expect(try await service.events()?.isEmpty == true)
        }
    }

    @Test("Changes within a second are sent when the second is over, and only the newest of them")
    func throttlesOnTrailingEdge() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            for version in 2...4 {
                service.clock.advance(by: 0.1)
                try await service.show(version, of: delivery, phase: .packed)
                try await service.reconcile()
            }
            #expect(try await service.cards(of: delivery).first?.sent?.version == 1)
            service.clock.advance(by: 0.8)
            try await service.reconcile()
            #expect(try await service.cards(of: delivery).first?.sent?.version == 4)
            let pushes = try await service.pool.query("SELECT FROM pushes").count
            #expect(pushes == 2)
        }
    }

    @Test("A device that registers late gets what is live, and a card that was swiped away stays away")
    func lateDevice() async throws {
        try await DispatchUnderTest.run { service in
            let ended = DeliveryID(UUID())
            try await service.show(1, of: delivery)
            try await service.show(1, of: ended)
            try await service.end(2, of: ended)
            try await service.register()
            try await service.reconcile()
            let seen = try #require(try await service.events())
            #expect(seen.map(\.body.delivery) == [delivery.rawValue])

            let report = try DeviceReport(
                ReportBody(card: seen[0].body.card, kind: .dismissed), at: "reports[0]", now: noon, wall: noon)
            let taken = try await service.applyReports(
                [report], from: DispatchUnderTest.phone, of: DispatchUnderTest.mira)
            #expect(taken?.taken == 1)
            service.clock.advance(by: 5)
            try await service.show(2, of: delivery)
            try await service.register()
            try await service.reconcile()
            #expect(try await service.cards(of: delivery).map(\.state) == ["swiped"])
            #expect(try await service.events(after: seen[0].id)?.isEmpty == true)
            #expect(try await service.events()?.isEmpty == true, "a device that reads its stream from the beginning")
        }
    }

    @Test("When another customer signs in the former's cards go, and come back with their customer")
    func signIn() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            let start = try #require(try await service.events()?.first)
            try await service.register(for: DispatchUnderTest.noor)
            try await service.reconcile()
            #expect(try await service.events() == nil)
            let ends = try #require(try await service.events(after: start.id, of: DispatchUnderTest.noor))
            #expect(ends.map(\.event) == [.end] && ends[0].body.payload.aps.dismissalDate == 0)
            #expect(try await service.events(of: DispatchUnderTest.noor)?.isEmpty == true)
            service.clock.advance(by: 5)
            try await service.register()
            try await service.reconcile()
            #expect(try await service.cards(of: delivery).map(\.state) == ["signed_out", "active"])
        }
    }

    @Test("The next customer of a device sees nothing of the former's cards, before their ends and after")
    func nextCustomer() async throws {
        try await DispatchUnderTest.run { service in
            let ended = DeliveryID(UUID())
            try await service.register()
            try await service.show(1, of: delivery)
            try await service.show(1, of: ended)
            try await service.reconcile()
            let seen = try #require(try await service.events())
            service.clock.advance(by: 5)
            try await service.end(2, of: ended)
            try await service.reconcile()
            try await service.register(for: DispatchUnderTest.noor)
            let newest = try #require(seen.map(\.id).max())
            for after in [0, newest] {
                let early = try #require(try await service.events(after: after, of: DispatchUnderTest.noor))
                #expect(early.map(\.body.delivery) == (after == 0 ? [] : [ended.rawValue]))
            }
            try await service.reconcile()
            #expect(try await service.events(of: DispatchUnderTest.noor)?.isEmpty == true)
            let late = try #require(try await service.events(after: newest, of: DispatchUnderTest.noor))
            #expect(late.count == 2)
            for event in late {
                let aps = event.body.payload.aps
                #expect(aps.event == .end && aps.dismissalDate == 0 && aps.alert == nil && aps.attributes == nil)
                #expect(aps.contentState.headline.text.isEmpty && aps.contentState.buttons.isEmpty)
                #expect(aps.contentState.courier == nil && aps.contentState.arrival == nil)
            }
        }
    }

    @Test("A customer with three deliveries gets a summary above them, until fewer than two are left")
    func summary() async throws {
        try await DispatchUnderTest.run { service in
            let deliveries = (0..<3).map { _ in DeliveryID(UUID()) }
            try await service.register()
            for delivery in deliveries { try await service.show(1, of: delivery) }
            try await service.reconcile()
            let seen = try #require(try await service.events())
            let summary = try #require(seen.first { $0.body.delivery == nil })
            #expect(seen.count == 4 && summary.event == .start)
            #expect(
                seen.allSatisfy {
                    $0.body.payload.aps.relevanceScore ?? 0 <= summary.body.payload.aps.relevanceScore ?? 0
                })
            service.clock.advance(by: 5)
            try await service.end(2, of: deliveries[0])
            try await service.end(2, of: deliveries[1])
            try await service.reconcile()
            let later = try #require(try await service.events(after: seen.map(\.id).max() ?? 0))
            #expect(later.contains { $0.body.card == summary.body.card && $0.event == .end })
        }
    }

    @Test("A sixth card waits for a slot, and gets it when a card ends")
    func slots() async throws {
        try await DispatchUnderTest.run { service in
            let deliveries = (0..<6).map { _ in DeliveryID(UUID()) }
            try await service.register()
            // The summary has one of the five slots.
            for delivery in deliveries { try await service.show(1, of: delivery) }
            try await service.reconcile()
            #expect(try await service.events()?.count == 5)
            let waiting = try await service.pool.query("SELECT reason FROM cards WHERE state = 'waiting'")
            #expect(
                try waiting.map { try $0.decode("reason", as: String.self) } == ["too_many_cards", "too_many_cards"])
            let started = try #require(try await service.events()?.compactMap(\.body.delivery).first)
            service.clock.advance(by: 5)
            try await service.end(2, of: try #require(DeliveryID(rawValue: started)))
            try await service.reconcile()
            let active = try await service.pool.query("SELECT FROM cards WHERE state = 'active'").count
            #expect(active == 5)
        }
    }

    @Test("A phone that cannot show a card is not behind: switched off, too many cards")
    func cannotShow() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register(isEnabled: false)
            try await service.show(1, of: delivery)
            try await service.reconcile()
            let card = try #require(try await service.cards(of: delivery).first)
            #expect(card.why == "switched_off" && !card.isBehind)
            let others = (0..<6).map { _ in DeliveryID(UUID()) }
            try await service.register()
            for other in others { try await service.show(1, of: other) }
            try await service.reconcile()
            var full: [CardBody] = []
            for other in others { full += try await service.cards(of: other).filter { $0.why == "too_many_cards" } }
            #expect(!full.isEmpty && full.allSatisfy { !$0.isBehind })
            #expect(try await ActivityRepository.cardsBehind(on: service.pool).count == 0)
            #expect(try await service.health().allSatisfy { $0.behind == 0 })
        }
    }

    @Test("A card that waits for its app is behind and has no age; one that Apple's refusal of ours holds up has both")
    func waitsForPhone() async throws {
        let transport = FakeTransport([.accepted(), .halted(reason: "InvalidProviderToken")])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.showOnPhone(delivery, transport: "apns")
            service.clock.advance(by: 600)
            try await service.reconcile()
            #expect(try await service.cards(of: delivery).map(\.why) == ["unconfirmed"])
            let unconfirmed = try await ActivityRepository.cardsBehind(on: service.pool)
            #expect(unconfirmed.count == 1 && unconfirmed.oldestSince == nil)
            try await service.reportStarted(delivery, token: "ef01")
            try await service.end(2, of: delivery)
            let dispatcher = service.dispatcher()
            for _ in 1...4 {
                try await dispatcher.reconcileDueDevices()
                await dispatcher.sendQueued()
            }
            #expect(try await service.cards(of: delivery).map(\.why) == ["halted"])
            let halted = try await ActivityRepository.cardsBehind(on: service.pool)
            #expect(halted.count == 1 && halted.pastEndCount == 1 && halted.oldestSince != nil)
            for reason in ["no_update_token", "app_refused"] {
                try await service.pool.execute("UPDATE cards SET reason = \(reason)")
                let ofApp = try await ActivityRepository.cardsBehind(on: service.pool)
                #expect(ofApp.count == 1 && ofApp.pastEndCount == 0 && ofApp.oldestSince == nil)
            }
        }
    }

    @Test("Several replicas share the devices, and no card is pushed to twice")
    func replicas() async throws {
        try await DispatchUnderTest.run { service in
            let devices = (0..<12).map { DeviceID(rawValue: "phone-\($0)")! }
            for device in devices { try await service.register(device) }
            for version in 1...5 {
                try await service.show(version, of: delivery, phase: version.isMultiple(of: 2) ? .packed : .picking)
                try await withThrowingTaskGroup { group in
                    for _ in 0..<3 { group.addTask { try await service.reconcile() } }
                    try await group.waitForAll()
                }
                // What another replica had locked is done by now, or still due.
                try await service.reconcile()
                service.clock.advance(by: 2)
            }
            let counts = try await service.pool.query(
                "SELECT device_id, count(*) AS pushes FROM pushes GROUP BY device_id")
            #expect(counts.count == 12)
            #expect(try counts.allSatisfy { try $0.decode("pushes", as: Int.self) == 5 })
        }
    }

    @Test("An operator resends a card and ends one, and both are in the timeline")
    func overrides() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            service.clock.advance(by: 5)
            let activity = DispatchUnderTest.activity(delivery)
            let resent = try await service.overrideCards(.resend, activity, by: "ida", reason: "customer sees nothing")
            try await service.reconcile()
            service.clock.advance(by: 5)
            let ended = try await service.overrideCards(.endCard, activity, by: "ida", reason: "asked to")
            try await service.reconcile()
            #expect(resent == 1 && ended == 1)
            let stored = try #require(try await ActivityRepository.activity(activity, on: service.pool))
            let body = try await service.showActivity(stored, isForOperator: true)
            #expect(body.timeline?.map(\.what) == ["start", "resend", "update", "end-card", "end"])
            #expect(body.cards.map(\.state) == ["dismissed"])
            try await service.show(2, of: delivery)
            try await service.register()
            try await service.reconcile()
            #expect(try await service.cards(of: delivery).count == 1)
        }
    }

    @Test("Before eight hours pass another card replaces the old one")
    func rollOver() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            service.clock.advance(by: 7.5 * 3600)
            try await service.reconcile()
            #expect(try await service.cards(of: delivery).map(\.state) == ["replaced", "active"])
            #expect(try await service.events()?.map(\.event) == [.start])
        }
    }
}
