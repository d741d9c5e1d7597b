import ArgumentParser
import CommandOutput
import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient

/// One delivery from `orders`, with its timeline.
struct OpsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print one delivery: its state and its timeline.",
        discussion: "--json omits the timeline and the numbers. Who reads a number is in the timeline.")

    @Argument(help: DeliveryFinder.help)
    var delivery: String
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let client = try PeerClient(.orders, as: .operator)
        let delivery = try await DeliveryFinder().find(delivery)
        let (data, _) = try await client.exchange(.GET, "/v1/deliveries/\(delivery)", body: NoBody?.none)
        try await output.show(data, of: .orders) { (body: DeliveryBody) in
            let timeline: TimelineBody = try await client.get("/v1/deliveries/\(delivery)/timeline")
            // A token that only reads gets no number, and the delivery is printed without one.
            let contacts: ContactsBody? = try? await client.get("/v1/contacts", query: [("ids", delivery.rawValue)])
            return body.text(
                timeline.entries, contacts: contacts?.contacts.first, now: try await Stack().clock().now)
        }
    }
}
