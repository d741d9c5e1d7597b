import ArgumentParser
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// Makes another secret for an address.
struct WebhooksRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Make another secret for an address; both sign for a day.")

    @Argument(help: "The address's id, as doorstep webhooks list shows it.")
    var id: EndpointID
    @ArgumentParser.Flag(help: "Prints the address as JSON.")
    var json = false

    func run() async throws {
        let (data, _) = try await PartnersCaller().client().exchange(
            .POST, "/v1/webhooks/\(id)/secret", body: NoBody?.none)
        try EndpointAnswer(data).show(asJSON: json)
    }
}
