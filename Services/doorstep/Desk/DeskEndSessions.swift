import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// Ends somebody's sessions at the desk.
struct DeskEndSessions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end-sessions", abstract: "End every session that somebody has at the desk.",
        discussion: """
            Whoever still has a good token, or is in a group at the identity provider, can sign in again: revoke their \
            tokens with doorstep admin token revoke, or take them out of the group, first.
            """)

    @Argument(help: "Whose: the subject, as doorstep desk sessions shows it.")
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
