import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import StackClient
import TimePresentation
import WireCoding

/// Lists who read personal data, newest first, from the logs of all services.
struct OpsReads: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reads", abstract: "List which operators and stores read personal data, newest first.",
        discussion: """
            Needs the scope supervisor. The reads of one object, or of one list, by one reader within an hour are one \
            line. --json prints one object per line, with all ids.
            """)

    @Option(help: "Only reads of this customer's id.")
    var customer: String?
    @Option(help: "Only reads of this delivery's id.")
    var delivery: String?
    @Option(help: "Only reads of this courier's id.")
    var courier: String?
    @Option(help: "Only this reader: the recorded name, or the subject of the token.")
    var by: String?
    @Option(help: "Only reads since then: 90s, 10m, 2h, 1d or an instant such as 2026-11-21T18:24:00Z.")
    var from: PastTime?
    @Option(help: "Only reads until then.")
    var until: PastTime?
    @Option(help: "The cursor of older reads.")
    var cursor: String?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let cursor, ReadsCursor(cursor) == nil { throw ValidationError("--cursor is none of this command's") }
    }

    func run() async throws {
        let now = try await Stack().clock().now
        let cursor = cursor.flatMap { ReadsCursor($0) } ?? ReadsCursor()
        let filter: [(name: String, value: String?)] = [
            ("customer", customer), ("delivery", delivery), ("courier", courier), ("by", by),
            ("from", from.map { WireJSON.text(of: $0.date(now: now)) }),
            ("until", until.map { WireJSON.text(of: $0.date(now: now)) }),
        ]
        var pages: [(service: String, page: PersonalReadsBody)] = []
        var firstFailure: CommandFailure?
        for peer in Peer.allCases {
            do {
                let client = try PeerClient(peer, as: .operator)
                pages.append(
                    (
                        peer.rawValue,
                        try await client.get(
                            "/v1/personal-reads", query: filter + [("cursor", cursor.ids[peer.rawValue])])
                    ))
            } catch let failure as CommandFailure {
                writeError("\(peer.rawValue): \(failure.message)")
                firstFailure = firstFailure ?? failure
            }
        }
        let reads = MergedReads(pages, after: cursor)
        try await output.show(reads.rows, for: .operator) { reads.table($0) }
        if let firstFailure { throw CommandFailure(firstFailure.kind, "not every service answered") }
    }
}

extension MergedReads {
    func table(_ times: StoreTimes) -> Table {
        Table(
            ["FIRST", "LAST", "TIMES", "BY", "ROLE", "SERVICE", "OPERATION", "KIND", "PERSONS"], of: rows,
            ifEmpty: "no reads", more: [next.map { "--cursor \($0)" }]
        ) { row in
            [
                times.text(row.read.at, withSeconds: true), times.text(row.read.lastAt, withSeconds: true),
                String(row.read.reads), row.read.by, row.read.role, row.service, row.read.operation, row.read.kind,
                row.read.personsText(),
            ]
        }
    }
}
