import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// Removes an endpoint.
struct WebhooksRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an endpoint with its waiting events and its log.",
        discussion: "To keep its events waiting instead, use doorstep webhooks disable.")

    @Argument(help: "The endpoint's id, from doorstep webhooks list.")
    var id: EndpointID
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        let caller = PartnersCaller()
        let endpoint: EndpointBody = try await caller.ask { try await $0.get("/v1/webhooks/\(id)") }
        let waiting = endpoint.waiting == 0 ? "" : ", and \(EndpointBody.events(endpoint.waiting)) that wait for it"
        try confirmation.ask("Remove \(endpoint.url)\(waiting)?")
        _ = try await caller.ask { try await $0.exchange(.DELETE, "/v1/webhooks/\(id)", body: NoBody?.none) }
        writeLine("Nothing is sent to \(endpoint.url) any more".safeOnTerminal)
    }
}
