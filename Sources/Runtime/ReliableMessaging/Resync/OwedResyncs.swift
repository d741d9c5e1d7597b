internal import NatsClient

/// At which of the next checks of the broker what was written is compared with what readers have.
///
/// Twice: soon, and when consumers that were ahead of their streams have begun again, which pass over what is republished
/// until then. Each waits until readers have read what is there, since they lack what they have not read yet, and all of
/// that would be published again.
struct OwedResyncs: Sendable {
    /// Checks for which readers that are behind are waited for.
    static let patience = 12

    /// A consumer, and how far it has read.
    struct Reader: Hashable, Sendable {
        let stream: String
        /// Of the newest message of its stream.
        let lastSequence: UInt64
        /// Up to which it has settled everything.
        let settledSequence: UInt64
        /// Whether nothing waits for it.
        let isIdle: Bool
    }

    /// Checks from now on, 0 for the next that is made.
    private var due: Set<Int> = []
    private var connection: UInt64?
    /// The newest message of each stream when the wait for readers began.
    private var targets: [String: UInt64]?
    private var waited = 0

    /// Takes in that a stream lost messages.
    mutating func lost() { owe([0, 2]) }

    /// Takes in that there is a connection: the broker may have been started again since another one.
    ///
    /// Readers, which lost theirs too, have time until the next check to be there again.
    mutating func connected(_ number: UInt64) {
        guard connection != number else { return }
        connection = number
        owe([1, 3])
    }

    private mutating func owe(_ checks: Set<Int>) {
        due.formUnion(checks)
        targets = nil
        waited = 0
    }

    /// Takes in that a check is made; once for each.
    ///
    /// - Returns: whether to compare now; then ``done()`` is called, unless that failed.
    mutating func isDue(with readers: [Reader]) -> Bool {
        guard due.contains(0) else {
            due = Set(due.map { $0 - 1 })
            return false
        }
        let targets = targets ?? Dictionary(readers.map { ($0.stream, $0.lastSequence) }) { first, _ in first }
        self.targets = targets
        let haveRead = readers.allSatisfy { $0.isIdle || $0.settledSequence >= targets[$0.stream, default: 0] }
        if haveRead || waited >= Self.patience { return true }
        waited += 1
        return false
    }

    /// Takes in that the comparison that was due has been made.
    mutating func done() {
        due = Set(due.filter { $0 > 0 }.map { $0 - 1 })
        targets = nil
        waited = 0
    }
}

extension OwedResyncs.Reader {
    init(_ consumer: ConsumerInfo, lastSequence: UInt64) {
        self.init(
            stream: consumer.stream, lastSequence: lastSequence, settledSequence: consumer.acknowledgedSequence,
            isIdle: consumer.pending == 0 && consumer.ackPending == 0)
    }
}
