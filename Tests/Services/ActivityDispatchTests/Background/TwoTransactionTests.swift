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

/// A transport that answers what the test tells it to.
private final class FakeTransport: Transport {
    private let answers: Mutex<[PushResult]>
    private let sent = Mutex<[Push]>([])
    let limits = Limits.apns
    let isTransactional = false

    init(_ answers: [PushResult]) { self.answers = Mutex(answers) }

    var pushes: [Push] { sent.withLock { $0 } }

    func send(_ push: Push, to card: Card, on device: Device) async -> PushResult {
        sent.withLock { $0.append(push) }
        return answers.withLock { $0.isEmpty ? .taken : $0.removeFirst() }
    }
}

@Suite("A push between two transactions", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct TwoTransactionTests {
    let delivery = DeliveryID(UUID())

    @Test("A start is confirmed by the app alone, and then what came meanwhile follows")
    func confirmed() async throws {
        let transport = FakeTransport([])
        try await Bench.run(apns: transport) { bench in
            try await bench.register(transport: "apns")
            try await bench.show(1, of: delivery)
            try await bench.dispatch()
            bench.clock.advance(by: 60)
            try await bench.end(2, of: delivery)
            try await bench.dispatch()
            #expect(transport.pushes.map(\.event) == [.start])
            let report = try TakeReports.Report(
                ReportBody(activity: Bench.activity(delivery).rawValue, kind: .started, updateToken: "EF01"),
                at: "reports[0]")
            _ = try await bench.takeReports([report], from: Bench.phone, of: Bench.mira)
            try await bench.dispatch()
            #expect(transport.pushes.map(\.event) == [.start, .end])
        }
    }

    @Test("A push that was refused is tried again with what is true then")
    func refused() async throws {
        let transport = FakeTransport([.refused, .taken])
        try await Bench.run(apns: transport) { bench in
            try await bench.register(transport: "apns")
            try await bench.show(1, of: delivery)
            try await bench.dispatch()
            try await bench.show(2, of: delivery)
            try await bench.dispatch()
            #expect(try await bench.cards(of: delivery).first?.why == "retrying")
            bench.clock.advance(by: 2)
            try await bench.dispatch()
            #expect(transport.pushes.map(\.step.content.revision.version) == [1, 2])
            #expect(try await bench.cards(of: delivery).first?.state == "starting")
        }
    }

    @Test("A process that dies with a push in its hands loses that push and nothing else")
    func crash() async throws {
        let transport = FakeTransport([])
        try await Bench.run(apns: transport) { bench in
            try await bench.register(transport: "apns")
            try await bench.show(1, of: delivery)
            try await bench.dispatch()
            let report = try TakeReports.Report(
                ReportBody(activity: Bench.activity(delivery).rawValue, kind: .started, updateToken: "ef01"),
                at: "reports[0]")
            _ = try await bench.takeReports([report], from: Bench.phone, of: Bench.mira)
            bench.clock.advance(by: 60)
            // As if a process had leased an update and died.
            try await bench.pool.execute(
                """
                UPDATE cards SET fence = fence + 1, last_timestamp = last_timestamp + 60,
                    leased_until = \(bench.clock.now.addingTimeInterval(30))
                """)
            try await bench.show(2, of: delivery, phase: .packed)
            try await bench.dispatch()
            #expect(transport.pushes.map(\.event) == [.start])
            bench.clock.advance(by: 31)
            try await bench.dispatch()
            #expect(transport.pushes.map(\.event) == [.start, .update])
        }
    }
}
