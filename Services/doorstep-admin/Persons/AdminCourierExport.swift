import ArgumentParser
import Messages
import OrderDomain
import StackClient

/// Exports a courier's data from all services, and writes the archive.
struct AdminCourierExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export a courier's data from all services.",
        discussion: """
            One JSON object, as docs/privacy/export.schema.json describes it, or with --html one page that a person reads. \
            It has the courier's descriptions, rides, actions, positions, duties and phones, nothing of a customer and no \
            token, and may be handed to the courier. Needs an operator's token with scope supervisor. A repeat within an \
            hour writes the same archive. Leaves with 3 where nothing is known of the courier or they are erased \
            meanwhile, with 5 while an erasure of them runs, and with 6 if a service has not answered in time; the request \
            goes on without this command, and the same command shows it again. A file that ends early is deleted.
            """)

    @Argument(help: "The courier's id.")
    var courier: CourierID
    @OptionGroup var options: ExportOptions

    func run() async throws {
        try await Export(try PeerClient(.orders, as: .operator)).write(.courier(courier), options)
    }
}
