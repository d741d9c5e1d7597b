internal import Foundation
internal import OrderDomain

/// Instacart Connect: named callbacks, which may legally repeat where an order goes back a step.
///
/// - Source: docs.instacart.com/connect, "Event callbacks". Only `fulfillment.brand_new` is written out there; the other
///   names are those of the callbacks in the same form, and those that integrators report.
enum InstacartEvent {
    private static let meanings: [String: ReadEvent.Meaning] = [
        "brand_new": .status(.placed), "order_created": .status(.placed),
        "acknowledged": .status(.accepted),
        "picking": .status(.picking),
        "order_item_replacement": .nothing, "item_replacement": .nothing,
        "order_item_refund": .nothing, "item_refund": .nothing,
        "checkout": .status(.staged), "staged": .status(.staged), "staging": .status(.staged),
        "acknowledged_for_delivery": .status(.assigned),
        "at_store_eta": .status(.toStore), "at_store": .status(.atStore),
        "bags_verified": .status(.pickedUp),
        "delivering": .status(.enRoute),
        "order_location": .nothing,
        "arrival_at_customer": .status(.atDoor),
        "customer_missing": .status(.attempted), "customer_mia": .status(.attempted),
        "delivered": .status(.delivered),
        "canceled": .status(.cancelled), "cancelled": .status(.cancelled),
        "late_delivery": .late,
        "rescheduled": .nothing, "tip_adjustment": .nothing, "rating_updated": .nothing, "rating_reminder": .nothing,
    ]

    static func event(in document: ProviderDocument, receivedAt: Date) throws(UnreadableBody) -> ReadEvent {
        guard let kind = document["event_name"].name ?? document["event"].name else {
            throw UnreadableBody("event_name is missing")
        }
        let metadata = document["event_metadata"]
        guard let order = metadata["order_id"].name ?? document["order_id"].name else {
            throw UnreadableBody("event_metadata.order_id is missing")
        }
        let isFlat = document["event_timestamp"].name == nil
        let stamp = document[isFlat ? "timestamp" : "event_timestamp"]
        var event = ReadEvent(
            provider: .instacart,
            key: document["event_id"].name ?? [order, kind, stamp.name ?? ""].joined(separator: "|"), kind: kind,
            references: [order], receivedAt: receivedAt)
        event.occurredAt = stamp.time(received: receivedAt)
        let name = kind.hasPrefix("fulfillment.") ? String(kind.dropFirst("fulfillment.".count)) : kind
        event.meaning = meanings[name.lowercased()]
        event.reason = metadata["cancellation_reason"].name ?? metadata["reason"].name
        let shopper = metadata["shopper"]
        event.courier = ReadCourier(
            id: shopper["id"].name, name: shopper["name"].name ?? metadata["shopper_name"].name,
            phone: shopper["phone"].name)
        let place = metadata["location"]
        event.place =
            place.coordinate("latitude", "longitude") ?? place.coordinate("lat", "lng")
            ?? metadata.coordinate("latitude", "longitude")
        return event
    }
}
