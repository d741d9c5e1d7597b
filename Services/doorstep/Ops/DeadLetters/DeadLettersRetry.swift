import ArgumentParser
import DoorstepAPI
import NIOHTTP1

/// Puts dead letters back where they came from.
struct DeadLettersRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Put dead letters back on their way, after what was wrong was mended.")

    @OptionGroup var chosen: DeadLetterChoice

    func run() async throws {
        try await chosen.forEach("retried") { client, letter in
            _ = try await client.send(
                .POST, "/v1/admin/dead-letters/\(letter.id)/retry", body: Nothing?.none, as: DeadLetterBody.self)
        }
    }
}

/// Which dead letters a command is about.
struct DeadLetterChoice: ParsableArguments {
    @Argument(help: "The dead letters' ids; none with --all.")
    var ids: [String] = []
    @OptionGroup var places: DeadLetterPlaces
    @Flag(help: "All that are open.")
    var all = false
    @Flag(help: "Only says what would be done.")
    var dryRun = false

    func validate() throws {
        guard ids.isEmpty == all else { throw ValidationError("say either the ids or --all") }
    }

    func forEach(_ what: String, _ body: (PeerClient, DeadLetterBody) async throws -> Void) async throws {
        let chosen = all ? try await places.open().map(\.letter.id) : ids
        if chosen.isEmpty { print("no dead letters") }
        try await Doorstep.forEach(chosen) { id in
            let (client, letter) = try await places.find(id)
            let name = "\(letter.id) of \(client.peer.rawValue), \(letter.subject)".safeOnTerminal
            if dryRun {
                print("would be \(what): \(name)")
                return
            }
            try await body(client, letter)
            print("\(what): \(name)")
        }
    }
}
