import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import StackClient
import TimePresentation

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
        try await output.show(sessions, for: .operator, table: sessions.table)
    }
}

extension [SessionBody] {
    /// - Parameter times: the format of its times.
    func table(_ times: StoreTimes) -> Table {
        Table(
            ["SUBJECT", "NAME", "ROLE", "SINCE", "LAST USED", "ENDS", "FROM"], of: self, ifEmpty: "nobody is signed in"
        ) { session in
            [
                session.subject, session.name, session.role.rawValue, times.text(session.startedAt, withSeconds: true),
                times.text(session.seenAt, withSeconds: true), times.text(session.expiresAt, withSeconds: true),
                session.issuer ?? session.tokenID ?? "a token without id",
            ]
        }
    }
}
