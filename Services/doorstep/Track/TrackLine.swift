import LiveActivity
import PhoneRules
import WireCoding

/// A change of a card as `doorstep track --json` prints it: one object a line.
struct TrackLine: Codable, Hashable, Sendable {
    let event: CardEvent.Kind
    let card: String
    /// Nil on a customer's summary.
    let delivery: String?
    /// The timestamp of the newest push that the card shows, epoch seconds; it never falls on one card.
    let timestamp: Int
    /// When the screen changed, epoch seconds of the domain's clock.
    let at: Int
    let state: PhoneCard.State
    let attributes: GroceryDeliveryAttributes
    let content: GroceryDeliveryAttributes.ContentState

    init(_ event: CardEvent) {
        self.event = event.kind
        card = event.card.id
        delivery = event.card.attributes.delivery
        timestamp = event.card.timestamp
        at = event.at
        state = event.card.state
        attributes = event.card.attributes
        content = event.card.content
    }

    func text() throws -> String { String(decoding: try WireJSON.encode(self), as: UTF8.self) }
}
