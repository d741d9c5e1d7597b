internal import Foundation
internal import OrderDomain

/// DoorDash Drive: flat events without an id of their own, rendered again for each attempt.
///
/// - Source: developer.doordash.com, Drive reference, "Webhooks"; both names of the event's member are in use.
enum DoorDashEvent {
    private static let meanings: [String: ReadEvent.Meaning] = [
        "DELIVERY_CREATED": .status(.unassigned),
        "DASHER_CONFIRMED": .status(.assigned),
        "DASHER_ENROUTE_TO_PICKUP": .status(.toStore),
        "DASHER_CONFIRMED_PICKUP_ARRIVAL": .status(.atStore),
        "DASHER_PICKED_UP": .status(.pickedUp),
        "DASHER_ENROUTE_TO_DROPOFF": .status(.enRoute),
        "DASHER_CONFIRMED_DROPOFF_ARRIVAL": .status(.atDoor),
        "DASHER_DROPPED_OFF": .status(.delivered),
        "DELIVERY_ATTEMPTED": .status(.attempted),
        "DELIVERY_CANCELLED": .status(.cancelled),
        "DELIVERY_RETURN_INITIALIZED": .status(.returning),
        "DASHER_ENROUTE_TO_RETURN": .status(.returning),
        "DASHER_CONFIRMED_RETURN_ARRIVAL": .status(.returning),
        "DELIVERY_RETURNED": .status(.returned),
        "DELIVERY_ABANDONED": .status(.failed),
        "COULD_NOT_DELIVER": .status(.failed),
        "DELIVERY_BATCHED": .nothing,
        "DELIVERY_REFUNDED": .nothing,
    ]

    /// The images of a drop-off; and the PIN, without which a Dasher cannot end a drop-off that asks for it.
    private static func proofs(ofDropOff document: ProviderDocument) -> [ProofKind] {
        let asked = document["dropoff_options"]["proof_of_delivery"].name ?? ""
        let made: [(ProofKind, Bool)] = [
            (.photo, document["dropoff_verification_image_url"].name != nil),
            (.signature, document["dropoff_signature_image_url"].name != nil),
            (.pin, ["pin_code", "pin_and_photo_required"].contains(asked)),
        ]
        return made.filter(\.1).map(\.0)
    }

    static func event(in document: ProviderDocument, receivedAt: Date) throws(UnreadableBody) -> ReadEvent {
        guard let kind = (document["event_name"].name ?? document["event_type"].name)?.uppercased() else {
            throw UnreadableBody("event_name is missing")
        }
        guard let reference = document["external_delivery_id"].name else {
            throw UnreadableBody("external_delivery_id is missing")
        }
        func time(_ member: String) -> Date? { document[member].time(received: receivedAt) }
        let ownTime: Date? =
            switch kind {
            case "DASHER_PICKED_UP": time("pickup_time_actual")
            case "DASHER_DROPPED_OFF": time("dropoff_time_actual")
            default: nil
            }
        let dasher = document["dasher_id"].name
        let stamp = document["created_at"].name ?? ownTime.map { "\($0.timeIntervalSince1970)" } ?? ""
        var event = ReadEvent(
            provider: .doorDash, key: [reference, kind, dasher ?? "", stamp].joined(separator: "|"), kind: kind,
            references: [reference], shopReference: reference, receivedAt: receivedAt)
        event.occurredAt = time("created_at") ?? ownTime
        event.meaning = meanings[kind]
        event.reason = document["cancellation_reason"].name ?? document["reason"].name
        // Other events may repeat the image of a failed attempt.
        if kind == "DASHER_DROPPED_OFF" { event.proofs = proofs(ofDropOff: document) }
        if kind == "DELIVERY_CANCELLED" {
            if event.reason == "failed_to_return" {
                event.meaning = .status(.failed)
            } else if time("pickup_time_actual") != nil {
                // The event itself proves that the goods have left.
                event.meaning = .status(.returning)
            }
        }
        let phone =
            document["dasher_phone_number"].name ?? document["dasher_dropoff_phone_number"].name
            ?? document["dasher_pickup_phone_number"].name
        event.courier = ReadCourier(
            id: dasher, name: document["dasher_name"].name, phone: phone,
            vehicle: document["dasher_vehicle_type"].name)
        event.place =
            document["dasher_location"].coordinate("lat", "lng")
            ?? document.coordinate("dasher_location_lat", "dasher_location_lng")
        return event
    }
}
