public import Foundation

/// One basket of one customer at one store.
public struct Order: Hashable, Codable, Sendable {
    public let id: OrderID
    /// The number that the shop and the customer know it by, 1 to 24 characters.
    public let reference: String
    public let customer: CustomerID
    public let store: Store
    public let placedAt: Date
    /// The language that the customer reads, such as `da` or `pt-BR`; nil where the shop does not know it.
    public let language: String?
    /// The order's deliveries in bag order; one or more.
    public let deliveries: [DeliveryID]

    public init(
        id: OrderID, reference: String, customer: CustomerID, store: Store, placedAt: Date,
        language: String? = nil, deliveries: [DeliveryID]
    ) {
        self.id = id
        self.reference = reference
        self.customer = customer
        self.store = store
        self.placedAt = placedAt
        self.language = language
        self.deliveries = deliveries
    }
}

/// The store that a basket comes from.
public struct Store: Hashable, Codable, Sendable {
    public let id: StoreID
    /// The store's name for customers, 1 to 60 characters.
    public let name: String
    public let location: Coordinate
    /// IANA name; the card's clock times are in it.
    public let timeZone: String
    /// The currency of every amount in the store's orders; without it cards, pages and links show none.
    public let currency: CurrencyCode?
    /// False where the shop does not track couriers' phones, which suppresses `courier_silent`; nil for true.
    public let tracksCouriers: Bool?
    /// How customers and couriers reach the store; nil where the shop gives no way.
    public let contact: StoreContact?
    /// Until when orders are corrected, and what customers correct; nil for the usual limits.
    public let corrections: CorrectionLimits?

    public init(
        id: StoreID, name: String, location: Coordinate, timeZone: String, currency: CurrencyCode? = nil,
        tracksCouriers: Bool? = nil, contact: StoreContact? = nil, corrections: CorrectionLimits? = nil
    ) {
        self.id = id
        self.name = name
        self.location = location
        self.timeZone = timeZone
        self.currency = currency
        self.tracksCouriers = tracksCouriers
        self.contact = contact
        self.corrections = corrections
    }
}

/// The ways to reach a store, one or more.
public struct StoreContact: Hashable, Codable, Sendable {
    /// 1 to 40 characters.
    public let phone: String?
    /// A page for questions, such as a chat: `https://`, 1 to 200 characters.
    public let url: String?
    /// 3 to 120 characters.
    public let email: String?

    public init(phone: String? = nil, url: String? = nil, email: String? = nil) {
        self.phone = phone
        self.url = url
        self.email = email
    }
}

/// A place on earth in WGS 84 degrees.
public struct Coordinate: Hashable, Codable, Sendable {
    /// −90 to 90.
    public let latitude: Double
    /// −180 to 180.
    public let longitude: Double

    /// Nil outside the earth's ranges.
    public init?(latitude: Double, longitude: Double) {
        guard (-90.0...90).contains(latitude), (-180.0...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The place on earth nearest to computed degrees, such as those of an offset place.
    public init(clampingLatitude latitude: Double, longitude: Double) {
        self.latitude = min(max(latitude, -90), 90)
        self.longitude = min(max(longitude, -180), 180)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try container.decode(Double.self, forKey: .latitude)
        let longitude = try container.decode(Double.self, forKey: .longitude)
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw DecodingError.dataCorruptedError(
                forKey: (-90.0...90).contains(latitude) ? .longitude : .latitude, in: container,
                debugDescription: "\(latitude), \(longitude) is not on earth")
        }
        self = coordinate
    }
}

/// The window in which a delivery was promised.
public struct Promise: Hashable, Codable, Sendable {
    /// The least seconds that a customer has to answer a question about an item.
    public static let answerSecondsMin = 30

    public let start: Date
    public let end: Date

    /// Nil unless the window opens before it closes.
    public init?(start: Date, end: Date) {
        guard start < end else { return nil }
        self.start = start
        self.end = end
    }

    /// Whether a customer's answer is due before the end of the promise: one that has passed, or leaves the customer less
    /// than the least seconds, bounds nothing.
    public func boundsAnswer(at now: Date) -> Bool {
        end.timeIntervalSince(now) >= Double(Self.answerSecondsMin)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let start = try container.decode(Date.self, forKey: .start)
        guard let promise = Promise(start: start, end: try container.decode(Date.self, forKey: .end)) else {
            throw DecodingError.dataCorruptedError(
                forKey: .end, in: container, debugDescription: "the promise ends before it starts")
        }
        self = promise
    }
}

/// The handover of the bag at the door.
public struct Handoff: Hashable, Codable, Sendable {
    public var method: HandoffMethod
    /// The courier's check at the door; anything but `none` excludes `leave_at_door`.
    public let verification: HandoffVerification

    /// Nil for the one combination that is impossible: left at the door with something to verify.
    public init?(method: HandoffMethod, verification: HandoffVerification) {
        guard method == .handToCustomer || verification == .none else { return nil }
        self.method = method
        self.verification = verification
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let method = try container.decode(HandoffMethod.self, forKey: .method)
        let verification =
            try container.decodeIfPresent(HandoffVerification.self, forKey: .verification) ?? HandoffVerification.none
        guard let handoff = Handoff(method: method, verification: verification) else {
            throw DecodingError.dataCorruptedError(
                forKey: .verification, in: container,
                debugDescription: "leave_at_door cannot be combined with \(verification.rawValue)")
        }
        self = handoff
    }
}

public enum HandoffMethod: String, CaseIterable, Hashable, Codable, Sendable {
    case leaveAtDoor = "leave_at_door"
    case handToCustomer = "hand_to_customer"
}

public enum HandoffVerification: String, CaseIterable, Hashable, Codable, Sendable {
    case none, pin, signature
    case idAge = "id_age"
    case barcode, photo
}

/// The courier who carries a delivery.
public struct Courier: Hashable, Codable, Sendable {
    public let id: CourierID
    /// The courier's name for customers, 1 to 60 characters.
    public let name: String
    public let vehicle: Vehicle
    /// Reachable by the customer while the delivery is live; E.164.
    public let phone: String?

    public init(id: CourierID, name: String, vehicle: Vehicle, phone: String?) {
        self.id = id
        self.name = name
        self.vehicle = vehicle
        self.phone = phone
    }
}

public enum Vehicle: String, CaseIterable, Hashable, Codable, Sendable {
    case bicycle, car
}
