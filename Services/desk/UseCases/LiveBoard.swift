import DeliveryDiagnosis
import DoorstepAPI
import FlowControl
import Foundation
import OrderDomain
import ServiceRuntime
import Synchronization
import TimePresentation

/// The board of everything live in memory, for all browsers of this process.
///
/// It collects changed deliveries, which ``BoardReader`` reads again. While no browser has a page, nothing is read: the
/// first page, and those that are requested before it is answered, wait for the pending reading.
final class LiveBoard: Sendable {
    /// Pending deliveries above which everything is read instead.
    static let changesMax = 1_000
    /// Wall time after a request for a page in which the board counts as attended; it does too while a stream is open.
    static let attention = Duration.seconds(60)

    private struct State {
        var board: Board
        /// Raised whenever the board may be another.
        var revision = 0
        /// Domain time of the last whole reading; nil before the first.
        var readAt: Date?
        var pending = Pending(isWhole: true)
        /// The pages that wait for the running reading; nil while none runs.
        var waiters: [AsyncStream<Void>.Continuation]?
        var attendedAt = ContinuousClock.now
        var views: [BoardFilter: BoardView] = [:]
    }

    /// The deliveries to read, and the pages that wait for them.
    struct Pending {
        var ids: Set<DeliveryID> = []
        var isWhole = false
        var waiters: [AsyncStream<Void>.Continuation] = []

        fileprivate var isEmpty: Bool { ids.isEmpty && !isWhole }
    }

    let streams: PageStreams
    /// An element when there is something to read.
    let wakes: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation
    /// An element when the board is attended after it was not, and at the start.
    let attentions: AsyncStream<Void>
    private let attentionBegan: AsyncStream<Void>.Continuation
    private let state: Mutex<State>
    private let pageWaitMax: Duration

    /// - Parameters:
    ///   - asOf: domain time.
    ///   - pageWaitMax: the longest wait of a page for the pending reading, in wall time; then it shows the present board,
    ///     with its time.
    init(streams: PageStreams, asOf: Date, pageWaitMax: Duration = .seconds(2)) {
        self.streams = streams
        self.pageWaitMax = pageWaitMax
        state = Mutex(State(board: Board(asOf: asOf)))
        (wakes, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (attentions, attentionBegan) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        attentionBegan.yield()
    }

    // MARK: Waking

    /// Marks a delivery to be read again.
    func wake(_ delivery: DeliveryID) { wake([delivery]) }

    /// Marks deliveries to be read again.
    func wake(_ deliveries: [DeliveryID]) {
        guard !deliveries.isEmpty else { return }
        state.withLock { state in
            guard state.pending.ids.count + deliveries.count <= Self.changesMax else {
                return state.pending.isWhole = true
            }
            state.pending.ids.formUnion(deliveries)
        }
        wakeUp.yield()
    }

    /// Marks everything to be read again.
    func wakeAll() {
        state.withLock { $0.pending.isWhole = true }
        wakeUp.yield()
    }

    /// Records a request for a page; without a recent one, pending deliveries are read before this returns.
    func attend(at now: ContinuousClock.Instant = .now) async {
        let (isReading, waiter) = AsyncStream<Void>.makeStream()
        let needsReading = state.withLock { state in
            let wasAttended = isAttended(since: state.attendedAt, at: now)
            state.attendedAt = max(state.attendedAt, now)
            if !wasAttended { attentionBegan.yield() }
            // A page that is requested while another waits, or during the first reading, waits for the same reading.
            if !wasAttended || !state.pending.waiters.isEmpty, !state.pending.isEmpty {
                state.pending.waiters.append(waiter)
            } else if let waiters = state.waiters, !waiters.isEmpty || state.readAt == nil {
                state.waiters = waiters + [waiter]
            } else {
                return false
            }
            return true
        }
        guard needsReading else { return }
        wakeUp.yield()
        // A browser that has left waits no longer.
        _ = try? await withTimeLimit(pageWaitMax) { for await _ in isReading {} }
    }

    /// Whether a browser has a page.
    func isAttended(at now: ContinuousClock.Instant) -> Bool {
        state.withLock { isAttended(since: $0.attendedAt, at: now) }
    }

    private func isAttended(since attendedAt: ContinuousClock.Instant, at now: ContinuousClock.Instant) -> Bool {
        now - attendedAt < Self.attention || streams.count > 0
    }

    // MARK: Changing

    /// Empties the pending deliveries, and returns them; ``readingEnded()`` ends the wait of pages for them.
    func drainPending() -> Pending {
        state.withLock { state in
            defer { state.pending = Pending() }
            state.waiters = state.pending.waiters
            return state.pending
        }
    }

    /// Ends the wait of pages for the running reading, which has succeeded or failed.
    func readingEnded() {
        let waiters = state.withLock { $0.waiters.take() }
        for waiter in waiters ?? [] { waiter.finish() }
    }

    /// Merges the answer of a complete read; missing deliveries are over, unless they arrived since.
    ///
    /// - Parameters:
    ///   - begun: the revision before the triage was read.
    ///   - now: domain time.
    func mergeAll(_ rows: [BoardBody.Row], triage: [DeliveryID: Triage], readSince begun: Int, at now: Date) {
        state.withLock { state in
            let asked = Set(state.board.entries.keys).union(rows.map(\.id))
            state.revision += 1
            state.board.merge(
                rows, of: asked, triage: triage, readSince: begun, asOf: now, revision: state.revision)
            state.readAt = now
        }
    }

    /// Merges the answer to a question for some deliveries.
    ///
    /// - Parameter triage: of deliveries that the board does not have yet.
    func merge(_ rows: [BoardBody.Row], of asked: [DeliveryID], triage: [DeliveryID: Triage] = [:], at now: Date) {
        state.withLock { state in
            state.revision += 1
            state.board.merge(rows, of: asked, triage: triage, asOf: now, revision: state.revision)
        }
    }

    /// Marks everything to be read again after a reading that failed; pages show which part is old.
    func readingFailed() {
        state.withLock { state in
            state.revision += 1
            state.pending.isWhole = true
        }
    }

    /// Merges this process's triage of a delivery.
    func set(_ triage: Triage, of delivery: DeliveryID) {
        state.withLock { state in
            state.revision += 1
            state.board.set(triage, of: delivery, revision: state.revision)
        }
        streams.notify([delivery])
    }

    // MARK: Showing

    /// Raised whenever the board may be another.
    var revision: Int { state.withLock(\.revision) }

    /// The board after a filter; the same for all readers between two changes.
    ///
    /// - Parameter found: the results of the filter's search, of which live ones are shown as the board has them; nil
    ///   for a filter without one.
    func view(_ filter: BoardFilter, found: [Board.Entry]?) -> BoardView {
        state.withLock { state in
            if found == nil, let kept = state.views[filter], kept.revision == state.revision { return kept }
            // At the view's revision: a page is sent no change of a revision that it has already.
            let results = found.map { state.board.latest($0) }
            let view = BoardView(
                revision: state.revision, changedAt: found == nil ? state.board.changedAt : state.revision,
                asOf: state.board.asOf, readAt: state.readAt,
                lanes: state.board.lanes(filter, found: results), counts: state.board.counts(filter, found: results),
                timeZone: StoreTimes(state.board.entries.values.map(\.row), now: state.board.asOf).timeZone)
            // Views of a former revision are obsolete.
            state.views = state.views.filter { $0.value.revision == state.revision }
            state.views[filter] = view
            return view
        }
    }

    /// The time zone of the stores with most deliveries, for times of no delivery.
    var timeZone: TimeZone { view(.all, found: nil).timeZone }

    /// A live delivery's entry.
    func entry(of delivery: DeliveryID) -> Board.Entry? { state.withLock { $0.board.entries[delivery] } }

    /// Every live delivery.
    var entries: [Board.Entry] { state.withLock { Array($0.board.entries.values) } }
}
