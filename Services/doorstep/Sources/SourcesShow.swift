import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// One account at a provider.
struct SourcesShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print one source: the URL for its provider's webhooks, and its secrets' ids.")

    @Argument(help: "The source's id.")
    var id: SourceID
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.show(.GET, "/v1/sources/\(id)", body: NoBody?.none, text: SourceBody.text)
    }
}
