internal import Foundation

/// The committed messages that this process publishes from memory, and whether it may.
///
/// Messages leave in the order of their insertion. While the table may hold older messages the queue is closed, and
/// every message is published from the table in the order of creation: so none overtakes an older one of its subject.
/// The queue begins closed, since a former process may have left rows. It closes when a message could not be published.
/// It opens after a complete read of the table that began when all formerly held rows were released.
struct MemoryQueue {
    /// The time for which the table's readers leave a row to the process that committed it.
    static let holdDuration = Duration.seconds(2)

    /// The relay's next work.
    struct Work {
        /// Rows to make free for the table's readers.
        var released: [UUID] = []
        /// Whether rows were committed that only the table has, or were released.
        var isTableWanted = false
        /// Published next; none while the table is wanted, since its rows are older.
        var messages: [OutboxMessage] = []
    }

    /// Further messages are published from the table.
    private let messagesMax: Int
    private var messages: [OutboxMessage] = []
    private var released: [UUID] = []
    private var isTableWanted = false
    /// Nil while it is open.
    private var closedAt: ContinuousClock.Instant?

    init(messagesMax: Int, closedAt: ContinuousClock.Instant) {
        self.messagesMax = messagesMax
        self.closedAt = closedAt
    }

    var isOpen: Bool { closedAt == nil }

    /// Adds a committed batch; its rows are held unless the batch was made while the queue was closed.
    mutating func add(_ batch: OutboxBatch) {
        guard batch.held > .zero else { return wantTable() }
        if isOpen, messages.count + batch.messages.count <= messagesMax {
            messages += batch.messages
        } else {
            released += batch.messages.map(\.id)
            wantTable()
        }
    }

    /// Rows were committed that only the table has.
    mutating func wantTable() { isTableWanted = true }

    mutating func take(messagesMax: Int) -> Work {
        var work = Work(released: released, isTableWanted: isTableWanted)
        released = []
        isTableWanted = false
        guard !work.isTableWanted else { return work }
        work.messages = Array(messages.prefix(messagesMax))
        messages.removeFirst(work.messages.count)
        return work
    }

    /// Closes the queue after a failed publish: these messages, and all after them, are published from the table.
    mutating func close(leaving unpublished: [UUID], at now: ContinuousClock.Instant) {
        closedAt = now
        released += unpublished + messages.map(\.id)
        messages = []
        wantTable()
    }

    /// Removes messages that the table's readers have leased meanwhile.
    mutating func remove(_ ids: Set<UUID>) {
        if !messages.isEmpty { messages.removeAll { ids.contains($0.id) } }
    }

    /// Every row that was free in the table at that moment is published.
    mutating func tableWasRead(at moment: ContinuousClock.Instant) {
        guard let closedAt, moment - closedAt >= Self.holdDuration, released.isEmpty else { return }
        self.closedAt = nil
    }
}
