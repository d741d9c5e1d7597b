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

/// Measures how many cards are behind and for how long.
struct BehindCardsSampler: Service {
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
        let behind = try await ActivityRepository.cardsBehind(on: pool)
        Gauge(label: "cards_behind").record(behind.count)
        Gauge(label: "cards_past_end").record(behind.pastEndCount)
        Gauge(label: "oldest_wanted_not_sent_seconds").record(
            behind.oldestSince.map { max(0, clock.now.timeIntervalSince($0)) } ?? 0)
    }
}
