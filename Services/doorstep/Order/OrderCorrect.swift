import ArgumentParser
import DoorstepAPI
import NIOHTTP1
import OrderDomain

/// Corrects a placed order, as the shop's service desk does.
struct OrderCorrect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "correct", abstract: "Correct the address, the recipient, the note or the items of a delivery.")

    @Argument(help: DeliveryFinder.shopHelp)
    var delivery: String
    @OptionGroup var correction: CorrectionFlags
    @Option(help: "The reason; it is stored in the delivery's timeline.")
    var reason: String?

    func run() async throws {
        let change = StoreChange(delivery: delivery)
        let present = try await change.read()
        var parts: [(what: String, method: HTTPMethod, path: String, body: any Encodable)] = []
        if correction.changesDropOff {
            parts.append(("corrected", .PATCH, "/drop-off", try correction.dropOff(of: present, reason: reason)))
        }
        if correction.changesRecipient {
            parts.append(("corrected the recipient", .PATCH, "/recipient", correction.recipient(reason: reason)))
        }
        if !correction.items.isEmpty {
            let body = try correction.furtherItems(of: present, reason: reason)
            parts.append(("given \(correction.items.joined(separator: ", "))", .POST, "/items", body))
        }
        if let settled = correction.settle {
            parts.append(
                ("settled", .POST, "/correction-due", SettleCorrectionBody(settled: settled, reason: reason)))
        }
        // Nothing is corrected where one part would be refused.
        for part in parts { try await change.check(part.method, part.path, body: part.body, at: present.version) }
        for part in parts { try await change.make(part.what, part.method, part.path, body: part.body) }
    }
}
