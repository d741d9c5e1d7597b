import DomainTime
import DoorstepAPI
import Foundation
import PostgresClient
import Synchronization

/// Shows the board after a filter; `orders` makes a search, among ended deliveries too.
final class ShowBoard: Sendable {
    /// Searches that are kept, so that browsers with the same one share it.
    private static let searchesMax = 50
    /// Wall time after which a search is made again where the board has changed since.
    private static let searchInterval = Duration.seconds(2)

    private struct Search {
        let entries: [Board.Entry]
        let revision: Int
        let at: ContinuousClock.Instant
    }

    private let board: LiveBoard
    private let services: ServiceClient
    private let pool: PostgresPool
    private let clock: DomainClock
    private let searches = Mutex<[String: Search]>([:])

    init(board: LiveBoard, services: ServiceClient, pool: PostgresPool, clock: DomainClock) {
        self.board = board
        self.services = services
        self.pool = pool
        self.clock = clock
    }

    /// - Throws: where a search is not answered.
    func callAsFunction(_ filter: BoardFilter) async throws -> BoardView {
        guard let term = filter.search else { return board.view(filter, found: nil) }
        return board.view(filter, found: try await search(term))
    }

    private func search(_ term: String) async throws -> [Board.Entry] {
        let revision = board.revision
        if let kept = searches.withLock({ $0[term] }),
            kept.revision == revision || ContinuousClock.now - kept.at < Self.searchInterval
        {
            return kept.entries
        }
        let encoded = term.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let body = try await services.board("search=\(encoded)")
        let triage = try await TriageRepository.triage(of: body.deliveries.map(\.id), on: pool)
        let entries = body.deliveries.map { row in
            let triage = triage[row.id] ?? .none
            let now = clock.now
            return Board.Entry(
                row: row, triage: triage, lane: Lane(row, triage, at: now), revision: revision,
                isSnoozed: triage.isSnoozed(at: now))
        }
        searches.withLock { searches in
            if searches.count >= Self.searchesMax { searches.removeAll() }
            searches[term] = Search(entries: entries, revision: revision, at: .now)
        }
        return entries
    }
}
