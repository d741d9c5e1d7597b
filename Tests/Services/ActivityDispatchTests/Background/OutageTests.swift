import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import PostgresClient
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import ActivityDispatch

/// A transport that answers when its sender's database has gone away.
private final class OutageTransport: Transport {
    private let database: PrivatePostgres
    private let result: PushResult
    private let sent = Mutex(0)
    let limits = Limits.apns
    let isTransactional = false

    init(_ result: PushResult, without database: PrivatePostgres) {
        self.database = database
        self.result = result
    }

    var count: Int { sent.withLock { $0 } }

    func send(_ push: Push, to card: Card, on device: Device) async -> PushResult {
        sent.withLock { $0 += 1 }
        try? await database.stopImmediately()
        return result
    }
}

/// How often a result was to be recorded: each attempt takes its jitter anew.
private final class RecordingAttempts: Sendable {
    private let state = Mutex((count: 0, isOver: false))

    var areOver: Bool { state.withLock { $0.isOver || $0.count >= 2 } }

    func add() { state.withLock { $0.count += 1 } }
    func end() { state.withLock { $0.isOver = true } }
}

/// A dispatcher that counts how often it was to record a result.
private struct OutageDispatcher {
    let dispatcher: Dispatcher
    private let attempts: RecordingAttempts

    init(_ service: DispatchUnderTest) {
        var configuration = DispatchConfiguration()
        configuration.outagePause = .milliseconds(1)
        let attempts = RecordingAttempts()
        self.attempts = attempts
        dispatcher = service.dispatcher(
            configuration,
            random: {
                attempts.add()
                return 0
            })
    }

    /// Sends what is leased, and brings the database back once a result could not be recorded.
    ///
    /// - Returns: how many pushes.
    func send(restarting database: PrivatePostgres) async throws -> Int {
        let sending = Task {
            defer { attempts.end() }
            return await dispatcher.sendQueued()
        }
        // The second attempt follows one that failed.
        while !attempts.areOver { await Task.yield() }
        try await database.restart()
        return await sending.value
    }
}

@Suite("Results while the database is away", .tags(.integration), .timeLimit(.minutes(5)))
struct OutageTests {
    private let delivery = DeliveryID(UUID())

    @Test(
        "What APNs answers while the database is away is recorded when that is back, and nothing is sent twice",
        arguments: [
            (.accepted(), "starting", "taken"), (.refused(reason: "ServiceUnavailable"), "waiting", "refused"),
        ] as [(PushResult, String, String)])
    func databaseAway(result: PushResult, state: String, answered: String) async throws {
        let database = try await PrivatePostgres.start()
        let transport = OutageTransport(result, without: database)
        try await run(on: database, over: transport) { service, dispatcher in
            #expect(try await dispatcher.send(restarting: database) == 1)
            try await service.reconcile()
            let card = try #require(try await service.cards(of: delivery).first)
            #expect(card.state == state && card.answered == answered)
            #expect(transport.count == 1)
        }
    }

    @Test("A start that cannot be noted as handed over, since the database is away, is sent when that is back")
    func awayBeforeStart() async throws {
        let database = try await PrivatePostgres.start()
        let transport = FakeTransport([])
        try await run(on: database, over: transport) { service, dispatcher in
            try await database.stopImmediately()
            #expect(try await dispatcher.send(restarting: database) == 1)
            #expect(transport.pushes.isEmpty)
            let card = try #require(try await service.cards(of: delivery).first)
            #expect(card.state == "waiting" && card.answered == "not_sent")
            service.clock.advance(by: 2)
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.start])
        }
    }

    /// Runs the body with a service on that database, and a start that waits to be sent.
    private func run(
        on database: PrivatePostgres, over transport: any Transport,
        _ body: (DispatchUnderTest, OutageDispatcher) async throws -> Void
    ) async throws {
        var settings = database.configuration
        settings.schema = "public"
        let pool = PostgresPool(settings, logger: .silent)
        try await pool.warm()
        let service = DispatchUnderTest(
            pool: pool, hub: StreamHub(pool: pool, logger: .silent),
            transports: Transports(stream: StreamTransport(limits: .stream), apns: transport))
        try await migrate(ActivityDispatch.process.migrations, schema: "public", on: pool)
        try await service.register(transport: "apns")
        try await service.show(1, of: delivery)
        let dispatcher = OutageDispatcher(service)
        try await dispatcher.dispatcher.reconcileDueDevices()
        try await body(service, dispatcher)
        await pool.shutDown()
        try await database.stop()
    }
}
