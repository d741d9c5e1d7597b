import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// Has events sent to an address.
struct WebhooksAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Have events sent to an address; print the secret that they are signed by.",
        discussion: "The secret is shown this once. doorstep webhooks rotate makes another.")

    @Argument(help: "Where events are sent: https, on a host that is public.")
    var url: String
    @OptionGroup var chosen: ChosenEvents
    @Option(help: "The store whose deliveries are meant; those of every store that you see without it.")
    var store: StoreID?
    @Option(help: "What people call the address.")
    var description: String?
    @Option(help: "How events are signed: v1 by a secret of both sides, v1a by a key whose public half you get.")
    var signature: NewEndpointBody.SignatureVersion?
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let body = NewEndpointBody(
            url: url, events: chosen.given, store: store, description: description, signature: signature)
        let (data, _) = try await PartnersCaller().client().exchange(.POST, "/v1/webhooks", body: body)
        try await output.show(data, of: .partners, text: \EndpointBody.text)
    }
}

/// The events that a command is about.
struct ChosenEvents: ParsableArguments {
    @Option(
        name: .customLong("event"), help: "Such as delivery.en_route; once for each. Every event without it.",
        transform: WebhookEventType.argument)
    var events: [WebhookEventType] = []

    /// Nil where none is given.
    var given: [WebhookEventType]? { events.isEmpty ? nil : events }
}
