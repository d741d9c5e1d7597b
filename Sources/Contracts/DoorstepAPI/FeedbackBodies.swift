public import Foundation
public import OrderDomain

/// The request body of `PUT /v1/deliveries/{id}/feedback`: the customer's word after the end.
public struct GiveFeedbackBody: Codable, Sendable {
    public var kind: DeliveryFeedback.Kind
    /// The ids of the items that it is about; none for the whole delivery.
    public var items: [ItemID]?

    public init(kind: DeliveryFeedback.Kind, items: [ItemID]? = nil) {
        self.kind = kind
        self.items = items
    }
}

/// The customer's feedback about a delivery, for the customer, the store and operators.
public struct FeedbackBody: Codable, Hashable, Sendable {
    public let kind: DeliveryFeedback.Kind
    /// The items that it is about, in the order of the basket; absent where a webhook has no room for the basket.
    public let items: [NamedItem]?
    /// When it was given, or changed last.
    public let at: Date
    /// When an operator decided about it; absent before that.
    public let settledAt: Date?

    /// One item of the basket.
    public struct NamedItem: Codable, Hashable, Sendable {
        public let id: ItemID
        public let name: String
    }

    /// Nil without feedback.
    public init?(_ delivery: Delivery, hasItems: Bool = true) {
        guard let feedback = delivery.feedback else { return nil }
        kind = feedback.kind
        let named = delivery.items.filter { feedback.items.contains($0.id) }
        items = hasItems ? named.map { NamedItem(id: $0.id, name: $0.name) } : nil
        at = feedback.at
        settledAt = feedback.settledAt
    }

    /// The kind with the first of its items, for operators: `missing: Oat milk, Rye bread`.
    public var text: String { kind.text(naming: (items ?? []).map(\.name)) }
}
