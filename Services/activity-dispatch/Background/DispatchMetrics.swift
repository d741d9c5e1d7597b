import BackgroundWork
import DomainTime
import Foundation
import Logging
import Metrics
import PostgresClient
import ServiceLifecycle

/// What this service counts.
///
/// `pushes_total{event,priority,result}`, `budget_exhausted_total`, `device_faults_total` (devices that could not be
/// brought up to date, once for each try), `streams_open`, `cards_behind`, `cards_past_end` (still on a screen though
/// their activity has ended), `oldest_wanted_not_sent_seconds` (domain seconds).
enum DispatchMetrics {
    static var budgetExhausted: Counter { Counter(label: "budget_exhausted_total") }
    static var deviceFaults: Counter { Counter(label: "device_faults_total") }
    static var streamsOpen: Meter { Meter(label: "streams_open") }

    static func countPush(_ push: Push, _ result: PushResult) {
        Counter(
            label: "pushes_total",
            dimensions: [
                ("event", push.event.rawValue), ("priority", String(push.priority.rawValue)), ("result", result.code),
            ]
        ).increment()
    }
}

/// Looks now and then at how far behind the cards are.
struct BehindSampler: Service {
    let pool: PostgresPool
    let clock: DomainClock
    let logger: Logger
    static let interval = Duration.seconds(5)

    func run() async throws {
        try await PeriodicTask("sampling of cards behind", every: Self.interval, logger: logger) {
            try await sample()
        }.run()
    }

    func sample() async throws {
        let rows = try await pool.query(
            """
            SELECT count(*) AS behind, min(behind_since) AS oldest,
                count(*) FILTER (WHERE state = 'active' AND is_ended) AS past_end
            FROM cards JOIN activities USING (activity_id) WHERE behind_since IS NOT NULL
            """)
        guard let row = rows.first else { return }
        Gauge(label: "cards_behind").record(try row.decode("behind", as: Int.self))
        Gauge(label: "cards_past_end").record(try row.decode("past_end", as: Int.self))
        let oldest = try row.decode("oldest", as: Date?.self)
        Gauge(label: "oldest_wanted_not_sent_seconds").record(
            oldest.map { max(0, clock.now.timeIntervalSince($0)) } ?? 0)
    }
}
