import BackgroundWork
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import Logging
import OrderDomain
import PostgresClient
import ServiceLifecycle
import Synchronization

/// Keeps the board of everything live in memory, for all browsers of this process: one reader, however many look on.
///
/// What woke it is read again by id, a quarter of a second later and all at once; everything every 15 seconds, since time
/// alone makes a delivery late, and when there is a connection to the broker again. While nobody has a page, nothing is
/// read: the first page has what waits read before it is shown.
final class BoardReader: Service {
    /// What comes within it is read together.
    static let coalescing = Duration.milliseconds(250)
    static let rereadInterval = Duration.seconds(15)
    /// Deliveries in one question, as many as `orders` answers in a page.
    static let pageRows = 100
    /// More changes at once than these have everything read again.
    static let changesMax = 1_000
    /// So long after a page was asked for, and while a stream is open, somebody counts as having a page.
    static let attention = Duration.seconds(60)
    /// How long a page waits for what is read for it; then it shows what there is, with its time.
    static let firstReadingTimeout = Duration.seconds(2)

    /// As whom the desk reads for everybody: it decides nothing.
    static let reader = DeskUser(subject: "desk", role: .viewer)

    private struct State {
        var board: Board
        /// Raised whenever the board may be another.
        var revision = 0
        /// Domain time of the last whole reading; nil before the first.
        var readAt: Date?
        var pending: Set<DeliveryID> = []
        var isWholePending = true
        var attendedAt = ContinuousClock.now
        /// Pages that wait for the next reading.
        var waiters: [AsyncStream<Void>.Continuation] = []
        var views: [BoardFilter: BoardView] = [:]
        var searches: [String: Search] = [:]
    }

    /// What a search found, and when it was asked.
    private struct Search {
        let entries: [Board.Entry]
        let revision: Int
        let at: ContinuousClock.Instant
    }

    /// Searches that are kept, so that browsers with the same one share it.
    private static let searchesMax = 50
    /// A search is asked again when something has changed since, and so long after the last time.
    private static let searchInterval = Duration.seconds(2)

    let hub: StreamRegistry
    private let services: ServiceClient
    private let pool: PostgresPool
    private let clock: DomainClock
    private let logger: Logger
    private let state: Mutex<State>
    private let wakes: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    init(services: ServiceClient, pool: PostgresPool, hub: StreamRegistry, clock: DomainClock, logger: Logger) {
        self.services = services
        self.pool = pool
        self.hub = hub
        self.clock = clock
        self.logger = logger
        state = Mutex(State(board: Board(asOf: clock.now)))
        (wakes, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Has a delivery read again.
    func wake(_ delivery: DeliveryID) {
        state.withLock { state in
            guard state.pending.count < Self.changesMax else { return state.isWholePending = true }
            state.pending.insert(delivery)
        }
        wakeUp.yield()
    }

    /// Has everything read again.
    func wakeAll() {
        state.withLock { $0.isWholePending = true }
        wakeUp.yield()
    }

    /// Takes in what this process has kept of a delivery.
    func set(_ triage: Triage, of delivery: DeliveryID) {
        state.withLock { state in
            state.revision += 1
            state.board.set(triage, of: delivery, revision: state.revision)
        }
        hub.notify([delivery])
    }

    // MARK: Who has a page

    /// Notes that somebody asks for a page; where nobody did lately, what waits is read before this returns.
    func attend(at now: ContinuousClock.Instant = .now) async {
        let (isReading, waiter) = AsyncStream<Void>.makeStream()
        let needsReading = state.withLock { state in
            let wasAttended = isAttended(since: state.attendedAt, at: now)
            state.attendedAt = max(state.attendedAt, now)
            // Who asks while another waits, waits for the same reading.
            guard !wasAttended || !state.waiters.isEmpty, state.isWholePending || !state.pending.isEmpty else {
                return false
            }
            state.waiters.append(waiter)
            return true
        }
        guard needsReading else { return }
        wakeUp.yield()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in isReading {} }
            group.addTask { try? await Task.sleep(for: Self.firstReadingTimeout) }
            await group.next()
            group.cancelAll()
        }
    }

    private func isAttended(since attendedAt: ContinuousClock.Instant, at now: ContinuousClock.Instant) -> Bool {
        now - attendedAt < Self.attention || hub.count > 0
    }

    /// Reads what is pending where somebody has a page.
    func readIfAttended(at now: ContinuousClock.Instant = .now) async {
        guard state.withLock({ isAttended(since: $0.attendedAt, at: now) }) else { return }
        await read()
    }

    // MARK: What browsers are shown

    /// The board as a filter leaves it; the same for all who ask between two changes.
    func view(_ filter: BoardFilter) async throws -> BoardView {
        if let kept = state.withLock({ state in
            state.views[filter].flatMap { $0.revision == state.revision && filter.search == nil ? $0 : nil }
        }) {
            return kept
        }
        let found: [Board.Entry]?
        if let term = filter.search { found = try await search(term) } else { found = nil }
        return state.withLock { state in
            let view = BoardView(
                revision: state.revision, asOf: state.board.asOf, readAt: state.readAt,
                lanes: state.board.lanes(filter, found: found), counts: state.board.counts(filter, found: found),
                stores: state.board.stores)
            // Of filters that nobody has now, none is kept.
            state.views = state.views.filter { $0.value.revision == state.revision }
            state.views[filter] = view
            return view
        }
    }

    /// What is known of a delivery that is live.
    func entry(of delivery: DeliveryID) -> Board.Entry? { state.withLock { $0.board.entries[delivery] } }

    /// Every live delivery.
    var entries: [Board.Entry] { state.withLock { Array($0.board.entries.values) } }

    private func search(_ term: String) async throws -> [Board.Entry] {
        let (kept, revision) = state.withLock { ($0.searches[term], $0.revision) }
        if let kept, kept.revision == revision || ContinuousClock.now - kept.at < Self.searchInterval {
            return kept.entries
        }
        let encoded = term.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let body: BoardBody = try await services.get(
            .orders, "/v1/deliveries?search=\(encoded)&limit=\(Self.pageRows)", for: Self.reader)
        let triage = try await TriageRepository.triage(of: body.deliveries.map(\.id), on: pool)
        let entries = body.deliveries.map { row in
            let triage = triage[row.id] ?? .none
            return Board.Entry(row: row, triage: triage, lane: Lane(row, triage, at: clock.now), revision: revision)
        }
        state.withLock { state in
            if state.searches.count >= Self.searchesMax { state.searches.removeAll() }
            state.searches[term] = Search(entries: entries, revision: revision, at: .now)
        }
        return entries
    }

    // MARK: Reading

    /// Reads until graceful shutdown; never fails because of an outage.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !Task.isCancelled {
                        try? await Task.sleep(for: Self.rereadInterval)
                        self.wakeAll()
                    }
                }
                group.addTask {
                    self.wakeUp.yield()
                    for await _ in self.wakes {
                        await self.readIfAttended()
                        try? await Task.sleep(for: Self.coalescing)
                    }
                }
            }
        }
    }

    /// Reads what is pending, and wakes whoever shows it.
    func read() async {
        let (ids, isWhole, waiters) = state.withLock { state in
            defer { (state.pending, state.isWholePending, state.waiters) = ([], false, []) }
            return (state.pending, state.isWholePending, state.waiters)
        }
        defer { for waiter in waiters { waiter.finish() } }
        do {
            if isWhole {
                try await readAll()
                hub.notifyAll()
            } else if !ids.isEmpty {
                try await read(ids)
                hub.notify(ids)
            }
        } catch {
            logger.debug("The board could not be read", metadata: ["reason": "\(error)"])
            state.withLock { state in
                state.revision += 1
                state.isWholePending = true
            }
            // Pages say which part is old.
            hub.notifyAll()
        }
    }

    private func readAll() async throws {
        var rows: [BoardBody.Row] = []
        var cursor: String?
        repeat {
            let query = cursor.map { "&cursor=\($0)" } ?? ""
            let page: BoardBody = try await services.get(
                .orders, "/v1/deliveries?limit=\(Self.pageRows)\(query)", for: Self.reader)
            rows += page.deliveries
            cursor = page.next
        } while cursor != nil
        let triage = try await TriageRepository.triage(of: rows.map(\.id), on: pool)
        let now = clock.now
        state.withLock { state in
            let former = Set(state.board.entries.keys)
            state.revision += 1
            // What was not read is over, unless it has come since.
            state.board.merge(
                rows, of: former.union(rows.map(\.id)), triage: triage, asOf: now, revision: state.revision)
            state.readAt = now
        }
    }

    private func read(_ ids: Set<DeliveryID>) async throws {
        let all = ids.map(\.self)
        for start in stride(from: 0, to: all.count, by: Self.pageRows) {
            let part = Array(all[start..<min(start + Self.pageRows, all.count)])
            let query = part.map(\.rawValue).joined(separator: ",")
            let page: BoardBody = try await services.get(
                .orders, "/v1/deliveries?limit=\(Self.pageRows)&ids=\(query)", for: Self.reader)
            let now = clock.now
            state.withLock { state in
                state.revision += 1
                state.board.merge(page.deliveries, of: part, triage: [:], asOf: now, revision: state.revision)
            }
        }
    }
}

/// The board as a filter leaves it, at one revision.
struct BoardView: Sendable {
    let revision: Int
    /// Domain time.
    let asOf: Date
    /// Domain time of the last whole reading; nil before the first.
    let readAt: Date?
    let lanes: [Board.LaneView]
    let counts: [Lane: Int]
    let stores: [String]
}
