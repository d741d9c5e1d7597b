public import Foundation
public import OrderDomain

/// Who brings deliveries in a shop's place and reports on them by webhooks, each in its own words.
public enum DeliveryProvider: String, CaseIterable, Hashable, Sendable {
    case doorDash = "doordash"
    case uber
    case instacart
    case onfleet
    /// Anybody who writes CloudEvents with our statuses.
    case cloudEvents = "cloudevents"

    /// How reports and timelines name it.
    public var id: ProviderID {
        guard let id = ProviderID(rawValue: rawValue) else { preconditionFailure("a provider's name is an id") }
        return id
    }

    /// How customers know it.
    public var name: String {
        switch self {
        case .doorDash: "DoorDash"
        case .uber: "Uber"
        case .instacart: "Instacart"
        case .onfleet: "Onfleet"
        case .cloudEvents: "Courier service"
        }
    }

    /// What a webhook's body says.
    ///
    /// - Parameters:
    ///   - body: as it was received, and proven to be the provider's.
    ///   - receivedAt: domain time.
    ///   - name: what customers call whoever brings it where nobody is named; the provider's own without it.
    /// - Returns: its events, one but for batches. What no adapter knows reports its kind and nothing else.
    /// - Throws: ``UnreadableBody`` where it is not even the provider's envelope.
    public func events(
        in body: Data, receivedAt: Date, name: String? = nil
    ) throws(UnreadableBody) -> [ProviderEvent] {
        let document = try ProviderDocument(parsing: body)
        let read: [ReadEvent] =
            switch self {
            case .doorDash: [try DoorDashEvent.event(in: document, receivedAt: receivedAt)]
            case .uber: [try UberEvent.event(in: document, receivedAt: receivedAt)]
            case .instacart: [try InstacartEvent.event(in: document, receivedAt: receivedAt)]
            case .onfleet: [try OnfleetEvent.event(in: document, receivedAt: receivedAt)]
            case .cloudEvents: try CloudEvent.events(in: document, receivedAt: receivedAt)
            }
        return read.map { $0.event(name: name ?? self.name) }
    }
}

/// Why a body is no webhook of its provider.
public struct UnreadableBody: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
