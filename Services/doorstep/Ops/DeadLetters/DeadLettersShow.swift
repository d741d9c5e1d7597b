import ArgumentParser
import CommandOutput
import DoorstepAPI
import StackClient
import TimePresentation

/// One dead letter with its payload.
struct DeadLettersShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print one letter and its payload, with a supervisor's token.")

    @Argument(help: "The dead letter's id.")
    var id: String
    @OptionGroup var services: DeadLetterServices
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (client, letter) = try await services.find(id)
        try await output.show(letter, for: .operator) { times in
            NamedValues([
                ("service", client.peer.rawValue), ("subject", letter.title), ("state", "\(letter.state)"),
                ("since", times.text(letter.occurredAt, withSeconds: true)), ("times are", times.zoneName),
                ("tries", "\(letter.attempts)"), ("error", letter.error), ("payload", letter.payload ?? "not text"),
            ]).text
        }
    }
}
