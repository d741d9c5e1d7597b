public import LiveActivity

extension PhoneCard {
    /// The card that a link is on, as the link's answer shows it: its texts, on no screen.
    public init(attributes: GroceryDeliveryAttributes, content: GroceryDeliveryAttributes.ContentState) {
        self.init(
            id: attributes.activity, attributes: attributes, content: content, state: .dismissed, timestamp: 0,
            startedAt: 0, ordinal: 0, relevance: 0, isHiddenInIsland: false)
    }
}
