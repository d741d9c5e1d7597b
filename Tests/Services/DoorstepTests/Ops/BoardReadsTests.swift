import CommandOutput
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import OrderDomain
import Testing

@testable import Doorstep

@Suite("Reads of the board that overtake one another", .timeLimit(.minutes(10)))
struct BoardReadsTests {
    private typealias Answer<Value> = CheckedContinuation<Value, any Error>

    /// A session that makes no changes.
    private func board(
        read: @escaping @Sendable (BoardQuery) async throws -> BoardBody,
        timeline: @escaping @Sendable (DeliveryID) async throws -> [String] = { _ in [] }
    ) -> BoardSession {
        let unused = CommandFailure(.usage, "no test asks for it")
        let actions = BoardSession.Actions(
            read: read, timeline: timeline, allowed: { _ in throw unused }, checkCourier: { _ in throw unused },
            change: { _ in throw unused }, planMove: { _ in throw unused }, move: { _, _ in throw unused })
        return BoardSession(
            BoardQuery(limit: 100), clock: ManualClock(SampleBoard.now).domain, actions: actions, elapsed: { .zero },
            show: { _ in })
    }

    @Test("The answer to an earlier read, or its failure, replaces no later list", arguments: [true, false])
    func lists(isAnswered: Bool) async throws {
        let (former, present) = (try SampleBoard.row(reference: "A-1"), try SampleBoard.row(reference: "A-2"))
        let (begun, begin) = AsyncStream.makeStream(of: Answer<BoardBody>.self)
        let session = board(read: { _ in try await withCheckedThrowingContinuation { begin.yield($0) } })
        var answers = begun.makeAsyncIterator()
        // The test awaits both at its end.
        let first = Task { try await session.read() }
        let earlier = await answers.next()
        let second = Task { try await session.read() }
        let later = await answers.next()
        later?.resume(returning: SampleBoard.board([present]))
        try await second.value
        if isAnswered {
            earlier?.resume(returning: SampleBoard.board([former]))
        } else {
            earlier?.resume(throwing: CommandFailure(.unavailable, "orders does not answer"))
        }
        try await first.value
        let state = await session.state
        #expect(state.rows.map(\.reference) == ["A-2"] && state.failure == nil)
    }

    @Test("A list that was read before a failure does not hide it, and the next one does")
    func failure() async throws {
        let rows = [try SampleBoard.row()]
        let (begun, begin) = AsyncStream.makeStream(of: Answer<BoardBody>.self)
        let session = board(read: { _ in try await withCheckedThrowingContinuation { begin.yield($0) } })
        var answers = begun.makeAsyncIterator()
        // The test awaits each of them.
        let first = Task { try await session.read() }
        let earlier = await answers.next()
        let second = Task { try await session.read() }
        let later = await answers.next()
        later?.resume(throwing: CommandFailure(.unavailable, "orders does not answer"))
        try await second.value
        earlier?.resume(returning: SampleBoard.board(rows))
        try await first.value
        #expect(await session.state.failure == "orders does not answer")
        let third = Task { try await session.read() }
        let next = await answers.next()
        next?.resume(returning: SampleBoard.board(rows))
        try await third.value
        let state = await session.state
        #expect(state.failure == nil && state.rows.count == 1)
    }

    @Test("An earlier timeline of a delivery replaces no later one")
    func timelines() async throws {
        let row = try SampleBoard.row()
        let (begun, begin) = AsyncStream.makeStream(of: Answer<[String]>.self)
        let session = board(
            read: { _ in SampleBoard.board([row]) },
            timeline: { _ in try await withCheckedThrowingContinuation { begin.yield($0) } })
        try await session.read()
        for key in [Key.down, .enter] { _ = await session.press(key) }
        var answers = begun.makeAsyncIterator()
        // The test awaits both at its end.
        let first = Task { try await session.perform(.readTimeline(row.id)) }
        let earlier = await answers.next()
        let second = Task { try await session.perform(.readTimeline(row.id)) }
        let later = await answers.next()
        later?.resume(returning: ["picked up"])
        try await second.value
        earlier?.resume(returning: ["placed"])
        try await first.value
        #expect(await session.state.page == .timeline(row.id, lines: ["picked up"], first: 0))
    }
}
