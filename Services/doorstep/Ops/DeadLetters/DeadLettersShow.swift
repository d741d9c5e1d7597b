import ArgumentParser
import CommandOutput
import DoorstepAPI
import StackClient
import WireCoding

/// One dead letter with its payload.
struct DeadLettersShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "One dead letter and its payload.")

    @Argument(help: "The dead letter's id.")
    var id: String
    @OptionGroup var services: DeadLetterServices
    @Flag(help: "Prints it as JSON.")
    var json = false

    func run() async throws {
        let (client, letter) = try await services.find(id)
        if json {
            writeJSON(try WireJSON.encode(letter))
            return
        }
        let lines = [
            "service   \(client.peer.rawValue)", "subject   \(letter.subject)", "state     \(letter.state)",
            "since     \(WireJSON.text(of: letter.occurredAt))", "tries     \(letter.attempts)",
            "error     \(letter.error)", "payload   \(letter.payload ?? "not text")",
        ]
        writeLine(lines.map(\.safeOnTerminal).joined(separator: "\n"))
    }
}
