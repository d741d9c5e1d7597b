import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// What `orders` hears: milestones change deliveries; estimates and cards' health are projected for the board.
struct OrdersMessages: Sendable {
    let change: ChangeDelivery

    func handle(_ message: MilestoneReached) async throws {
        do {
            _ = try await change(
                message.delivery, .milestone(message.milestone, assignmentEpoch: message.assignmentEpoch),
                by: .system("courier-eta"))
        } catch ChangeDelivery.Refusal.notFound {
            // Of a delivery that was never ours, or not any more: nothing to keep true.
        }
    }

    func handle(_ message: EstimateChanged) async throws {
        try await change.pool.execute(try OrderRepository.project(message))
    }

    func handle(_ message: CardHealthChanged) async throws {
        try await change.pool.execute(OrderRepository.project(message))
    }
}
