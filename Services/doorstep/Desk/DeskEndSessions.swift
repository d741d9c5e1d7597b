import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// Ends a person's sessions at the desk.
struct DeskEndSessions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end-sessions", abstract: "End all of a person's sessions at the desk.",
        discussion: """
            A person with a valid token, or in a group at the identity provider, can sign in again: first revoke their \
            tokens with doorstep admin token revoke, or remove them from the group.
            """)

    @Argument(help: "The person's subject, from doorstep desk sessions.")
    var subject: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        let desk = try PeerClient(.desk, as: .operator)
        try confirmation.ask("End every session of \(subject)?".safeOnTerminal)
        let answer = try await desk.send(
            .DELETE, "/v1/sessions", query: [("subject", subject)], body: NoBody?.none, as: EndedSessionsBody.self
        ).body
        let sessions = answer.ended == 1 ? "1 session" : "\(answer.ended) sessions"
        try output.show(answer, text: "Ended \(sessions) of \(subject)".safeOnTerminal)
    }
}
