import ArgumentParser

/// Renders the present state once more, and pushes it.
struct OpsResend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resend",
        abstract: "Push the present state to deliveries' cards once more.")

    @OptionGroup var cards: CardOverride
    @OptionGroup var why: Reason

    func run() async throws { try await cards.make("resent", "resend", reason: why.reason) }
}
