import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// Puts dead letters back where they came from.
struct DeadLettersRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Retry dead letters, after their fault was corrected.")

    @OptionGroup var chosen: DeadLetterChoice

    func run() async throws {
        try await chosen.forEach("retried") { client, letter in
            _ = try await client.send(
                .POST, "/v1/admin/dead-letters/\(letter.id)/retry", body: NoBody?.none, as: DeadLetterBody.self)
        }
    }
}

/// The dead letters of a command.
struct DeadLetterChoice: ParsableArguments {
    @Argument(help: "The dead letters' ids; none with --all.")
    var ids: [String] = []
    @OptionGroup var services: DeadLetterServices
    @Flag(help: "All open dead letters.")
    var all = false
    @Flag(help: "Only print the planned changes.")
    var dryRun = false

    func validate() throws {
        guard ids.isEmpty == all else { throw ValidationError("give either the ids or --all") }
    }

    /// The chosen dead letters, in words.
    var text: String { all ? "every open dead letter" : ids.joined(separator: ", ") }

    func forEach(_ what: String, _ body: (PeerClient, DeadLetterBody) async throws -> Void) async throws {
        let chosen = all ? try await services.open().map(\.letter.id) : ids
        if chosen.isEmpty { writeLine("no dead letters") }
        try await forEachReportingFailures(chosen) { id in
            let (client, letter) = try await services.find(id)
            let name = "\(letter.id) of \(client.peer.rawValue), \(letter.title)".safeOnTerminal
            if dryRun {
                writeLine("would be \(what): \(name)")
                return
            }
            try await body(client, letter)
            writeLine("\(what): \(name)")
        }
    }
}
