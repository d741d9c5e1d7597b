public import Foundation
public import OrderDomain

/// A page of the timelines of many deliveries, by time.
public struct TimelinePageBody: Codable, Sendable {
    public let rows: [Row]
    /// The value of `?cursor=` for the next page; nil on the last.
    ///
    /// A request reads a bounded number of entries, so a page with a next one may have few rows, or none.
    public let next: String?
    /// The value of `?since=` after the last page: some answer has contained every earlier entry.
    public let until: Date

    public init(rows: [Row], next: String?, until: Date) {
        self.rows = rows
        self.next = next
        self.until = until
    }

    /// One entry, with its delivery as people know it.
    public struct Row: Codable, Sendable {
        /// The entry's number, by which a reader that polls knows a repeat.
        public let id: Int
        public let delivery: DeliveryID
        public let reference: String
        public let bag: Bag
        public let store: StoreID
        public let storeName: String
        /// IANA name of the store's time zone, in which its people read times.
        public let timeZone: String
        /// The courier that the delivery has now; nil without one.
        public let courier: CourierID?
        /// The courier's name for customers; nil where `courier` is.
        public let courierName: String?
        /// The door's street and number; nil without an address, and after its retention.
        public let street: String?
        public let entry: TimelineBody.Entry

        public init(
            id: Int, delivery: DeliveryID, reference: String, bag: Bag, store: StoreID, storeName: String,
            timeZone: String, courier: CourierID?, courierName: String?, street: String?, entry: TimelineBody.Entry
        ) {
            self.id = id
            self.delivery = delivery
            self.reference = reference
            self.bag = bag
            self.store = store
            self.storeName = storeName
            self.timeZone = timeZone
            self.courier = courier
            self.courierName = courierName
            self.street = street
            self.entry = entry
        }
    }
}
