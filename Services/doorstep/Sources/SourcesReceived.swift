import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient
import WireCoding

/// What providers sent.
struct SourcesReceived: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "received", abstract: "What providers sent, newest first.")

    @Option(help: "Only those of this source.")
    var source: SourceID?
    @Option(help: "Only those that are applied, waiting, quarantined, unreadable or dismissed.")
    var state: ReceiptBody.State?
    @ArgumentParser.Flag(help: "Only those whose meaning this version does not know.")
    var unknown = false
    @Option(help: "Only those of this delivery, by its id.")
    var delivery: String?
    @Option(help: "Goes on where a page ended.")
    var cursor: String?
    @ArgumentParser.Flag(help: "Prints one JSON object a line.")
    var json = false

    func run() async throws {
        let page: ReceiptsBody = try await PartnersCaller().client().get(
            "/v1/receipts",
            query: [
                ("source", source?.rawValue), ("state", state?.rawValue), ("unknown", unknown ? "true" : nil),
                ("delivery", delivery), ("cursor", cursor),
            ])
        if json {
            for receipt in page.receipts { writeJSON(try WireJSON.encode(receipt)) }
        } else {
            writeLine(ReceiptsText(page).text)
        }
    }
}

/// One event that a provider sent.
struct SourcesEvent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "event", abstract: "One event that a provider sent, what became of it, and its body.")

    @Argument(help: "The event's id, as doorstep sources received shows it.")
    var receipt: String
    @ArgumentParser.Flag(help: "Prints it as JSON.")
    var json = false

    func validate() throws {
        guard isIdentifier(receipt) else { throw ValidationError("an event's id is 1 to 64 letters, digits, - and _") }
    }

    func run() async throws {
        let (data, _) = try await PartnersCaller().client().exchange(
            .GET, "/v1/receipts/\(receipt)", body: NoBody?.none)
        if json { return writeJSON(data) }
        writeLine(ReceiptText(try WireJSON.decode(ReceiptBody.self, from: data)).text)
    }
}
