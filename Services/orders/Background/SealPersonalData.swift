import BackgroundWork
import CoreMetrics
import Logging
import PostgresClient
import ServiceLifecycle

/// Seals rows that an earlier version, or a replica without the setting, has stored readable, and those that are sealed
/// with a former key; at the start and every six hours.
///
/// The gauge counts the rows that are left: 0 means that no row needs a former key.
struct SealPersonalData: Service {
    /// Wall time between two passes over the rows.
    static let interval = Duration.seconds(21_600)

    let pool: PostgresPool
    let box: PersonalDataBox
    let metrics: any MetricsFactory
    let logger: Logger

    func run() async throws {
        try await PeriodicTask("sealing of personal data", every: Self.interval, logger: logger) {
            try await seal()
        }.run()
    }

    /// Passes over the rows until one pass seals none.
    ///
    /// - Returns: how many are left.
    @discardableResult
    func seal() async throws -> Int {
        guard let key = box.presentKey else { return 0 }
        var (sealed, left) = (0, 0)
        repeat {
            let pass = try await pass(key)
            (sealed, left) = (pass.sealed, pass.left)
            if sealed > 0 { logger.info("Personal data was sealed", metadata: ["rows": "\(sealed)"]) }
        } while sealed > 0
        OrdersMetrics.record(toSeal: left, in: metrics)
        return left
    }

    private func pass(_ key: String) async throws -> (sealed: Int, left: Int) {
        var total = (sealed: 0, left: 0)
        func add(_ page: (String) async throws -> SealingRepository.Page) async throws {
            var last: String? = ""
            while let after = last {
                let next = try await page(after)
                total = (total.sealed + next.sealed, total.left + next.left)
                last = next.end
            }
        }
        try await add { try await SealingRepository.sealDropOffs(by: box, key: key, after: $0, on: pool) }
        for numbers in SealingRepository.Numbers.allCases {
            try await add {
                try await SealingRepository.sealNumbers(numbers, by: box, key: key, after: $0, on: pool)
            }
        }
        return total
    }
}
