public import LiveActivity

/// What a change of a delivery would do, by what is known now; nothing has changed.
public struct PreviewBody: Codable, Sendable {
    /// Whether it would change anything.
    public let changes: Bool
    /// As it would be, at its next version.
    public let delivery: DeliveryBody
    /// What its card would show, by the estimate of now; without buttons, whose links are the customer's alone.
    public let activity: ActivityStep
    /// What the customer's phones would announce; nil for nothing.
    public let alert: ActivityAlert?
    /// The cards that would be sent it; nil before there are any.
    public let cards: BoardBody.Cards?

    public init(
        changes: Bool, delivery: DeliveryBody, activity: ActivityStep, alert: ActivityAlert?, cards: BoardBody.Cards?
    ) {
        self.changes = changes
        self.delivery = delivery
        self.activity = activity
        self.alert = alert
        self.cards = cards
    }
}
