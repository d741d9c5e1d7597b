import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import ActivityDispatch

/// A transport that answers with the results a test gives it.
final class FakeTransport: Transport {
    private let answers: Mutex<[PushResult]>
    private let sent = Mutex<[Push]>([])
    let limits = Limits.apns
    let isTransactional = false

    init(_ answers: [PushResult]) { self.answers = Mutex(answers) }

    var pushes: [Push] { sent.withLock { $0 } }

    func send(_ push: Push, to card: Card, on device: Device) async -> PushResult {
        sent.withLock { $0.append(push) }
        return answers.withLock { $0.isEmpty ? .accepted() : $0.removeFirst() }
    }
}

@Suite("A push between two transactions", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct TwoTransactionTests {
    let delivery = DeliveryID(UUID())

    @Test("A start is confirmed by the app alone, and then the wanted state of that time is sent")
    func confirmed() async throws {
        let transport = FakeTransport([])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.showOnPhone(delivery, transport: "apns")
            service.clock.advance(by: 60)
            try await service.end(2, of: delivery)
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.start])
            try await service.reportStarted(delivery, token: "EF01")
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.start, .end])
        }
    }

    @Test("A refused push is retried with what is wanted by then")
    func refused() async throws {
        let transport = FakeTransport([.refused(reason: "InternalServerError"), .accepted()])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.showOnPhone(delivery, transport: "apns")
            try await service.show(2, of: delivery)
            try await service.reconcile()
            #expect(try await service.cards(of: delivery).first?.why == "retrying")
            service.clock.advance(by: 2)
            try await service.reconcile()
            #expect(transport.pushes.map(\.wanted.content.revision.version) == [1, 2])
            #expect(try await service.cards(of: delivery).first?.state == "starting")
        }
    }

    @Test("A push that is refused as our mistake holds up neither the newer state nor the end")
    func mistake() async throws {
        let transport = FakeTransport([.accepted(), .mistake("BadPriority"), .mistake("BadPriority"), .accepted()])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.showOnPhone(delivery, transport: "apns")
            try await service.reportStarted(delivery, token: "ef01")
            for (version, phase) in [(2, LiveActivity.Phase.packed), (3, .onTheWay)] {
                service.clock.advance(by: 20)
                try await service.show(version, of: delivery, phase: phase)
                try await service.reconcile()
                // It is throttled for a second first.
                service.clock.advance(by: 2)
                try await service.reconcile()
                #expect(transport.pushes.last?.wanted.content.revision.version == version)
                #expect(try await service.cards(of: delivery).first?.why == "retrying")
            }
            try await service.end(4, of: delivery)
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.start, .update, .update, .end])
            #expect(try await service.cards(of: delivery).first?.state == "ended")
        }
    }

    @Test("A customer whose card left the phone before its end came has a card again once they sign in again")
    func signedInAgain() async throws {
        let transport = FakeTransport([.accepted(), .gone(token: "ef01")])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.showOnPhone(delivery, transport: "apns")
            try await service.reportStarted(delivery, token: "ef01")
            try await service.reconcile()
            try await service.register(for: DispatchUnderTest.noor, transport: "apns")
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.start, .end])
            #expect(try await service.cards(of: delivery).first?.state == "signed_out")
            try await service.register(transport: "apns")
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.start, .end, .start])
        }
    }

    /// A delivery's state that asks its customer, with the alert `ask`.
    private static func question(_ activity: String) -> ActivityStep {
        guard case .show(let shown) = ActivityStep.shows(1, activity: activity, staleAt: 2_000_000_000) else {
            preconditionFailure()
        }
        var content = shown.content
        content.flags = [DeliverySnapshot.Flag.needsCustomer.rawValue]
        return .show(
            ShownActivity(
                attributes: shown.attributes, content: content, startAt: 0, staleAt: shown.staleAt, relevance: 0,
                alert: .any("ask", until: farAhead)))
    }

    @Test("A question that the summary was to announce may be announced by its own card where Apple refused that push")
    func refusedAnnouncement() async throws {
        let starts = Array(repeating: PushResult.accepted(), count: 5)
        let transport = FakeTransport(starts + [.refused(reason: "InternalServerError")])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(transport: "apns")
            for _ in 1...4 { try await service.show(1, of: DeliveryID(UUID())) }
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == Array(repeating: .start, count: 5))
            let summary = ActivityID(summaryOf: DispatchUnderTest.mira, episode: 1)
            let started = try DeviceReport(
                ReportBody(activity: summary.rawValue, kind: .started, updateToken: PushTokenBody(value: "ef01")),
                at: "reports[0]", now: noon, wall: noon)
            _ = try await service.applyReports([started], from: DispatchUnderTest.phone, of: DispatchUnderTest.mira)
            service.clock.advance(by: 60)
            try await service.apply(Self.question, of: delivery)
            func alerted() async throws -> [[String]] {
                try await ActivityRepository.cards(of: DispatchUnderTest.activity(delivery), on: service.pool)
                    .map(\.card.alertedIDs)
            }
            try await service.reconcile()
            #expect(transport.pushes.last?.activity == summary && transport.pushes.last?.alert?.id == "ask")
            #expect(try await alerted() == [[]])
            service.clock.advance(by: 2)
            try await service.reconcile()
            #expect(try await alerted() == [["ask"]])
        }
    }

    @Test("A card that falls behind and catches up is published each time")
    func health() async throws {
        try await DispatchUnderTest.run(apns: FakeTransport([.refused(reason: "InternalServerError")])) { service in
            try await service.showOnPhone(delivery, transport: "apns")
            try await service.show(2, of: delivery)
            try await service.reconcile()
            #expect(try await service.health().last?.behind == 1)
            #expect(try await service.health().last?.reason == "retrying")
            service.clock.advance(by: 2)
            try await service.reconcile()
            try await service.reportStarted(delivery, token: "EF01")
            try await service.reconcile()
            let all = try await service.health()
            #expect(all.last?.behind == 0)
            #expect(all.map(\.sequence) == all.indices.map { all[0].sequence + $0 })
        }
    }

    @Test("A card whose token Apple reports as gone is counted no more for its delivery")
    func goneCard() async throws {
        let transport = FakeTransport([.accepted(), .gone(token: "ef01")])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.showOnPhone(delivery, transport: "apns")
            try await service.reportStarted(delivery, token: "ef01")
            #expect(try await service.health().last?.cards == 1)
            service.clock.advance(by: 20)
            try await service.show(2, of: delivery, phase: .packed)
            try await service.reconcile()
            // It is throttled for a second first.
            service.clock.advance(by: 2)
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.start, .update])
            #expect(try await service.cards(of: delivery).map(\.state) == ["lost"])
            let after = try #require(try await service.health().last)
            #expect(after.cards == 0 && after.behind == 0)
        }
    }

    @Test("A card that Apple ends for another customer's sign-in is counted no more for its delivery")
    func signedOutCard() async throws {
        let transport = FakeTransport([])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.showOnPhone(delivery, transport: "apns")
            try await service.reportStarted(delivery, token: "ef01")
            try await service.reconcile()
            #expect(try await service.health().last?.cards == 1)
            try await service.register(for: DispatchUnderTest.noor, transport: "apns")
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.start, .end])
            #expect(try await service.cards(of: delivery).map(\.state) == ["signed_out"])
            #expect(try await service.health().last?.cards == 0)
        }
    }

    @Test("A replaced card is counted no more once Apple has accepted its end, and a delivery's end changes no count")
    func replacedCard() async throws {
        let transport = FakeTransport([])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.showOnPhone(delivery, transport: "apns")
            try await service.reportStarted(delivery, token: "ef01")
            service.clock.advance(by: 7.5 * 3600)
            try await service.reconcile()
            #expect(try await service.health().last?.cards == 2)
            let activity = DispatchUnderTest.activity(delivery)
            let replacement = try #require(
                try await ActivityRepository.cards(of: activity, on: service.pool).last?.card.id)
            let started = DeviceReport(
                card: replacement, activity: activity, content: .card(.started(updateToken: "ef02")))
            _ = try await service.applyReports([started], from: DispatchUnderTest.phone, of: DispatchUnderTest.mira)
            try await service.reconcile()
            #expect(try await service.cards(of: delivery).map(\.state) == ["replaced", "active"])
            let counted = try await service.health()
            #expect(counted.last?.cards == 1)
            try await service.end(2, of: delivery)
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.start, .start, .end, .end])
            #expect(try await service.cards(of: delivery).map(\.state) == ["replaced", "ended"])
            #expect(try await service.health() == counted)
        }
    }

    @Test("A process that dies with a push leased loses that push and nothing else")
    func crash() async throws {
        let transport = FakeTransport([])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.showOnPhone(delivery, transport: "apns")
            try await service.reportStarted(delivery, token: "ef01")
            service.clock.advance(by: 60)
            // As if a process had leased an update and died.
            try await service.pool.execute(
                """
                UPDATE cards SET fence = fence + 1, last_timestamp = last_timestamp + 60,
                    leased_until = \(service.clock.now.addingTimeInterval(30))
                """)
            try await service.show(2, of: delivery, phase: .packed)
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.start])
            service.clock.advance(by: 31)
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.start, .update])
        }
    }
}
