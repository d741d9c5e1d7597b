import Logging
import Synchronization

/// Logs each row that cannot be opened once in the life of the process, however often it is read.
final class UnreadableRows: Sendable {
    /// Rows that are logged; a lost key makes every row unreadable, and the gauge of rows that are left has their number.
    static let rowsMax = 1_000

    private let logger: Logger
    private let known = Mutex<Set<PersonalDataBox.Unreadable>>([])

    init(logger: Logger) { self.logger = logger }

    func report(_ row: PersonalDataBox.Unreadable) {
        let count = known.withLock { known in
            known.count < Self.rowsMax && known.insert(row).inserted ? known.count : nil
        }
        guard let count else { return }
        logger.error("Personal data cannot be opened", metadata: ["reason": "\(row)"])
        if count == Self.rowsMax { logger.error("Further rows that cannot be opened are not logged") }
    }
}
