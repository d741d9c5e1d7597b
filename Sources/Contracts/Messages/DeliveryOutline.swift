public import Foundation
public import OrderDomain

/// The properties of a changed delivery by which a reader decides whether it needs the rest; decodes from a whole
/// delivery's document.
public struct DeliveryOutline: Decodable, Hashable, Sendable {
    public let id: DeliveryID
    public let store: StoreID
    public let version: Int
    public let episode: Int
    public let endedAt: Date?

    public init(_ delivery: Delivery) {
        id = delivery.id
        store = delivery.store.id
        version = delivery.version
        episode = delivery.episode
        endedAt = delivery.endedAt
    }

    private enum CodingKeys: String, CodingKey { case id, store, version, episode, endedAt }

    private struct Named: Decodable {
        let id: StoreID
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(DeliveryID.self, forKey: .id)
        store = try container.decode(Named.self, forKey: .store).id
        version = try container.decode(Int.self, forKey: .version)
        episode = try container.decode(Int.self, forKey: .episode)
        endedAt = try container.decodeIfPresent(Date.self, forKey: .endedAt)
    }
}

/// A ``DeliveryChanged`` as far as a reader decodes it at first.
public struct DeliveryChangedOutline: ConsumedMessage {
    public let delivery: DeliveryOutline
    /// The change's cause, as in the whole message.
    public let cause: String

    /// The whole message has more to check.
    public func fault(on subject: String) -> String? {
        if !DeliveryChanged.subjects.contains(subject) { return MessageFault.subject }
        if !(delivery.endedAt.map(WireRange.contains) ?? true) { return "a time is out of range" }
        if ![delivery.version, delivery.episode].allSatisfy(WireRange.counter.contains) {
            return "a counter is out of range"
        }
        return nil
    }
}
