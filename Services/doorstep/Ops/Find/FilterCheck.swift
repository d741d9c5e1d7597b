import CommandOutput
import DoorstepAPI
import OrderDomain
import StackClient

/// Refuses an unknown store or courier of a filter, which would read as one without deliveries.
///
/// A command checks the filter of an empty list, and of one that it follows.
struct FilterCheck: Sendable {
    let store: String?
    var courier: String?

    /// - Throws: `CommandFailure` of kind not found, with similar ones, for a store that no order is of, and for a
    ///   courier never enrolled or assigned.
    func callAsFunction() async throws {
        do {
            if let store { try await Self.check(store: store) }
            if let courier = courier.flatMap({ CourierID(rawValue: $0) }) { try await Self.check(courier: courier) }
        } catch let failure as CommandFailure where failure.kind == .unavailable {
            // The list itself needs no check, and fails where `orders` does not answer.
        }
    }

    private static func check(store: String) async throws {
        let client = try PeerClient(.orders, as: .operator)
        let orders: OrdersBody = try await client.get("/v1/orders", query: [("store", store), ("limit", "1")])
        guard orders.orders.isEmpty else { return }
        let live: BoardBody = try await client.get("/v1/deliveries", query: [("limit", "\(BoardQuery.pageMax)")])
        throw BoardQuery.refusal(ofStore: store, among: live.deliveries)
    }

    private static func check(courier: CourierID) async throws {
        let directory = CourierDirectory(client: try PeerClient(.courierETA, as: .operator))
        guard try await directory.courier(courier) == nil else { return }
        let known = try await directory.all()
        throw CommandFailure(.notFound, UnknownCourier(courier, among: known).description.safeOnTerminal)
    }
}
