import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// Drops dead letters.
struct DeadLettersDrop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Drop dead letters; they stay on record with your reason.")

    @OptionGroup var chosen: DeadLetterChoice
    @OptionGroup var why: Reason
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        if !chosen.dryRun { try confirmation.ask("Give \(chosen.text) up?") }
        let body = ReasonBody(reason: why.reason)
        try await chosen.forEach("dropped") { client, letter in
            _ = try await client.send(
                .POST, "/v1/admin/dead-letters/\(letter.id)/drop", body: body, as: DeadLetterBody.self)
        }
    }
}
