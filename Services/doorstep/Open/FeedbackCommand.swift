import APIClient
public import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import LiveActivity
import NIOHTTP1
public import OrderDomain
import StackClient

/// Records the customer's word about a delivery after its end.
struct FeedbackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feedback", abstract: "Report that a delivery is all right, or what is wrong with it.",
        discussion: """
            Another report replaces the former one until the store has decided about it, and until \
            \(Int(DeliveryFeedback.windowSeconds / 3_600)) hours after the delivery, or after its hand-over was \
            confirmed where that was later.
            """)

    @Argument(help: "The delivery's id, or a link of its card.")
    var delivery: String

    @Argument(help: "all-right, missing, damaged, not-mine or not-here.")
    var kind: DeliveryFeedback.Kind

    @Option(name: .customLong("item"), help: "The id of an item that it is about; once for each.")
    var items: [ItemID] = []

    @OptionGroup var customer: CustomerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard kind.isProblem || items.isEmpty else {
            throw ValidationError("--item names what is wrong; it does not go with all-right.")
        }
    }

    func run() async throws {
        let settings = try customer.settings()
        let data = try await Self.send(kind, items, about: try await deliveryID(settings), settings)
        try await output.show(data, of: .orders) { (delivery: DeliveryBody) in
            "order \(delivery.reference): \(delivery.feedback?.text ?? kind.words)".safeOnTerminal
        }
    }

    /// Records feedback about a delivery with the customer's token.
    ///
    /// - Throws: `CommandFailure` with the reason of `orders` where it is refused.
    @discardableResult
    static func send(
        _ kind: DeliveryFeedback.Kind, _ items: [ItemID] = [], about delivery: String, _ settings: CustomerSettings
    ) async throws -> Data {
        let client = try PeerClient(.orders, token: try settings.token(), environment: settings.environment)
        return try await client.exchange(
            .PUT, "/v1/deliveries/\(delivery)/feedback",
            body: GiveFeedbackBody(kind: kind, items: items.isEmpty ? nil : items)
        ).0
    }

    /// The delivery that was named, by its id or by a link.
    ///
    /// - Throws: `CommandFailure` where the link is none of `orders`, or `orders` refuses it.
    private func deliveryID(_ settings: CustomerSettings) async throws -> String {
        if let id = DeliveryID(rawValue: delivery) { return id.rawValue }
        let shown = try await APIClient.with { client in
            try await LinkClient(client: APIClient(client), settings: settings).show(delivery)
        }
        guard let id = shown.attributes.delivery else {
            throw CommandFailure(.usage, "the link is about several deliveries; name one by its id")
        }
        return id
    }
}

extension ItemID: ExpressibleByArgument {}

extension DeliveryFeedback.Kind: ExpressibleByArgument {
    /// The kind that a person wrote: `not-mine`, or the code `not_mine`.
    public init?(argument: String) { self.init(rawValue: argument.replacing("-", with: "_")) }

    public static var allValueStrings: [String] { allCases.map { $0.rawValue.replacing("_", with: "-") } }
}
