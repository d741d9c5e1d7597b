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
        try await chosen.forEach(try await chosen.letters(), "retried") { client, letter in
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
    @Flag(
        help: """
            All open dead letters; of more than \(DeadLetterServices.lettersMax) the newest, and a line about the rest.
            """)
    var all = false
    @Flag(help: "Only print the planned changes.")
    var dryRun = false

    func validate() throws {
        guard ids.isEmpty == all else { throw ValidationError("give either the ids or --all") }
    }

    /// Dead letters by their ids, as they were given or found open.
    struct Letters {
        let ids: [String]
        let text: String
        /// Whether more are open than these.
        let hasMore: Bool
    }

    func letters() async throws -> Letters {
        guard all else { return Letters(ids: ids, text: ids.joined(separator: ", "), hasMore: false) }
        let open = try await services.open()
        let text = "\(open.ids.count) \(open.hasMore ? "of the " : "")open dead letter\(open.ids.count == 1 ? "" : "s")"
        return Letters(ids: open.ids, text: text, hasMore: open.hasMore)
    }

    func forEach(
        _ letters: Letters, _ what: String, _ body: (PeerClient, DeadLetterBody) async throws -> Void
    ) async throws {
        if letters.ids.isEmpty { writeLine("no dead letters") }
        defer {
            if letters.hasMore { CommandFailure.complain("more are open\(dryRun ? "" : ": repeat the command")") }
        }
        try await forEachReportingFailures(letters.ids) { id in
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
