import DoorstepAPI
import Messages
import OrderDomain
import ReliableMessaging

/// The messages that `orders` consumes: milestones and providers' reports change deliveries, estimates and card health
/// update the board.
struct OrdersMessages: Sendable {
    let change: ChangeDelivery
    let updateBoard: UpdateBoard

    func handle(_ messages: [MessageConsumer<MilestoneReached>.Element]) async -> [Result<Void, any Error>] {
        await outcomes(of: messages) { message in
            ChangeDelivery.Request(
                delivery: message.delivery, principal: Principal(.system("courier-eta")),
                decide: { _ in
                    .milestone(
                        message.milestone, assignmentEpoch: message.assignmentEpoch, door: message.door,
                        promiseEnd: message.promiseEnd)
                })
        }
    }

    func handle(_ messages: [MessageConsumer<ProviderReported>.Element]) async -> [Result<Void, any Error>] {
        await outcomes(of: messages) { .report($0.report, of: $0.delivery) }
    }

    func handle(_ estimates: [EstimateChanged]) async throws { try await updateBoard(estimates) }

    func handle(_ cardHealth: [CardHealthChanged]) async throws { try await updateBoard(cardHealth) }

    /// Makes the changes that messages request, each in its message's trace.
    private func outcomes<Message: ConsumedMessage>(
        of messages: [MessageConsumer<Message>.Element], request: (Message) -> ChangeDelivery.Request
    ) async -> [Result<Void, any Error>] {
        let requests = messages.map { one in one.context.continuingTrace { request(one.message) } }
        return await change(requests).map { outcome in
            switch outcome {
            case .success: .success(())
            // The message is of a delivery that this database does not have: nothing to change.
            case .failure(is ChangeDelivery.Refusal): .success(())
            case .failure(let error): .failure(error)
            }
        }
    }
}
