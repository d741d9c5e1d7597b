import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// A link to text to a customer, which shows their delivery and nothing else.
struct OrderLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Print a link that shows a delivery to its holder, for a text message.",
        discussion: """
            The link stays the same until --revoke and changes nothing. --json includes its end. The links on the \
            customer's own card are others: --revoke leaves them as they are.
            """)

    @Argument(help: DeliveryFinder.shopHelp)
    var delivery: String
    @ArgumentParser.Flag(help: "Revoke every link that was made to show the delivery.")
    var revoke = false
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: Confirmation

    func validate() throws {
        if revoke, output.json { throw ValidationError("--revoke prints no link; leave out --json") }
        if confirmation.yes, !revoke { throw ValidationError("--yes answers the question of --revoke") }
    }

    func run() async throws {
        if revoke { try confirmation.ask("Revoke every link that was made to show delivery \(delivery)?") }
        let client = try PeerClient(.orders, as: .store)
        let path = "/v1/deliveries/\(try await DeliveryFinder(as: .store).find(delivery))/view-link"
        if revoke {
            _ = try await client.exchange(.DELETE, path, body: NoBody?.none)
            writeLine(
                """
                Every link that was made to show delivery \(delivery.safeOnTerminal) shows nothing any more; those on \
                the customer's own card stay
                """)
            return
        }
        let (data, _) = try await client.exchange(.POST, path, body: NoBody?.none)
        try await output.show(data, of: .orders) { (link: ViewLinkBody) in link.url.safeOnTerminal }
    }
}
