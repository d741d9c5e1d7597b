import ArgumentParser
import CommandOutput
import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient
import TimePresentation

/// Plays the demo's script once, and ends when its last card has left the screen.
struct DemoPlay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Place two orders and see them to the door, in about 45 minutes of domain time.")

    /// Domain seconds left for the last dismissal to be seen.
    private static let epilogueSeconds = 60.0

    @Option(help: "The id of the orders' customer.")
    var customer = "mette"
    @OptionGroup var token: CustomerOptions
    @Option(help: "The seed of the couriers' routes.")
    var seed: UInt64 = 7

    func run() async throws {
        guard let customerID = CustomerID(rawValue: customer) else {
            throw CommandFailure(.usage, "\(customer) cannot be a customer's id")
        }
        let clock = try await Stack().clock()
        let store = try PeerClient(.orders, as: .store)
        let player = DemoPlayer(
            clock: clock, store: store, customer: try token.settings(), couriers: try await .ofStack(), seed: seed,
            phone: DemoPhone(environment: ProcessInfo.processInfo.environment))
        let start = clock.now
        let number = 1_000 + Int(start.timeIntervalSince1970) % 9_000
        for courier in DemoScript.couriers {
            writeLine("page of courier \(courier.name): \(try await player.page(of: courier.id))")
        }
        var deliveries: [DeliveryID] = []
        for body in try DemoScript.orders(customer: customerID, now: start, number: number) {
            let placed = try await store.send(
                .POST, "/v1/orders", body: body, headers: ["Idempotency-Key": UUID().uuidString.lowercased()],
                as: OrderBody.self)
            writeLine("placed order \(body.reference)")
            for delivery in placed.body.deliveries {
                deliveries.append(delivery.id)
                let page = try await store.send(
                    .POST, "/v1/deliveries/\(delivery.id)/view-link", body: [String: String](), as: ViewLinkBody.self)
                writeLine("page of order \(body.reference), bag \(delivery.bag.number): \(page.body.url)")
            }
        }
        let parts = Dictionary(uniqueKeysWithValues: zip(DemoScript.Part.allCases, deliveries))
        let end = try await player.play(DemoScript.scenes, parts, from: start)
        let times = StoreTimes(timeZone: .gmt, now: clock.now)
        writeLine("everything is delivered; the last card leaves at \(times.text(end, withSeconds: true))")
        try await clock.sleep(until: end.addingTimeInterval(Self.epilogueSeconds))
    }
}
