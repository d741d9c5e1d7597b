/// The courier's instructions at one door, besides its position.
///
/// Personal data: it is kept apart from the ``Delivery``, whose snapshots leave the service, and is deleted earlier.
public struct DropOff: Hashable, Codable, Sendable {
    /// The person who opens the door; nil where the order names none.
    public let recipient: Recipient?
    public let address: Address?
    /// A note to the courier, 1 to 280 characters.
    public let note: String?
    /// Another address that the customer asked for, until the shop has decided; no courier reads it.
    public let requestedAddress: Address?

    /// Nil where all parts are nil.
    public init?(recipient: Recipient?, address: Address?, note: String?, requestedAddress: Address? = nil) {
        guard recipient != nil || address != nil || note != nil || requestedAddress != nil else { return nil }
        self.recipient = recipient
        self.address = address
        self.note = note
        self.requestedAddress = requestedAddress
    }
}

/// The person who receives a delivery at the door.
public struct Recipient: Hashable, Codable, Sendable {
    /// 1 to 60 characters.
    public let name: String
    /// Reachable by the courier while the delivery is theirs; 1 to 40 characters.
    public let phone: String?

    public init(name: String, phone: String? = nil) {
        self.name = name
        self.phone = phone
    }
}

/// A door's postal address, with directions.
public struct Address: Hashable, Codable, Sendable {
    /// Street and number, 1 to 120 characters.
    public let street: String
    /// Floor and side, or a flat's number: `3. tv`; 1 to 40 characters.
    public let floor: String?
    /// 1 to 16 characters.
    public let postalCode: String?
    /// 1 to 60 characters.
    public let city: String?
    /// The code of the street door, 1 to 24 characters.
    public let doorCode: String?

    public init(
        street: String, floor: String? = nil, postalCode: String? = nil, city: String? = nil, doorCode: String? = nil
    ) {
        self.street = street
        self.floor = floor
        self.postalCode = postalCode
        self.city = city
        self.doorCode = doorCode
    }
}
