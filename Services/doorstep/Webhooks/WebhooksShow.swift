import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// One address that events are sent to.
struct WebhooksShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "One address: what is sent there, and how that fares.")

    @Argument(help: "The address's id, as doorstep webhooks list shows it.")
    var id: EndpointID
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (data, _) = try await PartnersCaller().client().exchange(.GET, "/v1/webhooks/\(id)", body: NoBody?.none)
        try await output.show(data, of: .partners, text: \EndpointBody.text)
    }
}
