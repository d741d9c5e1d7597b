import ServiceRuntime
import Synchronization

/// Committed events on their way to one open stream, which then need not be read from the table.
final class StreamMailbox: Sendable {
    /// The events that one transaction wrote for a device.
    struct Batch: Sendable {
        /// The newest id of the device's stream before it.
        let after: Int
        let lastEventID: Int
        /// Oldest first.
        let events: [ServerSentEvent]
    }

    /// A reader that is further behind reads the table.
    private static let batchesMax = 8

    private let batches = Mutex<[Batch]>([])

    func put(_ batch: Batch) {
        batches.withLock { batches in
            batches.append(batch)
            // The stream's reader detects the gap.
            if batches.count > Self.batchesMax { batches.removeFirst() }
        }
    }

    /// Empties the mailbox, and returns the events after an id without a gap: transactions may add theirs in any order.
    ///
    /// - Returns: nil without new events, or where an event is missing that the table has.
    func take(after id: Int) -> Batch? {
        let all = batches.withLock { batches in
            defer { batches = [] }
            return batches
        }
        var (position, events) = (id, [ServerSentEvent]())
        for batch in all.sorted(by: { $0.lastEventID < $1.lastEventID }) where batch.lastEventID > position {
            guard batch.after == position else { return nil }
            position = batch.lastEventID
            events += batch.events
        }
        return position > id ? Batch(after: id, lastEventID: position, events: events) : nil
    }
}
