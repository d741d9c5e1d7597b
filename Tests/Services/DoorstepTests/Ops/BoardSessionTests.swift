import CommandOutput
import DeliveryDiagnosis
import DeliverySamples
import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import Synchronization
import Testing

@testable import Doorstep

@Suite("A session at the board")
struct BoardSessionTests {
    /// Services that answer as a test says, and what they were asked for.
    private final class Services: Sendable {
        struct State {
            var board = SampleBoard.board([])
            var failure: CommandFailure?
            var enrolled: Set<String> = []
            var changes: [BoardChange] = []
            var queries: [BoardQuery] = []
            var moves: [PlannedMove] = []
            /// A key that is pressed while a change of a move is made.
            var pressed: (@Sendable () async -> BoardEffect)?
            /// The effects of that key.
            var effects: [BoardEffect] = []
            /// Runs before a change of one delivery is made, with its reason.
            var changing: (@Sendable (String) async -> Void)?
        }

        let state = Mutex(State())

        var actions: BoardSession.Actions {
            .init(
                read: { query in
                    try self.state.withLock { state in
                        state.queries.append(query)
                        if let failure = state.failure { throw failure }
                        return state.board
                    }
                },
                timeline: { ["the timeline of \($0)"] },
                allowed: { _ in [.arriving] },
                checkCourier: { courier in
                    guard self.state.withLock({ $0.enrolled.contains(courier.rawValue) }) else {
                        throw CommandFailure(.notFound, "Nobody enrolled \(courier).")
                    }
                },
                change: { change in
                    let changing = self.state.withLock { $0.changing }
                    await changing?(change.reason)
                    return try self.state.withLock { state in
                        state.changes.append(change)
                        if let failure = state.failure { throw failure }
                        return SampleDeliveries.delivery(SampleDeliveries.toEnRoute)
                    }
                },
                planMove: { move in Self.trip(of: move) },
                move: { move, _ in
                    let pressed = self.state.withLock { state in
                        state.moves.append(move)
                        return state.pressed
                    }
                    if let effect = await pressed?() { self.state.withLock { $0.effects.append(effect) } }
                    return SampleDeliveries.delivery(SampleDeliveries.toEnRoute)
                })
        }

        /// The added deliveries in the order of the move, behind one own stop.
        private static func trip(of move: BoardMove) -> TripPreviewBody {
            let stops = move.deliveries.enumerated().map { index, delivery in
                TripPreviewBody.Stop(
                    delivery: delivery, reference: "A-\(index)", bag: Bag(number: 1, count: 1), version: 4,
                    stopsBefore: index + 1, formerStopsBefore: 0, isAdded: true,
                    formerCourier: CourierID(rawValue: "mira"), fetchedFrom: nil,
                    promiseEnd: SampleBoard.now, timeZone: "UTC", estimate: nil, formerEstimate: nil, isLate: true,
                    wasLate: false)
            }
            return TripPreviewBody(courier: move.courier, asOf: SampleBoard.now, stops: stops)
        }

        func session(show: @escaping @Sendable (BoardState) -> Void = { _ in }) -> BoardSession {
            BoardSession(
                BoardQuery(limit: 100), clock: ManualClock(SampleBoard.now).domain, actions: actions,
                elapsed: { .zero }, show: show)
        }
    }

    private let services = Services()

    /// Presses keys and carries out what comes of them.
    private func press(_ keys: [Key], _ session: BoardSession) async throws {
        for key in keys { try await session.perform(await session.press(key)) }
    }

    private func keys(_ text: String) -> [Key] { text.map { Key.character($0) } + [.enter] }

    @Test("A change is made once, of the version that was seen, and the list is read anew")
    func change() async throws {
        let row = try SampleBoard.row(reference: "A-7", courier: "mira")
        services.state.withLock { $0.board = SampleBoard.board([row]) }
        let session = services.session()
        try await session.read()
        try await press([.down, .character("a")] + keys("mira") + keys("nearer"), session)
        let (changes, queries) = services.state.withLock { ($0.changes, $0.queries) }
        #expect(changes.map(\.row.version) == [4] && changes.map(\.reason) == ["nearer"])
        #expect(queries.count == 2)
        #expect(await session.state.notice == "A-7: assigned to mira, now on the way, version 7")
    }

    @Test("A courier whom nobody enrolled and the list does not have is not assigned")
    func unknownCourier() async throws {
        services.state.withLock {
            $0.board = SampleBoard.board([try? SampleBoard.row()].compactMap(\.self))
            $0.enrolled = ["noor"]
        }
        let session = services.session()
        try await session.read()
        try await press([.down, .character("a")] + keys("typo1"), session)
        #expect(await session.state.prompt == nil, "no reason is asked for")
        #expect(services.state.withLock { $0.changes.isEmpty })
        #expect(await session.state.notice?.hasPrefix("Nobody enrolled typo1") == true)
        try await press([.character("a")] + keys("noor") + keys("nearer"), session)
        #expect(services.state.withLock { $0.changes.count } == 1)
    }

    @Test("A courier is not assigned by answers that were typed before the check came back")
    func typedAhead() async throws {
        services.state.withLock { $0.board = SampleBoard.board([try? SampleBoard.row()].compactMap(\.self)) }
        let session = services.session()
        try await session.read()
        var effects: [BoardEffect] = []
        for key in [.down, .character("a")] + keys("typo1") + keys("nearer") {
            effects.append(await session.press(key))
        }
        for effect in effects { try await session.perform(effect) }
        #expect(services.state.withLock { $0.changes.isEmpty })
        #expect(await session.state.notice?.hasPrefix("Nobody enrolled typo1") == true)
    }

    @Test("A refused change says why, and the board goes on")
    func refused() async throws {
        services.state.withLock { $0.board = SampleBoard.board([try? SampleBoard.row()].compactMap(\.self)) }
        let session = services.session()
        try await session.read()
        try await press([.down, .character("h")], session)
        services.state.withLock { $0.failure = CommandFailure(.unavailable, "The thing has changed since you read it") }
        try await press(keys("a reason"), session)
        let state = await session.state
        #expect(state.notice == "The thing has changed since you read it")
        #expect(state.failure != nil && state.rows.count == 1)
        services.state.withLock { $0.failure = nil }
        try await session.read()
        #expect(await session.state.failure == nil)
    }

    @Test("A token that is not good ends the session; a filter that is none is said and taken back by its key")
    func failures() async throws {
        let session = services.session()
        try await session.read()
        services.state.withLock { $0.failure = CommandFailure(.usage, "query search must be …") }
        try await session.read()
        #expect(await session.state.notice == "query search must be …")
        services.state.withLock { $0.failure = CommandFailure(.notAllowed, "A valid token is required") }
        await #expect(throws: CommandFailure.self) { try await session.read() }
    }

    @Test("A timeline is read when it is opened and with each list after that")
    func timeline() async throws {
        let row = try SampleBoard.row()
        services.state.withLock { $0.board = SampleBoard.board([row]) }
        let session = services.session()
        try await session.read()
        try await press([.down, .enter], session)
        #expect(await session.state.page == .timeline(row.id, lines: ["the timeline of \(row.id)"], first: 0))
        try await press([.escape], session)
        #expect(await session.state.page == .list)
    }

    @Test("All marked deliveries are moved after a preview that was agreed to, and one key takes the move back")
    func move() async throws {
        let rows = try ["A-7", "A-8"].map { try SampleBoard.row(reference: $0, courier: "mira") }
        services.state.withLock {
            $0.board = SampleBoard.board(rows)
            $0.enrolled = ["finn"]
        }
        let session = services.session()
        try await session.read()
        try await press([.down, .character("c"), .character("a")] + keys("fin"), session)
        #expect(await session.state.notice?.contains("Nobody enrolled fin") == true)
        let marked = await session.state.marked
        try await press([.character("a")] + keys("finn") + keys("flat"), session)
        let prompt = try #require(await session.state.prompt)
        #expect(prompt.question == .consentToMove)
        #expect(services.state.withLock { $0.moves.isEmpty })
        try await press(keys("yes"), session)
        let made = services.state.withLock { $0.moves }
        #expect(Set(made.map(\.delivery)) == marked && made.allSatisfy { $0.target.courier?.rawValue == "finn" })
        #expect(await session.state.marked.isEmpty)

        try await press([.character("z")], session)
        let undone = services.state.withLock { $0.moves.dropFirst(made.count) }
        #expect(undone.map(\.target) == made.map(\.former) && undone.map(\.delivery) == made.map(\.delivery))
    }

    @Test("A key that is pressed twice before the undo is made, or during it, moves nothing away again")
    func undoneTwice() async throws {
        let rows = try ["A-7", "A-8"].map { try SampleBoard.row(reference: $0, courier: "mira") }
        services.state.withLock { $0.board = SampleBoard.board(rows) }
        let session = services.session()
        services.state.withLock { $0.pressed = { await session.press(.character("z")) } }
        try await session.read()
        try await press([.down, .character("c"), .character("a")] + keys("mira") + keys("flat") + keys("yes"), session)
        #expect(services.state.withLock { $0.moves.count } == 2)
        #expect(await session.state.undo.count == 2)
        var effects: [BoardEffect] = []
        for _ in 0..<2 { effects.append(await session.press(.character("z"))) }
        #expect(await session.state.notice == "There is no move to undo.")
        for effect in effects { try await session.perform(effect) }
        #expect(services.state.withLock { $0.moves.count } == 4)
        #expect(services.state.withLock { $0.effects.count } == 4)
        for effect in services.state.withLock({ $0.effects }) {
            guard case .nothing = effect else {
                Issue.record("a key during a move had the effect \(effect)")
                continue
            }
        }
    }

    @Test(
        "A change that waits for another is made, however many reads keys ask for meanwhile", .timeLimit(.minutes(10)))
    func waitingChange() async throws {
        services.state.withLock { $0.board = SampleBoard.board([try? SampleBoard.row()].compactMap(\.self)) }
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let (begun, begin) = AsyncStream.makeStream(of: String.self)
        services.state.withLock {
            $0.changing = { reason in
                begin.yield(reason)
                // The first change waits until the test releases it.
                if reason == "first" { for await _ in released { break } }
            }
        }
        let (searching, search) = AsyncStream.makeStream(of: Void.self)
        let session = services.session { state in
            if state.prompt?.purpose == .search { search.yield() }
        }
        try await session.read()
        let (pressed, press) = AsyncStream.makeStream(of: Key.self)
        // The test awaits it at its end.
        let run = Task { try await BoardRun(session: session).run(keys: pressed) }
        for key in [.down, .character("h")] + keys("first") { press.yield(key) }
        var changes = begun.makeAsyncIterator()
        #expect(await changes.next() == "first")
        var more: [Key] = [.character("h")] + keys("second")
        more += Array(repeating: .character("l"), count: BoardRun.waitingReadsMax + 1)
        for key in more { press.yield(key) }
        press.yield(.character("/"))
        // The last key is pressed, and so the effects of those before it wait.
        for await _ in searching { break }
        release.yield()
        #expect(await changes.next() == "second")
        press.finish()
        await #expect(throws: CommandFailure.self) { try await run.value }
    }

    @Test("A question that comes late replaces no other that somebody is answering")
    func lateQuestions() async throws {
        let rows = try ["A-7", "A-8"].map { try SampleBoard.row(reference: $0, courier: "mira") }
        services.state.withLock { $0.board = SampleBoard.board(rows) }
        let session = services.session()
        try await session.read()
        /// Presses keys, and performs the effect of the last one while a reason to hold is half written.
        func late(_ keys: [Key]) async throws -> BoardState {
            var effect = BoardEffect.nothing
            for key in keys { effect = await session.press(key) }
            for key in [.character("h")] + "wet".map({ Key.character($0) }) { _ = await session.press(key) }
            try await session.perform(effect)
            return await session.state
        }
        let moved = try await late([.down, .character("c"), .character("a")] + keys("mira") + keys("flat"))
        #expect(moved.prompt?.purpose == .hold && moved.prompt?.text == "wet")
        #expect(moved.notice == "Nothing was moved to mira: press a again.")
        _ = await session.press(.escape)
        let allowed = try await late([.character("s")])
        #expect(allowed.prompt?.purpose == .hold && allowed.prompt?.text == "wet")
        #expect(allowed.notice == "A-7: press s again for its status.")
        _ = await session.press(.escape)
        _ = await session.press(.escape)
        _ = await session.press(.down)
        let unknown = try await lateCheck(session)
        #expect(unknown.prompt?.purpose == .hold && unknown.prompt?.text == "wet")
        #expect(unknown.notice?.hasPrefix("Nobody enrolled typo1") == true)
    }

    /// Assigns an unknown courier, withdraws it, and receives the result of the check while a reason to hold is written.
    private func lateCheck(_ session: BoardSession) async throws -> BoardState {
        var check = BoardEffect.nothing
        for key in [.character("a")] + keys("typo1") { check = await session.press(key) }
        for key in [.escape, .character("h")] + "wet".map({ Key.character($0) }) { _ = await session.press(key) }
        try await session.perform(check)
        return await session.state
    }

    @Test("A board with changes that wait or are being made is left by a second key")
    func leaving() async throws {
        services.state.withLock { $0.board = SampleBoard.board([try? SampleBoard.row()].compactMap(\.self)) }
        let session = services.session()
        try await session.read()
        func isLeft() async -> Bool {
            if case .leave = await session.press(.character("q")) { true } else { false }
        }
        var change = BoardEffect.nothing
        for key in [.down, .character("h")] + keys("storm") { change = await session.press(key) }
        #expect(await !isLeft())
        #expect(await session.state.notice == "A change is being made; press q again to leave.")
        #expect(await isLeft())
        _ = await session.press(.up)
        #expect(await !isLeft(), "another key came between")
        try await session.perform(change)
        #expect(await isLeft())
    }
}
