import ArgumentParser
import CommandOutput
import DoorstepAPI
import StackClient

/// The provider accounts whose webhooks `partners` accepts.
struct SourcesList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List sources: accounts at delivery providers that send webhooks.")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let sources = try await PartnersCaller().list("/v1/sources", as: SourcesBody.self).sources
        try output.show(sources, table: sources.table)
    }
}
