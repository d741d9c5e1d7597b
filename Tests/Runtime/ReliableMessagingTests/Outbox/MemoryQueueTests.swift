import Foundation
import Testing

@testable import ReliableMessaging

@Suite("Messages published from memory")
struct MemoryQueueTests {
    private let start = ContinuousClock.now

    private func batch(_ count: Int = 1, held: Duration = MemoryQueue.holdDuration) -> OutboxBatch {
        OutboxBatch((0..<count).map { OutboxMessage(subject: "a.\($0)", payload: []) }, held: held)
    }

    /// A queue whose process read the table after the time of a former one's rows.
    private func open(messagesMax: Int = 10) -> MemoryQueue {
        var queue = MemoryQueue(messagesMax: messagesMax, closedAt: start)
        queue.tableWasRead(at: start + MemoryQueue.holdDuration)
        return queue
    }

    @Test("It begins closed until the table was read to its end, when a former process's rows had become free")
    func beginning() {
        var queue = MemoryQueue(messagesMax: 10, closedAt: start)
        queue.tableWasRead(at: start + MemoryQueue.holdDuration - .milliseconds(1))
        #expect(!queue.isOpen)
        queue.tableWasRead(at: start + MemoryQueue.holdDuration)
        #expect(queue.isOpen)
    }

    @Test("Messages leave in the order of their commits")
    func order() {
        var queue = open()
        let batches = [batch(2), batch(), batch(3)]
        for batch in batches { queue.add(batch) }
        let first = queue.take(messagesMax: 4)
        let second = queue.take(messagesMax: 4)
        #expect(first.messages + second.messages == batches.flatMap(\.messages))
        #expect(!first.isTableWanted && queue.take(messagesMax: 4).messages.isEmpty)
    }

    @Test("A row that only the table has goes before every message that was committed after it")
    func tableFirst() {
        var queue = open()
        queue.wantTable()
        let later = batch()
        queue.add(later)
        let first = queue.take(messagesMax: 4)
        #expect(first.isTableWanted && first.messages.isEmpty)
        #expect(queue.take(messagesMax: 4).messages == later.messages)
    }

    @Test("What could not be published, and all after it, goes by the table until that was read to its end")
    func closing() {
        var queue = open()
        let (failed, waiting, later) = (batch(), batch(), batch())
        queue.add(failed)
        _ = queue.take(messagesMax: 4)
        queue.add(waiting)
        queue.close(leaving: failed.messages.map(\.id), at: start + .seconds(10))
        queue.add(later)
        let work = queue.take(messagesMax: 4)
        #expect(work.released == (failed.messages + waiting.messages + later.messages).map(\.id))
        #expect(work.isTableWanted && work.messages.isEmpty)
        queue.tableWasRead(at: start + .seconds(11))
        #expect(!queue.isOpen)
        queue.tableWasRead(at: start + .seconds(12))
        #expect(queue.isOpen)
    }

    @Test("It does not open over rows that are yet to be made free")
    func released() {
        var queue = open()
        queue.close(leaving: [UUID()], at: start)
        queue.tableWasRead(at: start + .seconds(60))
        #expect(!queue.isOpen)
    }

    @Test("More than it may hold is left to the table")
    func bounded() {
        var queue = open(messagesMax: 3)
        let (first, second) = (batch(3), batch())
        queue.add(first)
        queue.add(second)
        let work = queue.take(messagesMax: 10)
        #expect(work.released == second.messages.map(\.id) && work.isTableWanted)
        #expect(queue.take(messagesMax: 10).messages == first.messages)
    }
}
