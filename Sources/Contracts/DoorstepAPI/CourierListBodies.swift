public import Foundation
public import OrderDomain

/// The couriers that a caller may assign, by id.
public struct CouriersBody: Codable, Hashable, Sendable {
    public let couriers: [Row]
    /// The value of `?after=` for the next page; nil on the last.
    public let next: CourierID?

    public init(couriers: [Row], next: CourierID?) {
        self.couriers = couriers
        self.next = next
    }

    /// One courier, as visible in the caller's deliveries and phones.
    public struct Row: Codable, Hashable, Sendable {
        public let courier: CourierID
        /// The courier's name for customers, from their newest delivery; nil before the first.
        public let name: String?
        /// Phones that may send their positions.
        public let phones: Int
        /// When a phone was last seen, to the minute; nil before.
        public let lastSeenAt: Date?
        public let onDuty: Bool
        /// Live deliveries that are theirs.
        public let deliveries: Int
        /// Positions that its phones sent and that could not be read; nil where there are none.
        public let malformed: Int?
        /// When the last such position was noticed, to the minute; nil where there is none.
        public let malformedAt: Date?
        /// Whether the courier's phone is silent for one of their live deliveries; nil from an older `courier-eta`.
        public let isSilent: Bool?
        /// True where the courier is exempt from customers' maps; nil where not, and for a token of one store.
        public let isOffMap: Bool?

        public init(
            courier: CourierID, name: String?, phones: Int, lastSeenAt: Date?, onDuty: Bool, deliveries: Int,
            malformed: Int? = nil, malformedAt: Date? = nil, isSilent: Bool? = nil, isOffMap: Bool? = nil
        ) {
            self.courier = courier
            self.name = name
            self.phones = phones
            self.lastSeenAt = lastSeenAt
            self.onDuty = onDuty
            self.deliveries = deliveries
            self.malformed = malformed
            self.malformedAt = malformedAt
            self.isSilent = isSilent
            self.isOffMap = isOffMap
        }
    }
}
