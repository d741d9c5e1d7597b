public import OrderDomain

/// Asks `courier-eta` where couriers are, for the maps of open pages: one question of a replica of `orders` in five
/// seconds, for all of its maps together.
public struct CourierPlacesQuestion: Codable, Hashable, Sendable {
    public static let schema = 1
    /// Couriers in one question: a tenth of a megabyte of answer.
    public static let couriersMax = 1_000

    public struct Courier: Codable, Hashable, Sendable {
        public let courier: CourierID
        /// The time of the oldest fix that may be answered, domain time in epoch seconds.
        public let since: Int

        public init(_ courier: CourierID, since: Int) {
            self.courier = courier
            self.since = since
        }
    }

    public let schema: Int
    public let couriers: [Courier]

    public init(_ couriers: [Courier]) {
        schema = Self.schema
        self.couriers = couriers
    }
}

/// The answer to a ``CourierPlacesQuestion``: places that are rounded as a customer's map shows them.
public struct CourierPlaces: Codable, Hashable, Sendable {
    public static let schema = 1

    public struct Place: Codable, Hashable, Sendable {
        public let courier: CourierID
        /// On the grid of customers' maps.
        public let place: Coordinate
        /// The beginning of the slot of the fix, domain time in epoch seconds.
        public let at: Int

        public init(_ courier: CourierID, place: Coordinate, at: Int) {
            self.courier = courier
            self.place = place
            self.at = at
        }
    }

    public let schema: Int
    /// A courier who is exempt, carries nothing, or has no such fix is missing.
    public let places: [Place]
    /// Why the service answered nothing; nil where it answered.
    public let fault: String?

    public init(_ places: [Place], fault: String? = nil) {
        schema = Self.schema
        self.places = places
        self.fault = fault
    }
}
