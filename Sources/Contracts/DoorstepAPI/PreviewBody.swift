public import LiveActivity

/// The effect of a change to a delivery, computed from its present state without changing it.
public struct PreviewBody: Codable, Sendable {
    /// Whether it would change anything.
    public let changes: Bool
    /// The delivery after the change, at its next version.
    public let delivery: DeliveryBody
    /// The card after the change, by the present estimate; without buttons, whose links only the customer may have.
    public let activity: ActivityStep
    /// The alert on the customer's phones; nil for none.
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
