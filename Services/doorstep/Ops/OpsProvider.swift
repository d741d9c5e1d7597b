import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient

/// Delivery providers' references of a delivery.
struct OpsProvider: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider", abstract: "Print providers' references of a delivery, or set one with --reference.",
        discussion: "Setting a reference applies the provider's waiting events of that reference.")

    @Argument(help: DeliveryFinder.help)
    var delivery: String
    @Option(help: "The source's id, from doorstep sources list.")
    var source: SourceID?
    @Option(help: "The provider's reference of the delivery in its webhooks.")
    var reference: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (source == nil) == (reference == nil) else {
            throw ValidationError("--source and --reference go together")
        }
    }

    func run() async throws {
        let delivery = try await DeliveryFinder().find(delivery)
        let client = try PeerClient(.partners, as: .operator)
        let path = "/v1/deliveries/\(delivery)/provider"
        let data: Data
        if let source, let reference {
            data = try await client.exchange(
                .PUT, path, body: ProviderReferenceBody(source: source, reference: reference)
            ).0
        } else {
            data = try await client.exchange(.GET, path, body: NoBody?.none).0
        }
        try await output.show(data, of: .partners, text: \ProviderReferencesBody.text)
    }
}

extension ProviderReferencesBody {
    /// The providers' references of the delivery, as lines to print.
    var text: String {
        let table = Table(["SOURCE", "REFERENCE"], of: references, ifEmpty: "no provider has it") {
            [$0.source.rawValue, $0.reference]
        }
        return "delivery \(delivery)\n\n\(table.text)"
    }
}
