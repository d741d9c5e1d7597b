import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import WireCoding

/// Promises deliveries another window.
struct OpsPromise: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promise", abstract: "Promise deliveries another window; their customers read it.")

    @OptionGroup var bulk: BulkChange
    @Option(help: "When it begins, such as 2026-11-21T18:00:00Z.", transform: Self.time)
    var from: Date
    @Option(help: "When it ends.", transform: Self.time)
    var to: Date
    @OptionGroup var why: Reason

    func validate() throws {
        guard from < to else { throw ValidationError("--to is after --from") }
    }

    func run() async throws {
        let window = "\(WireJSON.text(of: from)) to \(WireJSON.text(of: to))"
        try await bulk.make(
            "promised \(window)", .PUT, "/promise", body: PromiseBody(start: from, end: to, reason: why.reason))
    }

    private static func time(_ text: String) throws -> Date {
        guard let date = WireJSON.date(from: text) else {
            throw ValidationError("\(text) is no time; write it as 2026-11-21T18:24:00Z")
        }
        return date
    }
}
