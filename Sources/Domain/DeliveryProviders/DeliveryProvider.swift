public import Foundation
public import OrderDomain

/// A delivery provider: it delivers for a shop and reports by webhooks, in its own vocabulary.
public enum DeliveryProvider: String, CaseIterable, Hashable, Sendable {
    case doorDash = "doordash"
    case uber
    case instacart
    case onfleet
    /// Any sender of CloudEvents with Doorstep's statuses.
    case cloudEvents = "cloudevents"

    /// The provider's id in reports and timelines.
    public var id: ProviderID {
        guard let id = ProviderID(rawValue: rawValue) else { preconditionFailure("a provider's name is an id") }
        return id
    }

    /// The provider's name for customers.
    public var name: String {
        switch self {
        case .doorDash: "DoorDash"
        case .uber: "Uber"
        case .instacart: "Instacart"
        case .onfleet: "Onfleet"
        case .cloudEvents: "Courier service"
        }
    }

    /// Parses a webhook's body into events.
    ///
    /// - Parameters:
    ///   - body: as received, with its signature already verified.
    ///   - receivedAt: domain time.
    ///   - source: the id of the source that received it.
    ///   - name: the courier's name for customers where the provider names none; the provider's own by default.
    /// - Returns: one event, or several for a batch, each by itself. An unknown event has its kind alone.
    /// - Throws: ``UnreadableBody`` where the body lacks the provider's envelope.
    public func events(
        in body: Data, receivedAt: Date, from source: String, name: String? = nil
    ) throws(UnreadableBody) -> [Result<ProviderEvent, UnreadableBody>] {
        let document = try ProviderDocument(parsing: body)
        let read: [Result<ReadEvent, UnreadableBody>] =
            switch self {
            case .doorDash: [.success(try DoorDashEvent.event(in: document, receivedAt: receivedAt))]
            case .uber: [.success(try UberEvent.event(in: document, receivedAt: receivedAt))]
            case .instacart: [.success(try InstacartEvent.event(in: document, receivedAt: receivedAt))]
            case .onfleet: [.success(try OnfleetEvent.event(in: document, receivedAt: receivedAt))]
            case .cloudEvents: try CloudEvent.events(in: document, receivedAt: receivedAt, from: source)
            }
        return read.map { one in one.map { $0.event(name: name ?? self.name) } }
    }
}

/// Why a body, or an event of a batch, is no webhook of its provider.
public struct UnreadableBody: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
