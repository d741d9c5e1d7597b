import ArgumentParser
import Foundation

/// Measures a private stack, or the client of Apple's push service.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure a private stack, or the client of Apple's push service.",
        discussion: "Progress goes to standard error, tables to standard output, every figure to a JSON file.",
        subcommands: [
            PathBench.self, IngestBench.self, FloodBench.self, StreamsBench.self, PagesBench.self, MapsBench.self,
            DeskBench.self,
            CardsBench.self, ResyncBench.self, OutageBench.self, PhonesBench.self, WebhooksBench.self,
            SlowReceiversBench.self, PushBench.self,
        ], defaultSubcommand: PathBench.self)

    static func log(_ text: String) { FileHandle.standardError.write(Data("bench: \(text)\n".utf8)) }
}
