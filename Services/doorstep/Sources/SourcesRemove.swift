import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// Removes a source, whose provider's webhooks are then refused.
struct SourcesRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a source: its provider's webhooks are refused from then on.")

    @Argument(help: "The source's id.")
    var id: SourceID
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        try confirmation.ask("Remove source \(id), and refuse what its provider sends?")
        _ = try await PartnersCaller().ask { try await $0.exchange(.DELETE, "/v1/sources/\(id)", body: NoBody?.none) }
        writeLine("Source \(id) is removed")
    }
}
