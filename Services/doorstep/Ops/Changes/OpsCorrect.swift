import ArgumentParser
import DoorstepAPI
import NIOHTTP1
import OrderDomain

/// Corrects placed deliveries: address, recipient, note and items.
struct OpsCorrect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "correct", abstract: "Correct the address, the recipient, the note or the items of deliveries.",
        discussion: """
            The courier's page shows the correction, and the arrival is estimated again. The reference of an order of \
            several bags corrects all of them that are live, where they have one promise; --dry-run has a line for each.
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
        let reason = why.reason
        if correction.changesDropOff {
            try await bulk.make(.PATCH, "/drop-off", ofWholeOrders: true) { _, delivery in
                let body = try correction.dropOff(of: delivery, reason: reason)
                return ("corrected", body)
            }
        }
        if correction.changesRecipient {
            try await bulk.make(.PATCH, "/recipient", ofWholeOrders: true) { _, _ in
                let body = correction.recipient(reason: reason)
                return ("corrected the recipient", body)
            }
        }
        if !correction.items.isEmpty {
            try await bulk.make(.POST, "/items") { _, delivery in
                let body = try correction.furtherItems(of: delivery, reason: reason)
                return ("given \(correction.items.joined(separator: ", "))", body)
            }
        }
        if let settled = correction.settle {
            try await bulk.make(.POST, "/correction-due", ofWholeOrders: true) { _, _ in
                let body = SettleCorrectionBody(settled: settled, reason: reason)
                return ("settled", body)
            }
        }
    }
}
