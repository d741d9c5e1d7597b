import ArgumentParser
import CommandOutput

/// Ends deliveries' cards.
struct OpsEndCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end-card",
        abstract: "End deliveries' cards at once; the deliveries go on.")

    @OptionGroup var cards: CardOverride
    @Option(help: "Only the card on this device.")
    var device: String?
    @OptionGroup var why: Reason
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        if !cards.dryRun {
            try confirmation.ask("Take \(cards.deliveries.joined(separator: ", ")) off the screens?")
        }
        try await cards.make("ended", "end-card", reason: why.reason, device: device)
    }
}
