import ArgumentParser

/// Corrects placed deliveries: address, recipient, note and items.
struct OpsCorrect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "correct", abstract: "Correct the address, the recipient, the note or the items of deliveries.",
        discussion: """
            The courier's page shows the correction, and the arrival is estimated again. The reference of an order of \
            several bags corrects all of them that are live, where they have one promise; --dry-run has a line for each. \
            A delivery of which one part would be refused is not corrected at all.
            """)

    @OptionGroup var bulk: BulkChange
    @OptionGroup var correction: CorrectionFlags
    @OptionGroup var why: Reason

    func validate() throws {
        guard correction.items.isEmpty || bulk.deliveries.count == 1 else {
            throw ValidationError("an item is of one delivery; name one")
        }
    }

    func run() async throws {
        // A further item is of one bag, so that the reference of several is refused before anything is changed.
        try await bulk.makeAll(ofWholeOrders: correction.items.isEmpty) { _, delivery in
            try correction.requests(of: delivery, reason: why.reason)
        }
    }
}
