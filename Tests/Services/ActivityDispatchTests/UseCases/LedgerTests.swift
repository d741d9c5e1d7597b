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

@Suite("The ledger of pushes", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct LedgerTests {
    private let delivery = DeliveryID(UUID())

    /// A state with a link and texts, as writers send it.
    private func step(_ activity: String, _ version: Int, _ phase: LiveActivity.Phase) -> ActivityStep {
        guard case .show(let shown) = ActivityStep.shows(version, activity: activity, phase: phase) else {
            return .shows(version)
        }
        var content = shown.content
        content.buttons = [CardButton(verb: "details", title: "Details", url: "https://go.example/l/secret")]
        return .show(
            ShownActivity(
                attributes: shown.attributes, content: content, startAt: 0, staleAt: farAhead, relevance: 1, alert: nil)
        )
    }

    private func timeline(_ service: DispatchUnderTest, withContent: Bool) async throws -> [ActivityTimelineEntryBody] {
        let stored = try #require(
            try await ActivityRepository.activity(DispatchUnderTest.activity(delivery), on: service.pool))
        return try await service.showActivity(stored, isForOperator: true, withContent: withContent)
            .timeline ?? []
    }

    @Test("What a stream carries is the same text, whether or not its payload was encoded for the check")
    func eventText() throws {
        let activity = Activity(step("a1", 3, .packed))
        for delivery in [delivery, nil] {
            for decision in [Decision.start(alert: nil), .update(.high, alert: nil)] {
                var card = Card.any(of: activity, on: .any(), .active, startedAt: noon)
                let leased = card.lease(decision, activity.wanted, limits: .stream, now: noon)
                var push = try #require(leased)
                #expect(push.checkedBytes == nil)
                let before = try push.eventText(delivery: delivery)
                try push.check()
                #expect(push.checkedBytes != nil)
                #expect(try push.eventText(delivery: delivery) == before)
                #expect(try push.event(push.payload, delivery: delivery) == before)
            }
        }
    }

    @Test("Looking at a device writes its token only where that has changed")
    func tokenColumns() throws {
        let device = Device.any()
        var changed = device
        changed.pushToStartToken = nil
        let statements = ActivityRepository.save([
            .init(stored: StoredDevice(device: device, lastEventID: 1), former: device, dueAt: noon),
            .init(stored: StoredDevice(device: changed, lastEventID: 1), former: device, dueAt: noon),
        ])
        let (same, other) = ("\(statements[0])", "\(statements[1])")
        #expect(!same.contains("push_to_start_token") && !same.contains("start_tokens"))
        #expect(other.contains("push_to_start_token") && !other.contains("start_tokens"))
    }

    @Test("It keeps when a state became the wanted one, and why its push waited or had a lower priority")
    func delays() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            try await service.show(2, of: delivery, phase: .packed)
            try await service.reconcile()
            service.clock.advance(by: 1)
            try await service.reconcile()
            service.clock.advance(by: 60)
            try await service.show(3, of: delivery, phase: .onTheWay)
            try await service.reconcile()
            let rows = try await service.pool.query(
                "SELECT wanted_at, leased_at, delayed_by FROM pushes ORDER BY push_id")
            #expect(try rows.map { try $0.decode("wanted_at", as: Date?.self) } == [noon, noon, noon + 61])
            #expect(try rows.map { try $0.decode("leased_at", as: Date.self) } == [noon, noon + 1, noon + 61])
            #expect(try rows.map { try $0.decode("delayed_by", as: String?.self) } == [nil, "throttled", nil])
        }
    }

    @Test("A push beyond the budget of priority 10 has that as its delay, whatever the card waited for")
    func budget() throws {
        let activity = Activity(step("a1", 3, .packed))
        var card = Card.any(of: activity, on: .any(), .active, startedAt: noon)
        let leased = card.lease(.update(.low, alert: nil), activity.wanted, limits: .apns, now: noon)
        var push = try #require(leased)
        #expect(PushDelay(of: push, waited: .throttled) == .reason(.throttled))
        #expect(PushDelay(of: push, waited: .upToDate) == nil && PushDelay(of: push, waited: nil) == nil)
        push.isDowngraded = true
        #expect(PushDelay(of: push, waited: .throttled) == .budget)
        for delay in [PushDelay.budget] + Decision.Reason.allCases.map(PushDelay.reason) {
            #expect(PushDelay(rawValue: delay.rawValue) == delay)
        }
        #expect(PushDelay(rawValue: "tomorrow") == nil)
    }

    @Test("It keeps what each push rendered, so that a phone can be drawn anew, and no link")
    func redrawn() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            try await service.apply({ step($0, 1, .picking) }, of: delivery)
            try await service.reconcile()
            service.clock.advance(by: 5)
            try await service.apply({ step($0, 2, .packed) }, of: delivery)
            try await service.reconcile()
            service.clock.advance(by: 5)
            try await service.end(3, of: delivery)
            try await service.reconcile()

            #expect(try await timeline(service, withContent: false).allSatisfy { $0.rendered == nil })
            let pushes = try await timeline(service, withContent: true)
            #expect(pushes.map(\.what) == ["start", "update", "end"])
            #expect(pushes.map { $0.rendered?.aps.contentState.phase } == [.picking, .packed, .ended])
            #expect(
                pushes[0].rendered?.aps.attributes?.store == "Nordhavn" && pushes[1].rendered?.aps.attributes == nil)
            #expect(pushes[2].rendered?.aps.dismissalDate == Int(service.clock.now.timeIntervalSince1970) + 900)
            let rows = try await service.pool.query("SELECT rendered, length(rendered) AS size FROM pushes")
            for row in rows {
                #expect(try !row.decode("rendered", as: String.self).contains("go.example"))
                #expect(try row.decode("size", as: Int.self) < 1000)
            }
        }
    }
}
