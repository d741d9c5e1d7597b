import DoorstepAPI
import FlowControl
import Logging
import PostgresClient
import Synchronization
import TextCoding

/// The sources as they were a moment ago, so that a webhook costs no statement before it is proven.
struct SourceCache: Sendable {
    /// The age limit of a cached source; ``settle()`` waits as long.
    static let ageMax = Duration.seconds(2)
    private static let countMax = 1_000

    let pool: PostgresPool
    let box: SecretBox
    private let logger: Logger
    private let entries = SourceEntries()
    private let reads = SharedReads<SourceID, Result<Source?, any Error>>(keysMax: countMax)
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - elapsed: wall time since any moment, by which entries expire; since now without one.
    ///   - sleep: waits in that time.
    init(
        pool: PostgresPool, box: SecretBox, logger: Logger, elapsed: (@Sendable () -> Duration)? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        let start = ContinuousClock.now
        self.pool = pool
        self.box = box
        self.logger = logger
        self.elapsed = elapsed ?? { ContinuousClock.now - start }
        self.sleep = sleep
    }

    /// The source; nil where there is none.
    ///
    /// Webhooks that come at once share a read.
    func callAsFunction(_ id: SourceID) async throws -> Source? {
        let now = elapsed()
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

    /// Waits until every replica's cache has expired, so that each uses a change of before.
    func settle() async {
        // Cancelled where the caller has disconnected, and needs no answer.
        try? await sleep(Self.ageMax)
    }
}

private final class SourceEntries: Sendable {
    struct Entry {
        let source: Source
        let readAt: Duration
    }

    let values = Mutex<[SourceID: Entry]>([:])
}
