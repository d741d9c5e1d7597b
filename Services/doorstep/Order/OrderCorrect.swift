import ArgumentParser
import DoorstepAPI
import StackClient

/// Corrects a placed order, as the shop's service desk does.
struct OrderCorrect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "correct", abstract: "Correct the address, the recipient, the note or the items of a delivery.")

    @Argument(help: DeliveryFinder.shopHelp)
    var delivery: String
    @OptionGroup var correction: CorrectionFlags
    @Option(help: "The reason; it is stored in the delivery's timeline.")
    var reason: String?

    func run() async throws {
        let present = try await StoreChange(delivery: delivery).read()
        let requests = try correction.requests(of: present, reason: reason)
        let client = try PeerClient(.orders, as: .store)
        // Nothing is corrected where one part of several would be refused.
        if requests.count > 1 { try await client.check(requests, of: present) }
        try await client.make(
            requests, of: present, named: present.reference, shownBy: "doorstep order show \(present.reference)",
            entityTag: nil)
    }
}
