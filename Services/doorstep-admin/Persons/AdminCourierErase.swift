import ArgumentParser
import Messages
import OrderDomain
import StackClient

/// Requests that a courier is erased in all services, and waits for the certificate.
struct AdminCourierErase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase a courier in all services.",
        discussion: """
            The courier's link, phones, positions and duties go, and a pseudonym stands in the place of the courier in \
            the customers' deliveries; late positions and messages bring nothing back. Refused with 5 while a delivery \
            of theirs is live or they are on duty, unless with --end-live; goods that they have need another courier \
            who fetches them. Needs an operator's token with scope supervisor. Warns where nothing was known of the \
            courier, as of a mistyped id. Leaves with 6 if a service has not answered in time; the request goes on \
            without this command, and the same command shows it again.
            """)

    @Argument(help: "The courier's id.")
    var courier: CourierID
    @ArgumentParser.Flag(help: "Hand the courier's deliveries back and end the duty first.")
    var endLive = false
    @OptionGroup var options: ErasureOptions

    func run() async throws {
        try await Erasure(try PeerClient(.orders, as: .operator)).show(.courier(courier), endLive: endLive, options)
    }
}
