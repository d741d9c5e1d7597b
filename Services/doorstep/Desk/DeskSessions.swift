import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import StackClient
import WireCoding

/// Everybody who is signed in at the desk.
struct DeskSessions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List who is signed in at the desk, the newest session first.",
        discussion: """
            ENDS is the end of a session that is used until then. FROM is the jti of the token that it was begun with, \
            or the identity provider.
            """)

    @ArgumentParser.Flag(help: "Prints one JSON object a line.")
    var json = false

    func run() async throws {
        let sessions = try await PeerClient(.desk, as: .operator).get("/v1/sessions", as: SessionsBody.self).sessions
        if json {
            for session in sessions { writeJSON(try WireJSON.encode(session)) }
        } else {
            writeLine(SessionsText(sessions).text)
        }
    }
}

/// Sessions as lines to print.
struct SessionsText {
    let text: String

    init(_ sessions: [SessionBody]) {
        let rows = sessions.map { session in
            [
                session.subject, session.name, session.role.rawValue, WireJSON.text(of: session.startedAt),
                WireJSON.text(of: session.seenAt), WireJSON.text(of: session.expiresAt),
                session.issuer ?? session.tokenID ?? "a token without id",
            ].map(\.safeOnTerminal)
        }
        let header = ["SUBJECT", "NAME", "ROLE", "SINCE", "LAST USED", "ENDS", "FROM"]
        text = (rows.isEmpty ? ["nobody is signed in"] : Table(header, rows).lines).joined(separator: "\n")
    }
}
