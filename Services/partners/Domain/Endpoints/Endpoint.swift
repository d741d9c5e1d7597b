import DoorstepAPI
import Foundation
import OrderDomain

/// An address that events are sent to.
struct Endpoint: Hashable, Sendable {
    /// The most endpoints of one store, and of callers for all stores.
    static let endpointsMax = 100

    let id: EndpointID
    let kind: Kind
    var url: String
    /// Empty for every event.
    var types: [WebhookEventType]
    let store: StoreID?
    var description: String?
    let signature: NewEndpointBody.SignatureVersion
    var health: EndpointHealth
    let createdAt: Date

    enum Kind: String, Sendable {
        /// Events are posted to its URL.
        case webhook
        /// Events are sent down a stream that a program holds open.
        case listener
    }
}

/// An endpoint's subscription: store and event types.
struct Subscription: Hashable, Sendable {
    let endpoint: EndpointID
    let store: StoreID?
    /// The subscribed event types, unknown ones included; empty for every event.
    let types: [String]
    let createdAt: Date

    /// Whether any event of a store's deliveries may be for it.
    func concerns(_ store: StoreID) -> Bool { self.store == nil || self.store == store }

    func subscribes(to type: WebhookEventType) -> Bool { types.isEmpty || types.contains(type.rawValue) }
}
