import BackgroundWork
import CoreMetrics
import Logging
import PostgresClient
import ServiceLifecycle
import Synchronization

/// Seals rows that an earlier version, or a replica without the setting, has stored readable, and rows under a retired
/// key; without the setting it writes sealed rows back in clear.
///
/// It runs at the start and every hour.
///
/// A row under a key in use, or under one that waits to be, stays: a replica that was restarted with other keys, or was
/// not yet, has written it. The gauge counts the rows that are left: 0 after the restart of all replicas means that no row
/// needs a retired key, or that all are in clear.
final class SealPersonalData: Service {
    /// Wall time between two runs.
    static let interval = Duration.seconds(3_600)
    /// Passes of a run that write: replicas whose settings differ do not write each other's rows for ever.
    private static let passesMax = 2

    private let pool: PostgresPool
    private let box: PersonalDataBox
    private let metrics: any MetricsFactory
    private let logger: Logger
    /// The last entry of timelines whose former version has no number; later ones may be of 0.26.
    private let lastEntry = Mutex(0)

    init(pool: PostgresPool, box: PersonalDataBox, metrics: any MetricsFactory, logger: Logger) {
        self.pool = pool
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
        if box.seals { try await removeFormerNumbers() }
        var left = 0
        for _ in 0..<Self.passesMax {
            left = try await pass(rewrites: true)
            if left == 0 { break }
        }
        if left > 0 { left = try await pass(rewrites: false) }
        OrdersMetrics.record(toSeal: left, in: metrics)
        return left
    }

    /// - Returns: how many rows it found that are not as the settings have them.
    private func pass(rewrites: Bool) async throws -> Int {
        var found = 0
        for table in SealingRepository.Table.allCases {
            var last = ""
            while true {
                let (end, count) = try await SealingRepository.due(in: table, by: box, after: last, on: pool)
                guard let end else { break }
                found += count
                if count > 0, rewrites {
                    try await SealingRepository.rewrite(table, by: box, after: last, to: end, on: pool)
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

    private func removeFormerNumbers() async throws {
        while let end = try await SealingRepository.removeFormerNumbers(after: lastEntry.withLock { $0 }, on: pool) {
            lastEntry.withLock { $0 = end }
        }
    }
}
