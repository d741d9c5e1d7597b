import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient
import TimePresentation

/// One order with its deliveries.
struct OrderShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Print one order, with deliveries.")

    @Argument(help: "The order's reference, or its id, or the beginning of one.")
    var order: String
    @OptionGroup var output: OutputOptions

    func validate() throws { try refuseEmpty([("the order", order)]) }

    func run() async throws {
        let client = try PeerClient(.orders, as: .store)
        let id = try await find(client)
        let (data, _) = try await client.exchange(.GET, "/v1/orders/\(id)", body: NoBody?.none)
        try await output.show(data, of: .orders) { (order: OrderBody) in
            order.text(now: try await Stack().clock().now)
        }
    }

    /// The requested order: an order with the whole reference precedes orders whose reference begins with the text.
    ///
    /// - Throws: `CommandFailure` of kind usage with the ids of several matches, of kind not found without a match.
    private func find(_ client: PeerClient) async throws -> OrderID {
        if let id = OrderID(rawValue: order) { return id }
        let found = try await client.get("/v1/orders", query: [("search", order)], as: OrdersBody.self).orders
        let named = found.filter { $0.reference.lowercased() == order.lowercased() }
        let meant = named.isEmpty ? found : named
        guard meant.count <= 1 else {
            let lines = meant.prefix(Self.foundMax).map { "\($0.id)  \($0.reference)  \($0.customer)  \($0.status)" }
            throw CommandFailure(
                .usage,
                (["\"\(order)\" is several orders; name one by its id:", ""] + lines).joined(separator: "\n"))
        }
        guard let one = meant.first else { throw CommandFailure(.notFound, "no order is found by \"\(order)\"") }
        return one.id
    }

    /// Orders that are listed at most where several may be meant.
    private static let foundMax = 10
}

extension OrderBody {
    /// The order as lines to print.
    ///
    /// - Parameter now: domain time.
    func text(now: Date) -> String {
        let times = StoreTimes(timeZone: store.timeZone, now: now)
        let rows = deliveries.map { delivery in
            [
                "\(delivery.bag.number)/\(delivery.bag.count)", delivery.status.text,
                delivery.courier?.name ?? "–",
                times.window(delivery.promise),
                delivery.flags.map(\.rawValue).joined(separator: " "), delivery.id.rawValue,
            ]
        }
        let title = "\(reference) · \(store.name) · customer \(customer) · \(status)"
        let table = Table(["BAG", "STATUS", "COURIER", "PROMISE", "FLAGS", "DELIVERY"], rows).lines
        return ([title.safeOnTerminal, "order \(id)", ""] + table).joined(separator: "\n")
    }
}
