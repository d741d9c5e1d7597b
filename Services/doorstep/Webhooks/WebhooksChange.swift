import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// Changes an address, which of the events are sent there, or what it is called.
struct WebhooksChange: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Change where events are sent, or which; what is not given stays.")

    @Argument(help: "The address's id, as doorstep webhooks list shows it.")
    var id: EndpointID
    @Option(help: "Where events are sent from now on.")
    var url: String?
    @Option(
        name: .customLong("event"), help: "Such as delivery.en_route; once for each, in place of those of before.",
        transform: WebhookEventType.argument)
    var events: [WebhookEventType] = []
    @ArgumentParser.Flag(help: "Every event, in place of those of before.")
    var everyEvent = false
    @Option(help: "What people call the address.")
    var description: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !everyEvent || events.isEmpty else { throw ValidationError("say either --event or --every-event") }
        guard url != nil || everyEvent || !events.isEmpty || description != nil else {
            throw ValidationError("say what changes: --url, --event, --every-event or --description")
        }
    }

    func run() async throws {
        let chosen: [WebhookEventType]? = everyEvent ? [] : (events.isEmpty ? nil : events)
        try await EndpointChange(id: id, output: output).make(
            ChangedEndpointBody(url: url, events: chosen, description: description))
    }
}

/// Has events sent to an address again.
struct WebhooksEnable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Have events sent to an address again, from the oldest that waits.")

    @Argument(help: "The address's id, as doorstep webhooks list shows it.")
    var id: EndpointID
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await EndpointChange(id: id, output: output).make(ChangedEndpointBody(enabled: true))
    }
}

/// Has the events of an address wait.
struct WebhooksDisable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Have the events of an address wait until it is enabled.")

    @Argument(help: "The address's id, as doorstep webhooks list shows it.")
    var id: EndpointID
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await EndpointChange(id: id, output: output).make(ChangedEndpointBody(enabled: false))
    }
}

/// One change of one address, printed as the address is after it.
private struct EndpointChange {
    let id: EndpointID
    let output: OutputOptions

    func make(_ body: ChangedEndpointBody) async throws {
        let (data, _) = try await PartnersCaller().client().exchange(.PATCH, "/v1/webhooks/\(id)", body: body)
        try await output.show(data, of: .partners, text: \EndpointBody.text)
    }
}
