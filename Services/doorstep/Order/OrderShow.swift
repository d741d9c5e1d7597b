import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient
import WireCoding

/// One order with its deliveries.
struct OrderShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "One order with its deliveries.")

    @Argument(help: "The order's id.")
    var order: String
    @ArgumentParser.Flag(help: "Prints the order as JSON.")
    var json = false

    func run() async throws {
        let client = try PeerClient(.orders, as: .store)
        let (data, _) = try await client.exchange(.GET, "/v1/orders/\(order)", body: NoBody?.none)
        print(
            json
                ? String(decoding: data, as: UTF8.self)
                : OrderText(try WireJSON.decode(OrderBody.self, from: data)).text)
    }
}

/// An order as lines to print.
struct OrderText {
    let text: String

    init(_ order: OrderBody) {
        let timeZone = TimeZone(identifier: order.store.timeZone) ?? .gmt
        let rows = order.deliveries.map { delivery in
            [
                "\(delivery.bag.number)/\(delivery.bag.count)", delivery.status.rawValue,
                delivery.courier?.name ?? "–",
                "\(delivery.promise.start.clock(in: timeZone))–\(delivery.promise.end.clock(in: timeZone))",
                delivery.flags.map(\.rawValue).joined(separator: " "), delivery.id.rawValue,
            ].map(\.safeOnTerminal)
        }
        let title = "\(order.reference) · \(order.store.name) · customer \(order.customer) · \(order.status)"
        let table = Table(["BAG", "STATUS", "COURIER", "PROMISE", "BESIDE", "DELIVERY"], rows).lines
        text = ([title.safeOnTerminal, "order \(order.id)", ""] + table).joined(separator: "\n")
    }
}
