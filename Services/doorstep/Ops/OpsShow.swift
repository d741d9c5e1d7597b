import ArgumentParser
import CommandOutput
import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient
import WireCoding

/// One delivery as `orders` has it, and its timeline.
struct OpsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "One delivery: what it is now, and its timeline so far.")

    @Argument(help: DeliveryFinder.help)
    var delivery: String
    @ArgumentParser.Flag(help: "Prints the delivery as JSON, without its timeline.")
    var json = false

    func run() async throws {
        let client = try PeerClient(.orders, as: .operator)
        let delivery = try await DeliveryFinder().find(delivery)
        let (data, _) = try await client.exchange(.GET, "/v1/deliveries/\(delivery)", body: NoBody?.none)
        if json {
            writeJSON(data)
            return
        }
        let timeline: TimelineBody = try await client.get("/v1/deliveries/\(delivery)/timeline")
        let now = try await Stack().clock().now
        writeLine(DeliveryText(try WireJSON.decode(DeliveryBody.self, from: data), timeline.entries, now: now).text)
    }
}
