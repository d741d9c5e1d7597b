import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// Makes another secret for an address.
struct WebhooksRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Generate another secret for an endpoint; both sign for a day.")

    @Argument(help: "The endpoint's id, from doorstep webhooks list.")
    var id: EndpointID
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.show(
            .POST, "/v1/webhooks/\(id)/secret", body: NoBody?.none, shownBy: "doorstep webhooks show \(id)",
            text: EndpointBody.text)
    }
}
