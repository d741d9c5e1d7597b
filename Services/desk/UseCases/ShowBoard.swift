import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import Synchronization

/// Shows the board after a filter; `orders` makes a search, among ended deliveries too.
final class ShowBoard: Sendable {
    /// Searches that are kept, so that browsers with the same one share it.
    private static let searchesMax = 50
    /// Wall time after which a search is made again where the board has changed since.
    private static let searchInterval = Duration.seconds(2)
    /// The same for the events of a page that is shown: a search has up to five pages, and a busy board changes all the
    /// time.
    ///
    /// Meanwhile live results change with the board.
    private static let streamedSearchInterval = Duration.seconds(10)

    /// The search that `orders` is asked for.
    private struct Question: Hashable {
        let term: String
        /// Nil for any; an id that no store can have is left to the filter, since `orders` refuses it.
        let store: StoreID?
        let courier: CourierID?

        init(_ filter: BoardFilter, term: String) {
            self.term = term
            store = filter.store.flatMap { StoreID(rawValue: $0) }
            courier = filter.courier.flatMap { CourierID(rawValue: $0) }
        }

        /// The query of `GET /v1/deliveries` without its question mark.
        var query: String {
            String(
                URLQuery.text([("search", term), ("store", store?.rawValue), ("courier", courier?.rawValue)])
                    .dropFirst())
        }
    }

    private struct Search {
        let entries: [Board.Entry]
        /// Whether more are found than are read.
        let hasMore: Bool
        let revision: Int
        let at: ContinuousClock.Instant
    }

    private let board: LiveBoard
    private let services: ServiceClient
    private let pool: PostgresPool
    private let clock: DomainClock
    private let now: @Sendable () -> ContinuousClock.Instant
    private let searches = Mutex<[Question: Search]>([:])

    init(
        board: LiveBoard, services: ServiceClient, pool: PostgresPool, clock: DomainClock,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.board = board
        self.services = services
        self.pool = pool
        self.clock = clock
        self.now = now
    }

    /// - Parameter isStreamed: whether it is for an event of a page that is shown.
    /// - Throws: where a search is not answered.
    func callAsFunction(_ filter: BoardFilter, isStreamed: Bool = false) async throws -> BoardView {
        guard let term = filter.search else { return board.view(filter, found: nil) }
        let found = try await search(
            Question(filter, term: term),
            keptFor: isStreamed ? Self.streamedSearchInterval : Self.searchInterval)
        var view = board.view(filter, found: found.entries)
        view.foundHasMore = found.hasMore
        return view
    }

    private func search(_ question: Question, keptFor interval: Duration) async throws -> Search {
        let revision = board.revision
        if let kept = searches.withLock({ $0[question] }),
            kept.revision == revision || now() - kept.at < interval
        {
            return kept
        }
        var rows: [DeliveryID: BoardBody.Row] = [:]
        var cursor: String?
        for _ in 0..<(BoardView.foundMax / ServiceClient.boardPageRows) {
            let page = try await services.board(question.query + (cursor.map { "&cursor=\($0)" } ?? ""))
            // A row that becomes less urgent between two pages is on both.
            for row in page.deliveries { rows[row.id] = row }
            cursor = page.next
            guard cursor != nil else { break }
        }
        let triage = try await TriageRepository.triage(of: Array(rows.keys), on: pool)
        let entries = rows.values.map { row in
            let triage = triage[row.id] ?? .none
            let now = clock.now
            return Board.Entry(
                row: row, triage: triage, lane: Lane(row, triage, at: now), revision: revision,
                isSnoozed: triage.isSnoozed(at: now))
        }
        let search = Search(entries: entries, hasMore: cursor != nil, revision: revision, at: now())
        searches.withLock { searches in
            if searches.count >= Self.searchesMax { searches.removeAll() }
            searches[question] = search
        }
        return search
    }
}
