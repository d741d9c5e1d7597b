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
        let letters = try await chosen.letters()
        if !chosen.dryRun, !letters.ids.isEmpty { try confirmation.ask("Give \(letters.text) up?") }
        let body = ReasonBody(reason: why.reason)
        try await chosen.forEach(letters, "dropped") { client, letter in
            _ = try await client.send(
                .POST, "/v1/admin/dead-letters/\(letter.id)/drop", body: body, as: DeadLetterBody.self)
        }
    }
}
