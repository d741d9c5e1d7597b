import ArgumentParser

/// Takes deliveries off the screens.
struct OpsEndCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end-card",
        abstract: "End deliveries' cards at once; the deliveries go on.")

    @OptionGroup var cards: CardOverride
    @Option(help: "Only the card on this device.")
    var device: String?
    @OptionGroup var why: Reason

    func run() async throws { try await cards.make("ended", "end-card", reason: why.reason, device: device) }
}
