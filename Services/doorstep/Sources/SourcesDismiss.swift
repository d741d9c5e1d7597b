import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// Dismisses an event that a provider sent and that will never be applied.
struct SourcesDismiss: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dismiss",
        abstract: "Dismiss an event that will never be applied; it stays on record with your reason.")

    @Argument(help: "The event's id, from doorstep sources received.")
    var receipt: String
    @Option(help: "The reason; it is stored with the event and your name.")
    var reason: String
    @OptionGroup var confirmation: Confirmation

    func validate() throws {
        guard isIdentifier(receipt) else { throw ValidationError("an event's id is 1 to 64 letters, digits, - and _") }
    }

    func run() async throws {
        try confirmation.ask("Dismiss event \(receipt)? It can never be applied then.")
        let answer = try await PartnersCaller().ask {
            try await $0.send(
                .POST, "/v1/receipts/\(receipt)/dismiss", body: ReasonBody(reason: reason), as: ReceiptBody.self)
        }
        writeLine(answer.body.dismissalText)
    }
}
