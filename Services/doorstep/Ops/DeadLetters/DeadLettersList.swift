import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import StackClient
import WireCoding

/// What is open, newest first, service by service.
struct DeadLettersList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Open dead letters, newest first, service by service.")

    @OptionGroup var services: DeadLetterServices
    @Option(help: "Goes on where a page of one service ended; needs --service.")
    var cursor: String?
    @Flag(help: "Prints one JSON object a line.")
    var json = false

    func validate() throws {
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
        if json {
            for (peer, page) in pages {
                for letter in page.deadLetters {
                    let line = try WireJSON.encode(LetterLine(service: peer.rawValue, letter: letter))
                    writeJSON(line)
                }
            }
        } else {
            writeLine(DeadLettersText(pages).text)
        }
        if let firstFailure { throw CommandFailure(firstFailure.kind, "not every service answered") }
    }

    private struct LetterLine: Encodable {
        let service: String
        let letter: DeadLetterBody
    }
}

/// Pages of dead letters as lines to print.
struct DeadLettersText {
    let text: String

    init(_ pages: [(peer: Peer, page: DeadLettersBody)]) {
        let rows = pages.flatMap { peer, page in
            page.deadLetters.map { letter in
                [
                    peer.rawValue, WireJSON.text(of: letter.occurredAt), String(letter.attempts), letter.subject,
                    letter.error.shortened(to: 60), letter.id,
                ].map(\.safeOnTerminal)
            }
        }
        let more = pages.compactMap { peer, page in
            page.next.map { "more: --service \(peer.rawValue) --cursor \($0)" }
        }
        let table =
            rows.isEmpty
            ? ["no dead letters"]
            : Table(
                ["SERVICE", "SINCE", "TRIES", "SUBJECT", "ERROR", "ID"], rows
            ).lines
        text = (table + (more.isEmpty ? [] : [""] + more)).joined(separator: "\n")
    }
}
