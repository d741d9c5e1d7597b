import ArgumentParser
import DomainTime
import DoorstepAPI
import Foundation
import Messages
import NIOHTTP1
import OrderDomain
import StackClient
import WireCoding

/// Prints the board: counts of what is wrong, then deliveries, worst first.
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
    @Option(help: "Only what this finds, ended too: a reference, a customer, a courier's name, a beginning of an id.")
    var search: String?
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
        let clock = try await Stack().clock()
        while true {
            let data = try await page(client)
            if json {
                print(String(decoding: data, as: UTF8.self))
            } else {
                let board = try WireJSON.decode(BoardBody.self, from: data)
                // On a terminal each page replaces the last; elsewhere they follow each other.
                if watch, isatty(STDOUT_FILENO) == 1 { print("\u{1B}[H\u{1B}[2J", terminator: "") }
                print(BoardText(board, now: clock.now).text)
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
                ("courier", courier), ("search", search), ("limit", String(limit)), ("cursor", cursor),
            ], body: NoBody?.none
        ).0
    }
}
