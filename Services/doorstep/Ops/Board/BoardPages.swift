import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import StackClient

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
        try await client.exchange(.GET, "/v1/deliveries", query: query.items, body: NoBody?.none).0
    }

    /// - Throws: `CommandFailure` of kind not found for a store without an order, with the stores of live deliveries.
    private func checkStore(_ store: String) async throws {
        let orders: OrdersBody = try await client.get("/v1/orders", query: [("store", store), ("limit", "1")])
        guard orders.orders.isEmpty else { return }
        let live: BoardBody = try await client.get("/v1/deliveries", query: [("limit", "\(BoardQuery.pageMax)")])
        throw BoardQuery.refusal(ofStore: store, among: live.deliveries)
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
        if board.deliveries.isEmpty, let store = query.store { try await checkStore(store) }
        return board.text(restrictions: query.words, now: clock.now, columnsMax: TerminalSize.ofOutput()?.columns)
    }
}
