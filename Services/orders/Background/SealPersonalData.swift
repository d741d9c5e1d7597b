import BackgroundWork
import CoreMetrics
import DomainTime
import Foundation
import Logging
import PostgresClient
import ServiceLifecycle
import Synchronization

/// Seals rows that an earlier version, or a replica without the setting, has stored readable, and rows under a retired
/// key; without the setting it writes sealed rows back in clear.
///
/// It runs at the start and every hour. The run at the start reads all rows; after a run that left none, later ones read
/// the deliveries of orders that changed since: no other delivery was written.
///
/// A row under a key in use, or under one that waits to be, stays: a replica that was restarted with other keys, or was
/// not yet, has written it. The gauge counts the rows that are left: 0 after the restart of all replicas means that no row
/// needs a retired key, or that all are in clear.
final class SealPersonalData: Service {
    /// Wall time between two runs.
    static let interval = Duration.seconds(3_600)
    /// Passes of a run that write: replicas whose settings differ do not write each other's rows for ever.
    private static let passesMax = 2

    /// Domain seconds before a run for which a change may be committed, or another replica's clock may be behind.
    static let marginSeconds: TimeInterval = 7_200

    private let pool: PostgresPool
    private let clock: DomainClock
    private let box: PersonalDataBox
    private let metrics: any MetricsFactory
    private let logger: Logger
    /// The domain time from which on rows are to be read; nil until a run left none.
    private let changedSince = Mutex<Date?>(nil)

    init(pool: PostgresPool, clock: DomainClock, box: PersonalDataBox, metrics: any MetricsFactory, logger: Logger) {
        self.pool = pool
        self.clock = clock
        self.box = box
        self.metrics = metrics
        self.logger = logger
    }

    func run() async throws {
        try await PeriodicTask("sealing of personal data", every: Self.interval, logger: logger) {
            try await self.seal()
        }.run()
    }

    /// Writes the rows again that are not as the settings have them.
    ///
    /// - Returns: how many are left.
    @discardableResult
    func seal() async throws -> Int {
        guard box.hasKeys else { return 0 }
        let start = clock.now
        var left = 0
        for _ in 0..<Self.passesMax {
            left = try await pass(rewrites: true)
            if left == 0 { break }
        }
        if left > 0 { left = try await pass(rewrites: false) }
        if left == 0 { changedSince.withLock { $0 = start.addingTimeInterval(-Self.marginSeconds) } }
        OrdersMetrics.record(toSeal: left, in: metrics)
        return left
    }

    /// - Returns: how many rows it found that are not as the settings have them.
    private func pass(rewrites: Bool) async throws -> Int {
        var found = 0
        let changedSince = self.changedSince.withLock { $0 }
        for table in SealingRepository.Table.allCases {
            let rows = SealingRepository.Rows(table: table, changedSince: changedSince)
            var last = ""
            while true {
                let (end, count) = try await SealingRepository.due(in: rows, by: box, after: last, on: pool)
                guard let end else { break }
                found += count
                if count > 0, rewrites {
                    try await SealingRepository.rewrite(rows, by: box, after: last, to: end, on: pool)
                }
                last = end
            }
        }
        if rewrites, found > 0 {
            logger.info(
                "Personal data is \(box.seals ? "sealed" : "written back in clear")", metadata: ["rows": "\(found)"])
        }
        return found
    }
}
