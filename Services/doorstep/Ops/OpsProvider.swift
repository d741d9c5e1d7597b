import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient

/// What delivery providers call a delivery.
struct OpsProvider: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider", abstract: "What delivery providers call a delivery; with --reference it is set.",
        discussion: "What a provider sent before its reference was known waits, and is applied as soon as it is.")

    @Argument(help: DeliveryFinder.help)
    var delivery: String
    @Option(help: "The account at a provider, as doorstep sources list shows it.")
    var source: SourceID?
    @Option(help: "What the provider calls the delivery in its webhooks.")
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
    /// What providers call the delivery, as lines to print.
    var text: String {
        let table = Table(["SOURCE", "REFERENCE"], of: references, ifEmpty: "no provider has it") {
            [$0.source.rawValue, $0.reference]
        }
        return "delivery \(delivery)\n\n\(table.text)"
    }
}
