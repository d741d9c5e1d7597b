import ArgumentParser
import DoorstepAPI
import Foundation
import Messages
import NIOHTTP1
import OrderDomain
import WireCoding

/// The board: how much is wrong, then what is worst.
struct OpsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Counts first, then deliveries, worst first.")

    @ArgumentParser.Flag(help: "Only those that have missed, or will miss, their promise.")
    var late = false
    @ArgumentParser.Flag(help: "Only those whose courier's phone is silent.")
    var silent = false
    @ArgumentParser.Flag(help: "Only those without a courier.")
    var unassigned = false
    @Option(help: "Only those in this status; an end shows what has ended.")
    var status: String?
    @Option(help: "Only those of this store.")
    var store: String?
    @Option(help: "Only those of this courier.")
    var courier: String?
    @Option(help: "Deliveries on a page, 1 to 100.")
    var limit = 40
    @Option(help: "Goes on where a page ended.")
    var cursor: String?
    @ArgumentParser.Flag(help: "Asks again every two seconds until interrupted.")
    var watch = false
    @ArgumentParser.Flag(help: "Prints the page as JSON.")
    var json = false

    func run() async throws {
        let client = try PeerClient(.orders, as: .operator)
        while true {
            let data = try await page(client)
            if json {
                print(String(decoding: data, as: UTF8.self))
            } else {
                let board = try WireJSON.decode(BoardBody.self, from: data)
                // On a terminal each look replaces the last; elsewhere they follow each other.
                if watch, isatty(STDOUT_FILENO) == 1 { print("\u{1B}[H\u{1B}[2J", terminator: "") }
                print(BoardText(board).text)
            }
            guard watch else { return }
            fflush(nil)
            try await Task.sleep(for: .seconds(2))
        }
    }

    private func page(_ client: PeerClient) async throws -> Data {
        try await client.exchange(
            .GET, "/v1/deliveries",
            query: [
                ("late", late ? "true" : nil), ("flag", silent ? OrderDomain.Flag.courierSilent.rawValue : nil),
                ("unassigned", unassigned ? "true" : nil), ("status", status), ("store", store),
                ("courier", courier), ("limit", String(limit)), ("cursor", cursor),
            ], body: Nothing?.none
        ).0
    }
}

/// A page of the board as lines for a person.
struct BoardText {
    let text: String

    init(_ board: BoardBody, timeZone: TimeZone = .current) {
        let counts = board.counts
        var lines = [
            "\(counts.live) live · \(counts.late) late · \(counts.atRisk) at risk · \(counts.silent) silent · "
                + "\(counts.unassigned) unassigned · \(counts.waitingForCustomer) waiting for the customer"
        ]
        if !board.deliveries.isEmpty {
            let rows = board.deliveries.map { Self.cells($0, timeZone: timeZone) }
            lines.append("")
            lines +=
                Table(
                    [
                        "", "MISS", "ORDER", "STATUS", "COURIER", "PROMISED BY", "EXPECTED", "BESIDE", "CARDS",
                        "DELIVERY",
                    ],
                    rows
                ).lines
        }
        if let next = board.next { lines += ["", "more: --cursor \(next)"] }
        text = lines.joined(separator: "\n")
    }

    private static func cells(_ row: BoardBody.Row, timeZone: TimeZone) -> [String] {
        let mark =
            switch row.risk {
            case .late: "late"
            case .atRisk: "at risk"
            case .onTime, .ended: ""
            }
        let status = row.courierStatus.map { "\(row.status.rawValue)/\($0.rawValue)" } ?? row.status.rawValue
        let bag = row.bag.count > 1 ? " \(row.bag.number)/\(row.bag.count)" : ""
        let cards = row.cards.map { $0.behind > 0 ? "\($0.behind) of \($0.count) behind" : "\($0.count)" } ?? "–"
        return [
            mark, row.missProbability.map { "\(Int((100 * $0).rounded())) %" } ?? "–", row.reference + bag, status,
            row.courier?.rawValue ?? "–",
            row.promise.end.clock(in: timeZone), row.estimate.map { $0.arrivesAt.clock(in: timeZone) } ?? "–",
            row.flags.map(\.rawValue).joined(separator: " "), cards, row.id.rawValue,
        ].map(\.safeOnTerminal)
    }
}

/// Rows in columns that are as wide as what is in them.
struct Table {
    let lines: [String]

    init(_ header: [String], _ rows: [[String]]) {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        lines = all.map { row in
            zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
                .joined(separator: "  ").trimmingTrailingSpaces
        }
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
