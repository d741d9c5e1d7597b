import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient

/// The events received from providers.
struct SourcesReceived: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "received", abstract: "List events received from providers, newest first.")

    @Option(help: "Only events of this source.")
    var source: SourceID?
    @Option(help: "Only events in this state: applied, waiting, quarantined, unreadable or dismissed.")
    var state: ReceiptBody.State?
    @ArgumentParser.Flag(help: "Only events whose meaning this version does not know.")
    var unknown = false
    @Option(help: "Only events of this delivery, by its id.")
    var delivery: String?
    @Option(help: "The cursor of the next page.")
    var cursor: String?
    @OptionGroup var output: OutputOptions

    func validate() throws { try refuseEmpty([("--delivery", delivery), ("--cursor", cursor)]) }

    func run() async throws {
        let page: ReceiptsBody = try await PartnersCaller().list(
            "/v1/receipts",
            query: [
                ("source", source?.rawValue), ("state", state?.rawValue), ("unknown", unknown ? "true" : nil),
                ("delivery", delivery), ("cursor", cursor),
            ])
        try await output.show(page.receipts, for: PartnersCaller().holder, more: page.more, table: page.table)
    }
}

/// Prints one event received from a provider.
struct SourcesEvent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "event", abstract: "Print one event received from a provider, its outcome, and its body.")

    @Argument(help: "The event's id, from doorstep sources received.")
    var receipt: String
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard isIdentifier(receipt) else { throw ValidationError("an event's id is 1 to 64 letters, digits, - and _") }
    }

    func run() async throws {
        try await output.show(.GET, "/v1/receipts/\(receipt)", body: NoBody?.none, text: ReceiptBody.text)
    }
}
