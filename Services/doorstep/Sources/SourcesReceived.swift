import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient

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
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let page: ReceiptsBody = try await PartnersCaller().client().get(
            "/v1/receipts",
            query: [
                ("source", source?.rawValue), ("state", state?.rawValue), ("unknown", unknown ? "true" : nil),
                ("delivery", delivery), ("cursor", cursor),
            ])
        try output.show(page.receipts, table: page.table)
    }
}

/// One event that a provider sent.
struct SourcesEvent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "event", abstract: "One event that a provider sent, what became of it, and its body.")

    @Argument(help: "The event's id, as doorstep sources received shows it.")
    var receipt: String
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard isIdentifier(receipt) else { throw ValidationError("an event's id is 1 to 64 letters, digits, - and _") }
    }

    func run() async throws {
        let (data, _) = try await PartnersCaller().client().exchange(
            .GET, "/v1/receipts/\(receipt)", body: NoBody?.none)
        try await output.show(data, of: .partners, text: \ReceiptBody.text)
    }
}
