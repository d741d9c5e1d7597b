import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import WireCoding

/// This service's knowledge of a delivery before a message about it.
struct FollowedDelivery: Hashable, Sendable {
    /// The newest version with events; nil where no endpoint subscribes to the delivery's events.
    var version: Int?
    /// The newest recorded version; nil for a delivery without one.
    var seenVersion: Int?
    var status: DeliveryStatus?
    /// The versions whose events a republished version's replace: the original messages may still arrive.
    var summarised: ClosedRange<Int>?

    /// The versions up to the newest change that neither this service nor the changes contain; nil without a gap.
    ///
    /// A republished message contains the newest state alone, and not the steps to it.
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

    /// Records a version after its events were created.
    ///
    /// - Parameter isSummary: whether these events replace those of all versions since the previous one.
    mutating func advance(to delivery: Delivery, isSummary: Bool) {
        if let version, version >= delivery.version { return }
        if isSummary {
            // A summary that follows another covers the other's versions too.
            let former = summarised.flatMap { $0.upperBound == version ? $0.lowerBound : nil }
            summarised = (former ?? (version ?? 0) + 1)...delivery.version
        }
        version = delivery.version
        status = delivery.status
    }
}

/// One event of a delivery, with the bytes that every receiver gets.
struct DeliveryEvent: Hashable, Sendable {
    /// The largest body in bytes, since receivers may refuse larger ones.
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
    /// The events of a message about a delivery: one for each reached status, or one for another change.
    ///
    /// The same message gives the same events, ids included, so that a redelivery adds none. A republished message
    /// creates an event where this service did not know the version: the broker lost the original before this service
    /// read it. A late original then creates no second event.
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
        guard reached.isEmpty else { return reached.map(WebhookEventType.init(reached:)) }
        return [change.cause == feedback ? .feedback : .changed]
    }

    /// The cause of a message without a new change.
    static let republished = "republished"
    /// The cause of a customer's feedback.
    private static let feedback = "feedback"

    private init(_ type: WebhookEventType, of delivery: Delivery, at occurredAt: Date) throws {
        guard let id = EventID(rawValue: "msg_\(delivery.id.short)_\(delivery.version)_\(type.shortName)") else {
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

    /// A synthetic event, to test a receiver.
    ///
    /// - Parameters:
    ///   - uuid: the base of the ids of event, order and delivery, none of which exists.
    ///   - store: the event's store.
    /// - Throws: `EncodingError`.
    static func sample(_ type: WebhookEventType, uuid: UUID, store: StoreID, at now: Date) throws -> DeliveryEvent {
        let status: StatusCode = type == .feedback ? .delivered : .picking
        var delivery = try Delivery.sample(in: type.status ?? status, uuid: uuid, store: store, at: now)
        if type == .feedback {
            _ = try delivery.apply(.feedback(.missing, items: delivery.items.map(\.id)), at: now)
        }
        guard let id = EventID(rawValue: "msg_test_\(delivery.id.short)") else {
            preconditionFailure("an event's id is made of what identifiers are made of")
        }
        return DeliveryEvent(
            id: id, type: type, delivery: delivery.id, store: store, version: delivery.version, occurredAt: now,
            body: try body(of: type, delivery, at: now, isTest: true), isTest: true)
    }
}

extension DeliveryStatus {
    /// The events of the present status, for a delivery without a known history.
    fileprivate var presentTypes: [WebhookEventType] {
        ([code] + [courierStatus?.code].compactMap { $0 == .unassigned ? nil : $0 })
            .map(WebhookEventType.init(reached:))
    }
}

extension DeliveryID {
    /// The id without hyphens, for names that are made of it.
    fileprivate var short: String { rawValue.replacing("-", with: "") }
}
