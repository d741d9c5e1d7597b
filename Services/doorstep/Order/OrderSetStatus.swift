import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// Moves a delivery to a status, as the shop does while it picks.
struct OrderSetStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-status", abstract: "Move a delivery to a status, as the shop's backend does.")

    @Argument(help: DeliveryFinder.shopHelp)
    var delivery: String
    @Option(help: "One of \(StatusCode.allCases.map(\.rawValue).joined(separator: ", ")).")
    var status: String
    @Option(help: "The reason; it is stored in the delivery's timeline.")
    var reason: String?
    @OptionGroup var report: StatusReport
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        let code = try StatusCode(argument: status)
        if code.isEnd { try confirmation.ask("End the delivery as \(code.rawValue)?") }
        try await StoreChange(delivery: delivery).make(
            "set to \(code.rawValue)", .POST, "/status", body: report.body(code, reason: reason))
    }
}

/// Reports an item, as the shop does while it picks.
struct OrderItem: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "item", abstract: "Report an item: found, short, out of stock, substituted, removed or refunded.")

    @Argument(help: DeliveryFinder.shopHelp)
    var delivery: String
    @OptionGroup var report: ItemReport

    func run() async throws {
        try await StoreChange(delivery: delivery).make(
            "\(report.item) \(report.status.text)", .PATCH, "/items/\(report.item)", body: try report.body())
    }
}

/// One change of one delivery with the store's token, at any version: a store reports facts.
struct StoreChange {
    let delivery: String

    /// The delivery as it is now.
    func read() async throws -> DeliveryBody {
        let id = try await DeliveryFinder(as: .store).find(delivery)
        return try await PeerClient(.orders, as: .store).get("/v1/deliveries/\(id)")
    }

    func make(_ what: String, _ method: HTTPMethod, _ path: String, body: some Encodable) async throws {
        let id = try await DeliveryFinder(as: .store).find(delivery)
        let client = try PeerClient(.orders, as: .store)
        // Its beginning finds the order; the whole id would be read as an order's.
        let changed = try await CommandFailure.naming("doorstep order show \(id.rawValue.prefix(18))") {
            try await client.send(method, "/v1/deliveries/\(id)\(path)", body: body, as: DeliveryBody.self).body
        }
        writeLine(
            "\(what): \(changed.reference), now \(changed.status.text), version \(changed.version)".safeOnTerminal)
    }
}
