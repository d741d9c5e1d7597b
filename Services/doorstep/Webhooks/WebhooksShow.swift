import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// Prints one endpoint for events.
struct WebhooksShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print one endpoint: its subscription and its health.")

    @Argument(help: "The endpoint's id, from doorstep webhooks list.")
    var id: EndpointID
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.show(.GET, "/v1/webhooks/\(id)", body: NoBody?.none, text: EndpointBody.text)
    }
}
