import Messages
import OrderDomain
import ReliableMessaging

extension OutboxMessage {
    /// The health of a delivery's cards, for the operators' board.
    static func cardHealth(_ change: CardHealthChanged) throws -> OutboxMessage {
        try OutboxMessage(subject: Subject.cardHealth, key: change.delivery.rawValue, encoding: change)
    }
}
