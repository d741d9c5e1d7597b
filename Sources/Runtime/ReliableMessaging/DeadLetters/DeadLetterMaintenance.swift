internal import BackgroundWork
internal import DeclaredMetrics
package import Foundation
package import Logging
internal import Metrics
internal import ServiceLifecycle

/// Samples the number of dead letters for metrics, and deletes those settled before the retention time.
///
/// Metrics: `doorstep_dead_letters`, a gauge by state (`open`, `retrying`, `failing`).
package struct DeadLetterMaintenance: Service {
    /// The interval of samples.
    package static let sampleInterval = Duration.seconds(15)
    /// Days that a settled dead letter is kept without a setting, as long as deliveries' timelines are.
    package static let settledKeptDays = 30
    static let deletionInterval = Duration.seconds(3_600)

    private let deadLetters: DeadLetters
    private let logger: Logger
    private let keptDays: Int
    private let wall: @Sendable () -> Date

    package init(
        _ deadLetters: DeadLetters, keptDays: Int = Self.settledKeptDays, logger: Logger,
        wall: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.deadLetters = deadLetters
        self.keptDays = keptDays
        self.logger = logger
        self.wall = wall
    }

    /// Samples and deletes until graceful shutdown; never fails because of an outage.
    /// - Throws: never; a failed run is logged and repeated.
    package func run() async throws {
        async let deletion: Void = PeriodicTask("dead-letter retention", every: Self.deletionInterval, logger: logger) {
            try await deleteSettled()
        }.run()
        try await PeriodicTask("dead-letter count", every: Self.sampleInterval, logger: logger) {
            try await sample()
        }.run()
        try await deletion
    }

    func sample() async throws {
        let counts = try await deadLetters.counts()
        for state in [DeadLetter.State.open, .retrying, .failing] {
            MessagingMetrics.deadLetters.gauge([("state", state.rawValue)]).record(counts[state] ?? 0)
        }
    }

    /// - Returns: how many were deleted.
    @discardableResult
    func deleteSettled() async throws -> Int {
        try await deadLetters.deleteSettled(before: wall().addingTimeInterval(-Double(keptDays) * 86_400))
    }
}
