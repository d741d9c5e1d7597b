import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// What was sent to an address, and what was answered.
struct WebhooksLog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "What was sent to an address in 30 days, newest first; or one event's attempts.")

    @Argument(help: "The address's id, as doorstep webhooks list shows it.")
    var id: EndpointID
    @Option(help: "Only those that are waiting, delivered or failed.")
    var state: EventDeliveryBody.State?
    @Option(help: "One event, by its id, with each attempt and its body.")
    var event: EventID?
    @Option(help: "Goes on where a page ended.")
    var cursor: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard event == nil || (state == nil && cursor == nil) else {
            throw ValidationError("--event is one event; leave out --state and --cursor")
        }
    }

    func run() async throws {
        let client = try PartnersCaller().client()
        let path = "/v1/webhooks/\(id)/deliveries"
        if let event {
            let (data, _) = try await client.exchange(.GET, "\(path)/\(event)", body: NoBody?.none)
            return try await output.show(data, of: .partners, text: \EventDeliveryBody.text)
        }
        let page: EventDeliveriesBody = try await client.get(
            path, query: [("state", state?.rawValue), ("cursor", cursor)])
        try output.show(page.deliveries, table: page.table)
    }
}
