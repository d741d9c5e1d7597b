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
            line. --json prints one object per line, with all ids. The desk and partners are asked where their addresses \
            are set, as in stack.env.
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

    /// The services of every installation, and those whose address is set.
    static func peers(_ environment: [String: String]) -> [Peer] {
        Peer.allCases.filter { ![.desk, .partners].contains($0) || environment[$0.variable] != nil }
    }

    func validate() throws {
        try refuseEmpty([
            ("--customer", customer), ("--delivery", delivery), ("--courier", courier), ("--by", by),
        ])
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
        var away: [String] = []
        for peer in Self.peers(ProcessInfo.processInfo.environment) {
            guard !cursor.away.contains(peer.rawValue) else {
                writeError("\(peer.rawValue): did not answer for the first page, so its reads are missing here")
                continue
            }
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
                away.append(peer.rawValue)
                firstFailure = firstFailure ?? failure
            }
        }
        let asked = Set([customer, delivery, courier].compactMap(\.self))
        let reads = MergedReads(pages, away: away, after: cursor)
        try await output.show(reads.rows, for: .operator, more: reads.more) { reads.table($0, first: asked) }
        if let firstFailure { throw CommandFailure(firstFailure.kind, "not every service answered") }
    }
}

extension MergedReads {
    /// The options of the next page; none after the last.
    var more: [String] { next.map { ["--cursor \($0)"] } ?? [] }

    /// - Parameter first: the ids that a line names before others.
    func table(_ times: StoreTimes, first: Set<String> = []) -> Table {
        Table(
            ["FIRST", "LAST", "TIMES", "BY", "ROLE", "SERVICE", "OPERATION", "KIND", "PERSONS"], of: rows,
            ifEmpty: "no reads", more: more
        ) { row in
            [
                times.text(row.read.at, withSeconds: true), times.text(row.read.lastAt, withSeconds: true),
                String(row.read.reads), row.read.by, row.read.role, row.service, row.read.operation, row.read.kind,
                row.read.personsText(first: first),
            ]
        }
    }
}
