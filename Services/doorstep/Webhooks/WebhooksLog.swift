import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// An endpoint's log: sent events, and the answers.
struct WebhooksLog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "List an endpoint's events that are kept, newest first; or one event's attempts.")

    @Argument(help: "The endpoint's id, from doorstep webhooks list.")
    var id: EndpointID
    @Option(help: "Only events in this state: waiting, delivered or failed.")
    var state: EventDeliveryBody.State?
    @Option(help: "One event, by its id, with each attempt and its body.")
    var event: EventID?
    @Option(help: "The cursor of the next page.")
    var cursor: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard event == nil || (state == nil && cursor == nil) else {
            throw ValidationError("--event is one event; leave out --state and --cursor")
        }
        try refuseEmpty([("--cursor", cursor)])
    }

    func run() async throws {
        let path = "/v1/webhooks/\(id)/deliveries"
        if let event {
            return try await output.show(
                .GET, "\(path)/\(event)", body: NoBody?.none, text: EventDeliveryBody.text)
        }
        let page: EventDeliveriesBody = try await PartnersCaller().ask {
            try await $0.get(path, query: [("state", state?.rawValue), ("cursor", cursor)])
        }
        try await output.show(page.deliveries, for: PartnersCaller().holder, more: page.more, table: page.table)
    }
}
