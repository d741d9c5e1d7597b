import ArgumentParser
import CommandOutput
import DoorstepAPI
import StackClient

/// Every address that events are sent to.
struct WebhooksList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List endpoints, least healthy first.")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let endpoints = try await PartnersCaller().list("/v1/webhooks", as: EndpointsBody.self).endpoints
        try output.show(endpoints, table: endpoints.table)
    }
}
