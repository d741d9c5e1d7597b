import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import OrderDomain

/// Reports one item of a delivery, as the store does.
struct OpsItem: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "item", abstract: "Report an item: found, short, out of stock, substituted, removed or refunded.")

    @OptionGroup var bulk: BulkChange
    @OptionGroup var report: ItemReport

    func validate() throws {
        guard bulk.deliveries.count == 1 else { throw ValidationError("an item is of one delivery; name one") }
    }

    func run() async throws {
        try await bulk.make(
            "\(report.item) \(report.status.rawValue)", .PATCH, "/items/\(report.item)", body: try report.body())
    }
}

/// What is reported about an item, in flags.
struct ItemReport: ParsableArguments {
    private static let reported = ItemStatus.allCases.filter { $0 != .pending }

    @Option(help: "The item's id, as the order has it.", transform: Self.item)
    var item: ItemID
    @Option(help: "One of \(reported.map(\.rawValue).joined(separator: ", ")).", transform: Self.status)
    var status: ItemStatus
    @Option(help: "How many were found; all of them where it is left out.")
    var quantity: Int?
    @Option(help: "What is offered or put in instead, with substitute_proposed and substituted.")
    var substitute: String?
    @Option(help: "How many of that; as many as were ordered where it is left out.")
    var substituteQuantity: Int?
    @Option(help: "What that costs more or, negative, less, in the currency's smallest unit.")
    var priceDifference: Int?
    @Option(help: "Seconds that the customer has for an answer, 30 to 3600; 600 where it is left out.")
    var answerSeconds: Int?

    @Option(help: "What the customer gets back for what is missing, in the currency's smallest unit.")
    var refund: Int?

    func validate() throws {
        let needsSubstitute = status == .substituteProposed || status == .substituted
        guard needsSubstitute == (substitute != nil) else {
            throw ValidationError("--substitute is for substitute_proposed and substituted, which need it")
        }
    }

    func body() throws -> ItemBody {
        ItemBody(
            status: status, quantity: quantity,
            substitute: substitute.map {
                .init(name: $0, quantity: substituteQuantity, priceDifferenceMinorUnits: priceDifference)
            },
            answerSeconds: answerSeconds, refundMinorUnits: refund)
    }

    private static func item(_ text: String) throws -> ItemID {
        guard let id = ItemID(rawValue: text) else {
            throw ValidationError("\(text) cannot be an item's id: 1 to 64 letters, digits, - and _")
        }
        return id
    }

    private static func status(_ text: String) throws -> ItemStatus {
        guard let status = ItemStatus(rawValue: text), reported.contains(status) else {
            throw ValidationError("an item is \(reported.map(\.rawValue).joined(separator: ", "))")
        }
        return status
    }
}
