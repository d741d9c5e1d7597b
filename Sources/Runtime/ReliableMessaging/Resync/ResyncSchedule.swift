internal import NatsClient

/// Schedules comparisons of this service's messages with its readers' data, counted in checks of the broker.
///
/// Each loss schedules two comparisons: one soon, and one after consumers that were ahead of their streams were
/// recreated, since these skip republished messages until then; up to three more follow while a reader does not answer.
/// Each comparison waits until readers have read their backlog: a reader lacks its unread messages, and all of them would
/// be published again.
struct ResyncSchedule: Sendable {
    /// Checks for which readers that are behind are waited for.
    static let patience = 3
    /// Comparisons in a row in which a reader did not answer, after which the periodic resync is left to find it.
    static let repeatsMax = 3

    /// A consumer, and how far it has read.
    struct Reader: Hashable, Sendable {
        let stream: String
        /// The sequence number of the newest message of its stream.
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
    private var repeats = 0

    /// Records that a stream lost messages.
    mutating func lost() { schedule([0, 2]) }

    /// Records a connection: the broker may have restarted since the previous one.
    ///
    /// Readers lost their connections too, and have until the next check to reconnect.
    mutating func connected(_ number: UInt64) {
        guard connection != number else { return }
        connection = number
        schedule([1, 3])
    }

    private mutating func schedule(_ checks: Set<Int>) {
        due.formUnion(checks)
        targets = nil
        waited = 0
        repeats = 0
    }

    /// Records a check; to be called once for each.
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

    /// Records that the due comparison has been made.
    ///
    /// - Parameter isComplete: whether every reader has answered; else another comparison is due two checks later.
    mutating func done(isComplete: Bool = true) {
        due = Set(due.filter { $0 > 0 }.map { $0 - 1 })
        targets = nil
        waited = 0
        repeats = isComplete ? 0 : repeats + 1
        if (1...Self.repeatsMax).contains(repeats) { due.insert(1) }
    }
}

extension ResyncSchedule.Reader {
    init(_ consumer: ConsumerInfo, lastSequence: UInt64) {
        self.init(
            stream: consumer.stream, lastSequence: lastSequence, settledSequence: consumer.acknowledgedSequence,
            isIdle: consumer.pending == 0 && consumer.ackPending == 0)
    }
}
