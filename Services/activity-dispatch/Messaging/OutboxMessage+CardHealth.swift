import Messages
import ReliableMessaging

extension OutboxMessage {
    /// How a delivery's cards are, for the board that operators list.
    static func cardHealth(_ change: CardHealthChanged) throws -> OutboxMessage {
        try OutboxMessage(subject: Subject.cardHealth(change.delivery), encoding: change)
    }
}
