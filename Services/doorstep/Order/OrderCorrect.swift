import ArgumentParser
import CommandOutput
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
        let change = StoreChange(delivery: delivery)
        let present = try await change.read()
        let requests = try correction.requests(of: present, reason: reason)
        // Nothing is corrected where one part would be refused.
        try await PeerClient(.orders, as: .store).check(requests, of: present)
        for (index, request) in requests.enumerated() {
            do {
                try await change.make(request.what, request.method, request.path, body: request.body)
            } catch let failure as CommandFailure where index > 0 {
                throw failure.afterOthers
            }
        }
    }
}
