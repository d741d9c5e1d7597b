import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient
import WireCoding

/// Sends a made-up event, to try a receiver with.
struct WebhooksTrigger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger", abstract: "Send a made-up event to try a receiver with; it is marked as a test.",
        discussion: "Without --endpoint it is sent to every address that takes such events, listeners too.")

    @Argument(help: "The event, such as delivery.en_route.", transform: WebhookEventType.argument)
    var event: WebhookEventType
    @Option(help: "The only address that it is sent to, by its id.")
    var endpoint: EndpointID?
    @ArgumentParser.Flag(help: "Prints how many as JSON.")
    var json = false

    func run() async throws {
        let (data, _) = try await PartnersCaller().client().exchange(
            .POST, "/v1/webhook-events", body: TriggerBody(type: event, endpoint: endpoint))
        if json { return writeJSON(data) }
        let queued = try WireJSON.decode(QueuedBody.self, from: data)
        writeLine(queued.queued == 0 ? "Nobody takes \(event)" : QueuedText(queued).text)
    }
}
