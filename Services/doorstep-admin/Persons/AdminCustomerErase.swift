import ArgumentParser
import Messages
import OrderDomain
import StackClient

/// Requests that a customer is erased in all services, and waits for the certificate.
struct AdminCustomerErase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase a customer in all services.",
        discussion: """
            Cards leave their screens first. Then each service deletes its rows, or puts a pseudonym in the place of the \
            customer; late messages bring nothing back. Refused with 5 while a delivery of theirs is live, unless with \
            --end-live. Needs an operator's token with scope supervisor. Warns where nothing was known of the \
            customer, as of a mistyped id. Leaves with 6 if a service has not answered in time; the request goes on \
            without this command, and the same command shows it again.
            """)

    @Argument(help: "The customer's id.")
    var customer: CustomerID
    @ArgumentParser.Flag(help: "End the customer's live deliveries first.")
    var endLive = false
    @OptionGroup var options: ErasureOptions

    func run() async throws {
        try await Erasure(try PeerClient(.orders, as: .operator)).show(.customer(customer), endLive: endLive, options)
    }
}
