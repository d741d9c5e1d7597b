import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient
import WireCoding

/// One delivery as `orders` has it, and its timeline.
struct OpsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "One delivery: what it is now, and its timeline so far.")

    @Argument(help: DeliveryFinder.help)
    var delivery: String
    @ArgumentParser.Flag(help: "Prints the delivery as JSON, without its timeline.")
    var json = false

    func run() async throws {
        let client = try PeerClient(.orders, as: .operator)
        let delivery = try await DeliveryFinder().find(delivery)
        let (data, _) = try await client.exchange(.GET, "/v1/deliveries/\(delivery)", body: NoBody?.none)
        if json {
            print(String(decoding: data, as: UTF8.self))
            return
        }
        let timeline: TimelineBody = try await client.get("/v1/deliveries/\(delivery)/timeline")
        print(DeliveryText(try WireJSON.decode(DeliveryBody.self, from: data), timeline.entries).text)
    }
}

/// A delivery and its timeline as lines to print.
struct DeliveryText {
    let text: String

    init(_ delivery: DeliveryBody, _ entries: [TimelineBody.Entry]) {
        let status = delivery.courierStatus.map { "\(delivery.status.rawValue) / \($0.rawValue)" }
        var lines = [
            "\(delivery.reference) · bag \(delivery.bag.number) of \(delivery.bag.count) · \(delivery.store.name)",
            "status    \(status ?? delivery.status.rawValue) (\(delivery.phase.rawValue)), version \(delivery.version)",
            "flags     \(delivery.flags.isEmpty ? "none" : delivery.flags.map(\.rawValue).joined(separator: ", "))",
            "customer  \(delivery.customer?.rawValue ?? "–")",
            "courier   \(delivery.courier.map { "\($0.name) (\($0.id))" } ?? "nobody")",
            "promise   \(WireJSON.text(of: delivery.promise.start)) to \(WireJSON.text(of: delivery.promise.end))",
            "activity  \(delivery.activity), written by \(delivery.holder.rawValue)",
            "next      \(delivery.allowed.isEmpty ? "nothing" : delivery.allowed.map(\.rawValue).joined(separator: ", "))",
        ]
        if let reason = delivery.reason { lines.insert("reason    \(reason)", at: 3) }
        lines += ["", "items"]
        lines += delivery.items.map { item in
            let substitute = item.substitute.map { " → \($0.name)" } ?? ""
            return "  \(item.foundQuantity)/\(item.quantity) \(item.name): \(item.status.rawValue)\(substitute)"
        }
        lines += ["", "timeline"]
        lines += entries.map(Self.line)
        text = lines.map(\.safeOnTerminal).joined(separator: "\n")
    }

    static func line(_ entry: TimelineBody.Entry) -> String {
        "  \(WireJSON.text(of: entry.at))  v\(entry.version)  \(entry.kind): \(entry.what)  by \(entry.by)"
            + (entry.reason.map { " (\($0))" } ?? "")
    }
}
