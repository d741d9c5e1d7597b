import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
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
            "\(report.item) \(report.status.text)", .PATCH, "/items/\(report.item)", body: try report.body())
    }
}

/// A report about an item, in flags.
struct ItemReport: ParsableArguments {
    private static let reported = ItemStatus.allCases.filter { $0 != .pending }

    @Option(help: "The item's id in the order.", transform: Self.item)
    var item: ItemID
    @Option(help: "One of \(reported.map(\.rawValue).joined(separator: ", ")).", transform: Self.status)
    var status: ItemStatus
    @Option(help: "The number of items found, with found and short; all by default, and needed with short.")
    var quantity: Int?
    @Option(help: "The substitute's name, with substitute_proposed and substituted.")
    var substitute: String?
    @Option(help: "The number of substitutes; by default as proposed under this name, or the ordered number.")
    var substituteQuantity: Int?
    @Option(
        parsing: .unconditional,
        help: """
            The price difference, negative for a cheaper one, in the currency's smallest unit; by default as proposed \
            under this name, or none.
            """)
    var priceDifference: Int?
    @Option(help: "Seconds for the customer's answer, with substitute_proposed, 30 to 3600; 600 by default.")
    var answerSeconds: Int?

    @Option(help: "The customer's refund for missing items, in the currency's smallest unit.")
    var refund: Int?
    @Option(help: "The reason; it is stored in the delivery's timeline with your name.")
    var reason: String?

    func validate() throws {
        guard status.hasSubstitute == (substitute != nil) else {
            throw ValidationError("--substitute is for substitute_proposed and substituted, which need it")
        }
        guard substitute != nil || (substituteQuantity == nil && priceDifference == nil) else {
            throw ValidationError("--substitute-quantity and --price-difference need --substitute")
        }
        guard status != .short || quantity != nil else {
            throw ValidationError("short needs --quantity, the number of items found")
        }
        guard status == .found || status == .short || quantity ?? 0 == 0 else {
            throw ValidationError("--quantity is the number of items found, for found and short")
        }
        guard status == .substituteProposed || answerSeconds == nil else {
            throw ValidationError("--answer-seconds is for substitute_proposed, which asks the customer")
        }
    }

    func body() throws -> ItemBody {
        ItemBody(
            status: status, quantity: quantity,
            substitute: substitute.map {
                .init(name: $0, quantity: substituteQuantity, priceDifferenceMinorUnits: priceDifference)
            },
            answerSeconds: answerSeconds, refundMinorUnits: refund, reason: reason)
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
