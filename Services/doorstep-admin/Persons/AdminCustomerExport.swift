import ArgumentParser
import Messages
import OrderDomain
import StackClient

/// Exports a customer's data from all services, and writes the archive.
struct AdminCustomerExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export a customer's data from all services.",
        discussion: """
            One JSON object, as docs/privacy/export.schema.json describes it, or with --html one page that a person reads. \
            It has no tokens, links or PINs, and may be handed to the customer. Needs an operator's token with scope \
            supervisor. A repeat within an hour writes the same archive. Leaves with 3 where nothing is known of the \
            customer or they are erased meanwhile, with 5 while an erasure of them runs, and with 6 if a service has not \
            answered in time; the request goes on without this command, and the same command shows it again. A file that \
            ends early is deleted.
            """)

    @Argument(help: "The customer's id.")
    var customer: CustomerID
    @OptionGroup var options: ExportOptions

    func run() async throws {
        try await Export(try PeerClient(.orders, as: .operator)).write(.customer(customer), options)
    }
}
