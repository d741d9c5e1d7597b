import ArgumentParser
import CommandOutput
import DoorstepAPI
import StackClient

/// Every account at a provider whose webhooks are taken in.
struct SourcesList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List accounts at delivery providers whose webhooks are taken in.")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let sources = try await PartnersCaller().client().get("/v1/sources", as: SourcesBody.self).sources
        try output.show(sources, table: sources.table)
    }
}
