import Foundation
import OrderDomain

/// A delivery in its courier's archive: what it has of the courier, and nothing of its customer.
///
/// Not its order's number either: a customer's page is found by that.
struct ExportedRide: Encodable {
    let delivery: DeliveryID
    let store: StoreID
    let storeName: String
    let timeZone: String
    let name: String
    let phone: String?
    let vehicle: Vehicle
    let status: StatusCode
    /// How far the courier is before pickup.
    let courierStatus: CourierStatus?
    let statusSinceAt: Date
    let pickedUpAt: Date?
    let endedAt: Date?

    /// - Parameter phone: the courier's number in clear.
    init(_ delivery: Delivery, of courier: Courier, phone: String?) {
        self.delivery = delivery.id
        store = delivery.store.id
        storeName = delivery.store.name
        timeZone = delivery.store.timeZone
        name = courier.name
        self.phone = phone
        vehicle = courier.vehicle
        status = delivery.status.code
        courierStatus = delivery.status.courierStatus
        statusSinceAt = delivery.statusSince
        pickedUpAt = delivery.pickedUpAt
        endedAt = delivery.endedAt
    }
}

/// How a store, or the whole shop, describes a courier.
struct ExportedDescription: Encodable {
    /// Nil for the whole shop.
    let store: StoreID?
    let name: String
    let phone: String?
    let vehicle: Vehicle
    let describedAt: Date?
}

/// A change that a courier made of a delivery, in the courier's archive.
struct ExportedAction: Encodable {
    let delivery: DeliveryID
    let at: Date
    let kind: String
    let change: String
    /// In the courier's own words.
    let reason: String?

    init(_ entry: TimelineEntry, of delivery: DeliveryID) {
        self.delivery = delivery
        at = entry.at
        kind = entry.kind
        // What a check found is about the customer.
        change = entry.kind == TimelineEntry.proofKind ? "a check at the door" : entry.namelessSummary
        reason = entry.reason
    }
}
