import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import StackClient
import WireCoding

/// Lists the sessions at the desk.
struct DeskSessions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List the desk's sessions, newest first.",
        discussion: """
            ENDS is the end of a session in continued use. FROM is the jti of the token that began the session, \
            or the identity provider.
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let sessions = try await PeerClient(.desk, as: .operator).get("/v1/sessions", as: SessionsBody.self).sessions
        try output.show(sessions, table: sessions.table)
    }
}

extension [SessionBody] {
    var table: Table {
        Table(
            ["SUBJECT", "NAME", "ROLE", "SINCE", "LAST USED", "ENDS", "FROM"], of: self, ifEmpty: "nobody is signed in"
        ) { session in
            [
                session.subject, session.name, session.role.rawValue, WireJSON.text(of: session.startedAt),
                WireJSON.text(of: session.seenAt), WireJSON.text(of: session.expiresAt),
                session.issuer ?? session.tokenID ?? "a token without id",
            ]
        }
    }
}
