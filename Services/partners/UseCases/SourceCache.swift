import DoorstepAPI
import FlowControl
import Logging
import PostgresClient
import Synchronization
import TextCoding

/// The sources as they were a moment ago, so that a webhook costs no statement before it is proven.
struct SourceCache: Sendable {
    /// The age limit of a cached source: a removed secret stays valid for as long.
    static let ageMax = Duration.seconds(2)
    private static let countMax = 1_000

    let pool: PostgresPool
    let box: SecretBox
    private let logger: Logger
    private let entries = SourceEntries()
    private let reads = SharedReads<SourceID, Result<Source?, any Error>>(keysMax: countMax)

    init(pool: PostgresPool, box: SecretBox, logger: Logger) {
        self.pool = pool
        self.box = box
        self.logger = logger
    }

    /// The source; nil where there is none.
    ///
    /// Webhooks that come at once share a read.
    func callAsFunction(_ id: SourceID) async throws -> Source? {
        let now = ContinuousClock.now
        if let entry = entries.values.withLock({ $0[id] }), entry.readAt + Self.ageMax > now { return entry.source }
        return try await reads.value(of: id) {
            let source = try await SourceRepository.source(id, by: box, on: pool)
            if let source, source.texts.count < source.secrets.count {
                logger.error(
                    "A secret of a source cannot be read: check secrets.keys.file", metadata: ["source_id": "\(id)"])
            }
            entries.values.withLock { values in
                if values.count >= Self.countMax { values = [:] }
                // Names that strangers try fill no memory.
                values[id] = source.map { SourceEntries.Entry(source: $0, readAt: now) }
            }
            return source
        }
    }
}

private final class SourceEntries: Sendable {
    struct Entry {
        let source: Source
        let readAt: ContinuousClock.Instant
    }

    let values = Mutex<[SourceID: Entry]>([:])
}
