import CommandOutput
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import OrderDomain

/// One person at the board: holds the state, reads the list, and makes the requested changes.
///
/// It has no loops of its own; `BoardRun` calls it from a clock and a keyboard.
actor BoardSession {
    struct Actions: Sendable {
        let read: @Sendable (BoardQuery) async throws -> BoardBody
        /// The merged timeline of a delivery, as lines.
        let timeline: @Sendable (DeliveryID) async throws -> [String]
        /// The statuses that are possible now.
        let allowed: @Sendable (DeliveryID) async throws -> [StatusCode]
        /// Throws, with the reason, where an unknown courier must not be assigned.
        let checkCourier: @Sendable (CourierID) async throws -> Void
        /// Makes a change and returns the delivery after it.
        let change: @Sendable (BoardChange) async throws -> DeliveryBody
        /// The trip that results from a move.
        let planMove: @Sendable (BoardMove) async throws -> TripPreviewBody
        /// Makes one change of a move, with its reason, and returns the delivery after it.
        let move: @Sendable (PlannedMove, String) async throws -> DeliveryBody
    }

    private(set) var state: BoardState
    private var lists = ReadOrder()
    private var timelines = ReadOrder()
    private let clock: DomainClock
    private let actions: Actions
    private let show: @Sendable (BoardState) -> Void
    /// Wall time since the session began.
    private let elapsed: @Sendable () -> Duration

    init(
        _ query: BoardQuery, clock: DomainClock, actions: Actions,
        elapsed: @escaping @Sendable () -> Duration = TrackSession.wallTimeFromNow(),
        show: @escaping @Sendable (BoardState) -> Void
    ) {
        state = BoardState(query: query, now: clock.now)
        self.clock = clock
        self.actions = actions
        self.elapsed = elapsed
        self.show = show
    }

    /// Advances the clock.
    func tick() {
        state.tick(clock.now, at: elapsed())
        show(state)
    }

    /// Reads the list again, and the shown timeline.
    ///
    /// - Throws: `CommandFailure` where another read would not help, such as for an invalid token.
    func read() async throws {
        let query = state.query
        let read = lists.begin()
        do {
            let board = try await actions.read(query)
            // The answer to former filters would show unrequested deliveries.
            if query == state.query, lists.show(read) { state.show(board, at: clock.now) }
        } catch let failure as CommandFailure {
            switch failure.kind {
            case .unavailable: if lists.show(read) { state.fail(failure.message, at: clock.now) }
            case .usage where state.board != nil: state.notice = failure.message
            case .usage, .notFound, .notAllowed, .conflict, .interrupted: throw failure
            }
        }
        show(state)
        if case .timeline(let delivery, _, _) = state.page { await readTimeline(of: delivery) }
    }

    /// Handles a key; the caller performs the returned effect by ``perform(_:)``.
    func press(_ key: Key) -> BoardEffect {
        let effect = state.press(key, at: elapsed())
        show(state)
        return effect
    }

    func perform(_ effect: BoardEffect) async throws {
        switch effect {
        case .nothing, .leave, .interrupt: break
        case .read: try await read()
        case .readTimeline(let delivery): await readTimeline(of: delivery)
        case .readAllowed(let row):
            await reportingFailures {
                let allowed = try await actions.allowed(row.id)
                state.askForStatus(of: row, allowed: allowed)
            }
        case .checkCourier(let courier):
            await reportingFailures {
                do { try await actions.checkCourier(courier) } catch {
                    state.withdraw(asking: courier)
                    throw error
                }
            }
        case .change(let change):
            await reportingFailures { try await make(change) }
            state.changesLeft -= 1
            try await read()
        case .planMove(let move):
            await reportingFailures {
                let trip = try await actions.planMove(move)
                state.askToMove(move, trip: trip)
            }
        case .move(let move, let trip):
            await make(PlannedMove.moves(of: trip), reason: move.reason)
            state.changesLeft -= 1
            try await read()
        case .undoMove(let moves):
            await make(moves, reason: "undo")
            state.changesLeft -= 1
            try await read()
        }
        show(state)
    }

    private func readTimeline(of delivery: DeliveryID) async {
        let read = timelines.begin()
        let lines: [String]
        do { lines = try await actions.timeline(delivery) } catch { lines = ["\(error)"] }
        if timelines.show(read) { state.show(lines, of: delivery) }
        show(state)
    }

    private func make(_ change: BoardChange) async throws {
        // The check at the prompt may have failed after the last answer, or not have come back.
        if case .assign(let courier) = change.kind, !state.rows.contains(where: { $0.courier == courier }) {
            try await actions.checkCourier(courier)
        }
        let body = try await actions.change(change)
        state.notice = "\(change.row.orderText): \(change.words), now \(body.status.text), version \(body.version)"
    }

    /// Makes the changes of a move, each by itself, and keeps the way back, once all are made.
    private func make(_ moves: [PlannedMove], reason: String) async {
        state.undo = []
        var undo: [PlannedMove] = []
        var failures: [String] = []
        for move in moves {
            do {
                let body = try await actions.move(move, reason)
                undo.append(move.undone(at: body.version))
            } catch {
                let row = state.rows.first { $0.id == move.delivery }
                failures.append("\(row?.orderText ?? move.delivery.rawValue): \(error)")
            }
        }
        state.undo = undo
        let made = "\(undo.count) of \(moves.count) done" + (undo.isEmpty ? "" : ", z undoes it")
        state.notice = ([made] + failures).joined(separator: "; ")
    }

    private func reportingFailures(_ body: () async throws -> Void) async {
        do { try await body() } catch { state.notice = "\(error)" }
    }
}

/// The order of concurrent reads of one page, so that the answer to an earlier read replaces no later one.
private struct ReadOrder {
    private var begun = 0
    private var shown = 0

    mutating func begin() -> Int {
        begun += 1
        return begun
    }

    /// Whether a read began after the one that is shown; it is then the shown one.
    mutating func show(_ read: Int) -> Bool {
        guard read > shown else { return false }
        shown = read
        return true
    }
}
