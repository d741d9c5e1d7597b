import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import WireCoding

/// What this service knew of a delivery before a message about it.
struct FollowedDelivery: Hashable, Sendable {
    /// The newest version that events were made of; nil where nobody subscribes to the delivery's events.
    var version: Int?
    /// The newest version that was heard of, as far as that was noted; nil for a delivery of which nothing was.
    var seenVersion: Int?
    var status: DeliveryStatus?
    /// The versions whose events those of a republished one stand for: the messages of these may come still.
    var summarised: ClosedRange<Int>?

    /// The versions up to the newest of the changes of which neither this service nor they tell; nil where there are none.
    ///
    /// What is republished tells the newest state alone, and not what led to it.
    /// - Parameter changes: of one delivery, by their versions.
    func missed(by changes: [DeliveryChanged]) -> ClosedRange<Int>? {
        var known = max(version ?? 0, seenVersion ?? 0)
        var missed: ClosedRange<Int>?
        for change in changes where change.delivery.version > known {
            let last = change.cause == DeliveryEvent.republished ? change.delivery.version : change.delivery.version - 1
            if last > known { missed = (missed?.lowerBound ?? known + 1)...last }
            known = change.delivery.version
        }
        return missed
    }

    /// Takes a version in, after its events were made.
    ///
    /// - Parameter isSummary: whether these stand for those of all versions since the one before.
    mutating func advance(to delivery: Delivery, isSummary: Bool) {
        if let version, version >= delivery.version { return }
        if isSummary {
            // One that follows upon another stands for what that one stood for, too.
            let former = summarised.flatMap { $0.upperBound == version ? $0.lowerBound : nil }
            summarised = (former ?? (version ?? 0) + 1)...delivery.version
        }
        version = delivery.version
        status = delivery.status
    }
}

/// One event of a delivery, in the bytes in which every receiver gets it.
struct DeliveryEvent: Hashable, Sendable {
    /// Of a body, so that receivers may refuse what is larger.
    ///
    /// - Source: Standard Webhooks 1.0.0, "Payload size", asks for less than 20 kB.
    static let bodyBytesMax = 19_999

    let id: EventID
    let type: WebhookEventType
    let delivery: DeliveryID
    let store: StoreID
    let version: Int
    /// Domain time.
    let occurredAt: Date
    let body: Data
    var isTest = false
}

extension DeliveryEvent {
    /// The events of a message about a delivery: one for each status that it reached, or that something else changed.
    ///
    /// The same message gives the same events, ids included, so that a redelivery adds none. Of what is republished, an
    /// event is made where this service did not know of the version: the broker lost the message before it was read. What
    /// it stands for is not told of again by messages that come after it all the same.
    /// - Throws: `EncodingError`.
    static func events(of change: DeliveryChanged, after known: FollowedDelivery?) throws -> [DeliveryEvent] {
        try types(of: change, after: known).map { type in
            try DeliveryEvent(type, of: change.delivery, at: change.changedAt)
        }
    }

    private static func types(of change: DeliveryChanged, after known: FollowedDelivery?) -> [WebhookEventType] {
        let delivery = change.delivery
        let isFirst = delivery.version == 1
        let reached: [StatusCode]
        if change.cause == republished {
            guard known?.version.map({ $0 < delivery.version }) ?? true else { return [] }
            guard let status = known?.status else { return delivery.status.presentTypes }
            reached = delivery.status.codesReached(from: status)
        } else if known?.summarised?.contains(delivery.version) == true {
            return []
        } else {
            reached = change.reached ?? (isFirst ? [delivery.status.code] : [])
        }
        return reached.isEmpty ? [.changed] : reached.map(WebhookEventType.init(reached:))
    }

    /// The cause of a message that tells nothing new.
    static let republished = "republished"

    private init(_ type: WebhookEventType, of delivery: Delivery, at occurredAt: Date) throws {
        let suffix = type.status?.rawValue ?? "changed"
        guard let id = EventID(rawValue: "msg_\(delivery.id.short)_\(delivery.version)_\(suffix)") else {
            preconditionFailure("an event's id is made of what identifiers are made of")
        }
        self.id = id
        self.type = type
        self.delivery = delivery.id
        store = delivery.store.id
        version = delivery.version
        self.occurredAt = occurredAt
        body = try Self.body(of: type, delivery, at: occurredAt)
    }

    private static func body(
        of type: WebhookEventType, _ delivery: Delivery, at occurredAt: Date, isTest: Bool = false
    ) throws -> Data {
        func encoded(hasItems: Bool) throws -> Data {
            try WireJSON.encode(
                WebhookEventBody(
                    type: type, timestamp: occurredAt, data: .init(delivery, hasItems: hasItems),
                    test: isTest ? true : nil))
        }
        let whole = try encoded(hasItems: true)
        return whole.count <= bodyBytesMax ? whole : try encoded(hasItems: false)
    }

    /// A made-up event, for whoever tries a receiver.
    ///
    /// - Parameters:
    ///   - uuid: names event, order and delivery, none of which there is.
    ///   - store: whose it says it is.
    /// - Throws: `EncodingError`.
    static func sample(_ type: WebhookEventType, uuid: UUID, store: StoreID, at now: Date) throws -> DeliveryEvent {
        let delivery = try Delivery.sample(in: type.status ?? .picking, uuid: uuid, store: store, at: now)
        guard let id = EventID(rawValue: "msg_test_\(delivery.id.short)") else {
            preconditionFailure("an event's id is made of what identifiers are made of")
        }
        return DeliveryEvent(
            id: id, type: type, delivery: delivery.id, store: store, version: delivery.version, occurredAt: now,
            body: try body(of: type, delivery, at: now, isTest: true), isTest: true)
    }
}

extension DeliveryStatus {
    /// That it reached what it is in now, for a delivery of which nothing else is known.
    fileprivate var presentTypes: [WebhookEventType] {
        ([code] + [courierStatus?.code].compactMap { $0 == .unassigned ? nil : $0 })
            .map(WebhookEventType.init(reached:))
    }
}

extension DeliveryID {
    /// The id without hyphens, for names that are made of it.
    fileprivate var short: String { rawValue.replacing("-", with: "") }
}
