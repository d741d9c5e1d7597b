import OrderDomain

/// One entry of the timelines of many deliveries, with its delivery as people know it.
struct TimelineRow: Sendable {
    let id: Int
    let delivery: DeliveryID
    let reference: String
    let bag: Bag
    let store: StoreID
    let storeName: String
    let timeZone: String
    let courier: CourierID?
    let courierName: String?
    let street: String?
    let entry: TimelineEntry
}
