import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1

/// Changes an address, its events, or its description.
struct WebhooksChange: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Change an endpoint's URL, name or event types; omitted ones stay.")

    @Argument(help: "The endpoint's id, from doorstep webhooks list.")
    var id: EndpointID
    @Option(help: "The endpoint's new URL.")
    var url: String?
    @Option(
        name: .customLong("event"), help: "A type, such as delivery.en_route; repeatable. Replaces the former types.",
        transform: WebhookEventType.argument)
    var events: [WebhookEventType] = []
    @ArgumentParser.Flag(help: "Every event type, in place of the former types.")
    var everyEvent = false
    @Option(help: "The endpoint's display name; \"\" removes it.")
    var description: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !everyEvent || events.isEmpty else { throw ValidationError("give either --event or --every-event") }
        guard url != nil || everyEvent || !events.isEmpty || description != nil else {
            throw ValidationError("give what changes: --url, --event, --every-event or --description")
        }
    }

    func run() async throws {
        try await output.show(
            .PATCH, "/v1/webhooks/\(id)", body: body, shownBy: "doorstep webhooks show \(id)", text: EndpointBody.text)
    }

    /// The properties that change; an empty description removes the endpoint's.
    var body: ChangedEndpointBody {
        let chosen: [WebhookEventType]? = everyEvent ? [] : (events.isEmpty ? nil : events)
        return ChangedEndpointBody(
            url: url, events: chosen, description: description.map { TextChange($0.isEmpty ? nil : $0) })
    }
}

/// Resumes sending events to an endpoint.
struct WebhooksEnable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Resume sending events to an endpoint, from the oldest that waits.")

    @Argument(help: "The endpoint's id, from doorstep webhooks list.")
    var id: EndpointID
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.show(
            .PATCH, "/v1/webhooks/\(id)", body: ChangedEndpointBody(enabled: true),
            shownBy: "doorstep webhooks show \(id)", text: EndpointBody.text)
    }
}

/// Pauses sending events to an endpoint.
struct WebhooksDisable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Keep an endpoint's events waiting until it is enabled.")

    @Argument(help: "The endpoint's id, from doorstep webhooks list.")
    var id: EndpointID
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.show(
            .PATCH, "/v1/webhooks/\(id)", body: ChangedEndpointBody(enabled: false),
            shownBy: "doorstep webhooks show \(id)", text: EndpointBody.text)
    }
}
