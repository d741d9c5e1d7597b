internal import Foundation
internal import OrderDomain

/// Uber Direct: an envelope with an id; a return is a delivery of its own.
///
/// - Source: developer.uber.com, Direct, "Delivery status" and "Courier update" webhooks; and "Delivery Status
///   Notification", whose body is of another form.
enum UberEvent {
    static func event(in document: ProviderDocument, receivedAt: Date) throws(UnreadableBody) -> ReadEvent {
        guard let kind = document["kind"].name ?? document["event_type"].name else {
            throw UnreadableBody("kind and event_type are missing")
        }
        let (data, meta) = (document["data"], document["meta"])
        let own = document["delivery_id"].name ?? data["id"].name ?? meta["order_id"].name
        let external = document["external_id"].name ?? data["external_id"].name ?? meta["external_order_id"].name
        let related = [data, meta].flatMap { $0["related_deliveries"].elements ?? [] }.compactMap { $0["id"].name }
        // Uber's own id is of one delivery; a shop may give one external id to several.
        let references = [own, external].compactMap(\.self) + related
        guard !references.isEmpty else { throw UnreadableBody("delivery_id is missing") }
        let status = document["status"].name ?? data["status"].name ?? meta["status"].name
        let key =
            document["id"].name ?? document["event_id"].name
            ?? [external ?? references[0], kind, status ?? "", document["created"].name ?? ""].joined(separator: "|")
        let isImminent = document["courier_imminent"].flag ?? data["courier_imminent"].flag ?? false
        var event = ReadEvent(
            provider: .uber, key: key, kind: [kind, status].compactMap(\.self).joined(separator: " "),
            references: references, shopReference: external, receivedAt: receivedAt)
        // A return has the couriers of the delivery that it returns.
        event.lastingReference = ([own].compactMap(\.self) + related).first { !isOfReturn($0) } ?? own
        event.occurredAt =
            document["created"].time(received: receivedAt) ?? document["event_time"].time(received: receivedAt)
        event.isTest = document["live_mode"].flag == false
        event.reason = data["undeliverable_reason"].name
        let courier = data["courier"]
        event.courier = ReadCourier(
            id: courier["id"].name, name: courier["name"].name, phone: courier["phone_number"].name,
            vehicle: courier["vehicle_type"].name)
        event.place =
            document["location"].coordinate("lat", "lng") ?? courier["location"].coordinate("lat", "lng")
        let isReturn =
            kind == "event.delivery_return" || meta["is_returning"].flag == true || own.map(isOfReturn) ?? false
        // Other events repeat the picture of a failed attempt, such as of a closed door.
        if kind == "event.delivery_status", !isReturn, event.reason == nil {
            event.proofs = proofs(in: data["dropoff"]["verification"])
        }
        switch kind {
        case "event.delivery_status", "event.delivery_return", "dapi.status_changed":
            let isAttempted = event.reason != nil && status == "dropoff"
            event.meaning =
                isReturn
                ? status.flatMap(returnMeaning)
                : isAttempted ? .status(.attempted) : status.flatMap { meaning($0, isImminent: isImminent) }
        case "event.courier_update", "event.refund_request", "event.shopping_progress": event.meaning = .nothing
        default: break
        }
        return event
    }

    /// Whether Uber's id is of a return.
    private static func isOfReturn(_ id: String) -> Bool { id.hasPrefix("ret_") }

    /// The checks at the drop-off that were made, each with its result.
    private static func proofs(in verification: ProviderDocument) -> [ProofKind] {
        let barcodes = verification["barcodes"].elements ?? []
        let isScanned = barcodes.allSatisfy { $0["scan_result"]["outcome"].name?.uppercased() == "SUCCESS" }
        let made: [(ProofKind, Bool)] = [
            (.photo, verification["picture"]["image_url"].name != nil),
            (.signature, verification["signature"]["image_url"].name != nil),
            (.age, verification["identification"]["min_age_verified"].flag == true),
            (.pin, verification["pin_code"]["entered"].name != nil),
            (.barcode, !barcodes.isEmpty && isScanned),
        ]
        return made.filter(\.1).map(\.0)
    }

    private static func meaning(_ status: String, isImminent: Bool) -> ReadEvent.Meaning? {
        switch status {
        case "pending", "SCHEDULED": .status(.unassigned)
        case "pickup", "EN_ROUTE_TO_PICKUP": .status(.toStore)
        case "ARRIVED_AT_PICKUP": .status(.atStore)
        case "pickup_complete": .status(.pickedUp)
        case "dropoff", "EN_ROUTE_TO_DROPOFF": .status(isImminent ? .arriving : .enRoute)
        case "ARRIVED_AT_DROPOFF": .status(.atDoor)
        case "delivered", "COMPLETED": .status(.delivered)
        case "canceled": .status(.cancelled)
        case "returned": .status(.returned)
        case "FAILED": .status(.failed)
        default: nil
        }
    }

    /// The meaning of a status of a return delivery.
    private static func returnMeaning(_ status: String) -> ReadEvent.Meaning? {
        switch status {
        case "delivered", "returned", "COMPLETED": .status(.returned)
        case "canceled", "FAILED": .status(.failed)
        case "pending", "pickup", "pickup_complete", "dropoff", "SCHEDULED", "EN_ROUTE_TO_PICKUP",
            "ARRIVED_AT_PICKUP", "EN_ROUTE_TO_DROPOFF", "ARRIVED_AT_DROPOFF":
            .status(.returning)
        default: nil
        }
    }
}
