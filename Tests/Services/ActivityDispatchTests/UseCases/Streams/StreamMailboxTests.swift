import ServiceRuntime
import Testing

@testable import ActivityDispatch

@Suite("Events on their way to an open stream")
struct StreamMailboxTests {
    private let mailbox = StreamMailbox()

    private func batch(after: Int, _ ids: Int...) -> StreamMailbox.Batch {
        .init(after: after, lastEventID: ids.last ?? after, events: ids.map { ServerSentEvent(push: "{}", id: $0) })
    }

    private func ids(after id: Int) -> [String]? { mailbox.take(after: id)?.events.compactMap(\.id) }

    @Test("Batches come out in the order of their ids, in whatever order they were put in, and once")
    func order() {
        mailbox.put(batch(after: 9, 10))
        mailbox.put(batch(after: 5, 7, 9))
        #expect(ids(after: 5) == ["7", "9", "10"])
        #expect(ids(after: 10) == nil)
    }

    @Test("What was read already is left out")
    func repeated() {
        mailbox.put(batch(after: 5, 7))
        mailbox.put(batch(after: 7, 8))
        #expect(ids(after: 7) == ["8"])
    }

    @Test("Where something is missing the table is read: before the first, and between two")
    func gaps() {
        mailbox.put(batch(after: 7, 8))
        #expect(ids(after: 5) == nil)
        mailbox.put(batch(after: 5, 6))
        mailbox.put(batch(after: 7, 8))
        #expect(ids(after: 5) == nil)
        #expect(ids(after: 5) == nil)
    }

    @Test("A reader that is far behind reads the table")
    func full() {
        for id in 1...40 { mailbox.put(batch(after: id - 1, id)) }
        #expect(ids(after: 0) == nil)
        for id in 41...44 { mailbox.put(batch(after: id - 1, id)) }
        #expect(ids(after: 40) == ["41", "42", "43", "44"])
    }
}
