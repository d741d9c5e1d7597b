import DoorstepAPI
import Messages
import OrderDomain

/// The messages that `orders` consumes: milestones and providers' reports change deliveries, estimates and card health
/// update the board.
struct OrdersMessages: Sendable {
    let change: ChangeDelivery
    let updateBoard: UpdateBoard

    func handle(_ message: MilestoneReached) async throws {
        do {
            _ = try await change(
                message.delivery, .milestone(message.milestone, assignmentEpoch: message.assignmentEpoch),
                by: Principal(.system("courier-eta")))
        } catch ChangeDelivery.Refusal.notFound {
            // The message is of a delivery that this database does not have: nothing to change.
        }
    }

    func handle(_ message: ProviderReported) async throws {
        do {
            try await change(message.report, of: message.delivery)
        } catch ChangeDelivery.Refusal.notFound {
            // As above.
        }
    }

    func handle(_ message: EstimateChanged) async throws {
        try await updateBoard(message)
    }

    func handle(_ message: CardHealthChanged) async throws {
        try await updateBoard(message)
    }
}
