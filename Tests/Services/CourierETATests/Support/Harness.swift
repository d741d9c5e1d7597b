import ArrivalEstimate
import DomainTime
import Foundation
import LiveActivity
import Logging
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import WireCoding

@testable import CourierETA

/// The service's use cases over the test's own schema, a clock moved by hand, and its outbox.
struct Harness: Sendable {
    let pool: PostgresPool
    let wall = ManualClock(start)
    let parts: CourierETA.Parts
    let timers: TimerRunner
    let partitions: FixPartitions
    let retention: Retention

    /// Runs the body with a database that has been migrated, empty unless it is prepared before.
    static func run(
        on configuration: PostgresConfiguration = TestPostgres.current,
        preparing prepare: (PostgresPool, _ schema: String) async throws -> Void = { _, _ in },
        _ body: (Harness) async throws -> Void
    ) async throws {
        try await withPool(configuration, logger: Logger(label: "test")) { pool in
            let schema = configuration.schema ?? "public"
            try await prepare(pool, schema)
            try await migrate(CourierETA.process.migrations, schema: schema, on: pool)
            try await body(Harness(pool))
        }
    }

    private init(_ pool: PostgresPool) {
        self.pool = pool
        let clock = wall.domain
        partitions = FixPartitions(pool: pool)
        retention = Retention(pool: pool, clock: clock, logger: Logger(label: "test"))
        let parts = CourierETA.Parts(pool: pool, clock: clock, partitions: partitions, outbox: UnreadOutbox())
        self.parts = parts
        timers = TimerRunner(
            pool: pool, clock: clock, handlers: parts.timerHandlers, logger: Logger(label: "test"))
    }

    /// Another process's use case over the same database, with an empty cache.
    func another() -> IngestFixes {
        CourierETA.Parts(pool: pool, clock: wall.domain, partitions: partitions, outbox: UnreadOutbox()).ingestFixes
    }

    /// A delivery in a status that the service knows since the start.
    @discardableResult
    func learnDelivery(in code: StatusCode) async throws -> Delivery {
        let delivery = try Delivery.sample(in: code)
        try await parts.applyDeliveryChange(delivery.changed(at: 0))
        return delivery
    }

    /// Moves the clock to `time` seconds after `start`.
    func move(to time: Double) { wall.advance(by: seconds(time).timeIntervalSince(wall.now)) }

    /// Takes the elements of the queued messages out.
    func published() async throws -> [Message] {
        let rows = try await pool.query("DELETE FROM outbox RETURNING subject, payload")
        return try rows.flatMap { row in
            let subject: String = try row.decode("subject")
            return MessageBatch.elements(of: try row.decode("payload")).map {
                Message(subject: subject, payload: Data($0))
            }
        }
    }

    struct Message: Sendable {
        let subject: String
        let payload: Data

        func decode<Value: Decodable>(_ type: Value.Type) -> Value? { try? WireJSON.decode(type, from: payload) }
    }
}

/// Messages of this version and of former ones.
extension [Harness.Message] {
    /// In the order of their revisions.
    var intents: [Intent] {
        filter { $0.subject.hasPrefix("activities.intent") }.compactMap { $0.decode(Intent.self) }
            .sorted { $0.step.content.revision < $1.step.content.revision }
    }
    var estimates: [EstimateChanged] {
        filter { $0.subject.hasPrefix("couriers.estimate") }.compactMap { $0.decode(EstimateChanged.self) }
            .sorted { $0.step < $1.step }
    }
    var milestones: [Milestone] {
        filter { $0.subject.hasPrefix("couriers.milestone") }
            .compactMap { $0.decode(MilestoneReached.self)?.milestone }
    }
}

extension CourierETA.Parts {
    /// Every page of every slice.
    func republishAll(rowsMax: Int = 100, on pool: PostgresPool) async throws -> [RepublishablePage] {
        try await pagesOfAllSlices(of: snapshotRepublisher, rowsMax: rowsMax, on: pool)
    }
}
