import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import StackClient
import WireCoding

/// Reads the board page by page.
struct BoardPages {
    private let query: BoardQuery
    private let client: PeerClient
    private let clock: DomainClock

    init(_ query: BoardQuery) async throws {
        self.query = query
        client = try PeerClient(.orders, as: .operator)
        clock = try await Stack().clock()
    }

    /// The bytes of one page, as the service answers them.
    func page() async throws -> Data {
        let (data, _) = try await client.exchange(.GET, "/v1/deliveries", query: query.items, body: NoBody?.none)
        // An answer that this version cannot read is printed all the same.
        if let board = try? WireJSON.decode(BoardBody.self, from: data), board.deliveries.isEmpty {
            try await query.check()
        }
        return data
    }

    /// The list as text: every page, or one with the cursor of the next.
    func text(isWhole: Bool = true) async throws -> String {
        var board: BoardBody = try await client.get("/v1/deliveries", query: query.items)
        var query = query
        while isWhole, let next = board.next {
            query.cursor = next
            let page: BoardBody = try await client.get("/v1/deliveries", query: query.items)
            board = BoardBody(counts: board.counts, deliveries: board.deliveries + page.deliveries, next: page.next)
        }
        if board.deliveries.isEmpty { try await query.check() }
        return board.text(restrictions: query.words, now: clock.now, columnsMax: TerminalSize.ofOutput()?.columns)
    }
}
