import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import StackClient
import TimePresentation

/// The open dead letters, newest first, service by service.
struct DeadLettersList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List open dead letters, newest first, service by service.")

    @OptionGroup var services: DeadLetterServices
    @Option(help: "The cursor of a service's next page; needs --service.")
    var cursor: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try refuseEmpty([("--cursor", cursor)])
        if cursor != nil, services.service == nil { throw ValidationError("--cursor needs --service") }
    }

    func run() async throws {
        var pages: [(peer: Peer, page: DeadLettersBody)] = []
        var firstFailure: CommandFailure?
        for peer in services.peers {
            let client = try PeerClient(peer, as: .operator)
            do {
                pages.append((peer, try await client.get("/v1/admin/dead-letters", query: [("cursor", cursor)])))
            } catch let failure as CommandFailure {
                writeError("\(peer.rawValue): \(failure.message)")
                firstFailure = firstFailure ?? failure
            }
        }
        try await output.show(Self.lines(pages), for: .operator, more: Self.more(pages)) { Self.table(pages, $0) }
        if let firstFailure { throw CommandFailure(firstFailure.kind, "not every service answered") }
    }

    private struct Line: Encodable {
        let service: String
        let letter: DeadLetterBody
    }

    private static func lines(_ pages: [(peer: Peer, page: DeadLettersBody)]) -> [Line] {
        pages.flatMap { peer, page in page.deadLetters.map { Line(service: peer.rawValue, letter: $0) } }
    }

    /// The options of each service's next page.
    private static func more(_ pages: [(peer: Peer, page: DeadLettersBody)]) -> [String] {
        pages.compactMap { peer, page in page.next.map { "--service \(peer.rawValue) --cursor \($0)" } }
    }

    static func table(_ pages: [(peer: Peer, page: DeadLettersBody)], _ times: StoreTimes) -> Table {
        Table(
            ["SERVICE", "SINCE", "TRIES", "SUBJECT", "ERROR", "ID"], of: lines(pages), ifEmpty: "no dead letters",
            more: more(pages)
        ) { line in
            [
                line.service, times.text(line.letter.occurredAt, withSeconds: true), String(line.letter.attempts),
                line.letter.title, line.letter.error.shortened(to: 60), line.letter.id,
            ]
        }
    }
}
