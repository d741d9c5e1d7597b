public import Foundation
public import OrderDomain

/// A text in a body of `PATCH`: a new one, or its removal, which is null in JSON.
public enum TextChange: Codable, Hashable, Sendable {
    case text(String)
    case removed

    public init(_ text: String?) { self = text.map(TextChange.text) ?? .removed }

    /// Nil where it is removed.
    public var value: String? {
        switch self {
        case .text(let text): text
        case .removed: nil
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.init(container.decodeNil() ? nil : try container.decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .removed: try container.encodeNil()
        }
    }
}

extension KeyedDecodingContainer {
    /// The change of a text; nil where the body leaves the text as it is.
    func textChange(_ key: Key) throws -> TextChange? {
        guard contains(key) else { return nil }
        return try decodeNil(forKey: key) ? .removed : .text(try decode(String.self, forKey: key))
    }
}

/// The request body of `PATCH /v1/deliveries/{id}/drop-off`: an absent property stays as it is, and null removes a text.
public struct DropOffBody: Codable, Sendable {
    /// The door's position; required with another street, postal code or city, the same one where the door has not moved.
    public var door: Coordinate?
    public var address: AddressChange?
    public var note: TextChange?
    /// Why; it is stored in the delivery's timeline.
    public var reason: String?

    public init(
        door: Coordinate? = nil, address: AddressChange? = nil, note: TextChange? = nil, reason: String? = nil
    ) {
        self.door = door
        self.address = address
        self.note = note
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey { case door, address, note, reason }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        door = container.contains(.door) ? try container.decode(Coordinate.self, forKey: .door) : nil
        address = container.contains(.address) ? try container.decode(AddressChange.self, forKey: .address) : nil
        note = try container.textChange(.note)
        reason = try container.decodeIfPresent(String.self, forKey: .reason)
    }

    /// The changed parts of an address.
    public struct AddressChange: Codable, Sendable {
        public var street: TextChange?
        public var floor: TextChange?
        public var postalCode: TextChange?
        public var city: TextChange?
        public var doorCode: TextChange?

        public init(
            street: TextChange? = nil, floor: TextChange? = nil, postalCode: TextChange? = nil,
            city: TextChange? = nil, doorCode: TextChange? = nil
        ) {
            self.street = street
            self.floor = floor
            self.postalCode = postalCode
            self.city = city
            self.doorCode = doorCode
        }

        private enum CodingKeys: String, CodingKey { case street, floor, postalCode, city, doorCode }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            street = try container.textChange(.street)
            floor = try container.textChange(.floor)
            postalCode = try container.textChange(.postalCode)
            city = try container.textChange(.city)
            doorCode = try container.textChange(.doorCode)
        }
    }

    /// The body's values by their fields.
    public var correction: DropOffCorrection {
        let texts: [(CorrectedField, TextChange?)] = [
            (.street, address?.street), (.floor, address?.floor), (.postalCode, address?.postalCode),
            (.city, address?.city), (.doorCode, address?.doorCode), (.note, note),
        ]
        return DropOffCorrection(door: door, texts: values(texts))
    }

    /// The body of a correction; its recipient is another body's.
    public init(_ correction: DropOffCorrection, reason: String?) {
        func change(_ field: CorrectedField) -> TextChange? { correction.texts[field].map(TextChange.init) }
        let address = AddressChange(
            street: change(.street), floor: change(.floor), postalCode: change(.postalCode), city: change(.city),
            doorCode: change(.doorCode))
        let hasAddress = correction.fields.contains { $0 != .door && $0.isOfAddress }
        self.init(
            door: correction.door, address: hasAddress ? address : nil, note: change(.note), reason: reason)
    }
}

/// The request body of `PATCH /v1/deliveries/{id}/recipient`: an absent property stays as it is, and null removes it.
public struct RecipientBody: Codable, Sendable {
    public var name: TextChange?
    public var phone: TextChange?
    /// Why; it is stored in the delivery's timeline.
    public var reason: String?

    public init(name: TextChange? = nil, phone: TextChange? = nil, reason: String? = nil) {
        self.name = name
        self.phone = phone
        self.reason = reason
    }

    private enum CodingKeys: String, CodingKey { case name, phone, reason }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.textChange(.name)
        phone = try container.textChange(.phone)
        reason = try container.decodeIfPresent(String.self, forKey: .reason)
    }

    /// The body's values by their fields.
    public var correction: DropOffCorrection {
        DropOffCorrection(texts: values([(.recipientName, name), (.recipientPhone, phone)]))
    }

    /// The body of a correction; its drop-off is another body's.
    public init(_ correction: DropOffCorrection, reason: String?) {
        func change(_ field: CorrectedField) -> TextChange? { correction.texts[field].map(TextChange.init) }
        self.init(name: change(.recipientName), phone: change(.recipientPhone), reason: reason)
    }
}

/// The request body of `POST /v1/deliveries/{id}/items`: items that the customer adds to the placed order.
public struct AddItemsBody: Codable, Sendable {
    public var items: [PlaceOrderBody.Line]
    /// Why; it is stored in the delivery's timeline.
    public var reason: String?

    public init(items: [PlaceOrderBody.Line], reason: String? = nil) {
        self.items = items
        self.reason = reason
    }
}

/// The request body of `POST /v1/deliveries/{id}/correction-due`: the step that a person has made.
public struct SettleCorrectionBody: Codable, Sendable {
    /// The step: `decision` declines the address that the customer asked for, `provider` means that the provider has the
    /// new values.
    public var settled: CorrectionDue
    /// Why; it is stored in the delivery's timeline.
    public var reason: String?

    public init(settled: CorrectionDue, reason: String? = nil) {
        self.settled = settled
        self.reason = reason
    }
}

/// A delivery's corrections since its courier was assigned, as `orders` answers and webhooks contain them: fields and
/// no values.
public struct CorrectionBody: Codable, Hashable, Sendable {
    /// The time of the newest one.
    public let at: Date
    public let fields: [CorrectedField]

    public init(_ correction: Correction) {
        at = correction.at
        fields = correction.fields
    }
}

private func values(_ changes: [(CorrectedField, TextChange?)]) -> [CorrectedField: String?] {
    changes.reduce(into: [:]) { texts, one in
        if let change = one.1 { texts.updateValue(change.value, forKey: one.0) }
    }
}
