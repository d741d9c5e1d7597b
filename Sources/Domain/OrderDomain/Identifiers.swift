public import Foundation
internal import TextCoding

/// An id with a type of its own, so that ids of different kinds cannot be confused.
///
/// The raw value is safe in a subject, a path and a log line: 1 to 64 of `A–Z a–z 0–9 _ -`.
public protocol Identifier: RawRepresentable<String>, Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
}

extension Identifier {
    public var description: String { rawValue }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Whether a text may be an identifier.
package func isIdentifier(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(\.isURLSafe)
}

/// The UUID that a text is, in lower case; nil for any other text.
private func lowerCaseUUID(_ text: String) -> String? {
    // Most are as they should be already, and are only read.
    let isInForm =
        text.utf8.count == 36
        && zip(text.utf8, 0...).allSatisfy { byte, index in
            switch byte {
            case UInt8(ascii: "-"): index == 8 || index == 13 || index == 18 || index == 23
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                index != 8 && index != 13 && index != 18 && index != 23
            default: false
            }
        }
    return isInForm ? text : UUID(uuidString: text)?.uuidString.lowercased()
}

/// The id of an order, one basket of one customer; a lower-case UUID made by `orders`.
public struct OrderID: Identifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard let text = lowerCaseUUID(rawValue) else { return nil }
        self.rawValue = text
    }

    public init(_ uuid: UUID) { rawValue = uuid.uuidString.lowercased() }

    /// The id as a UUID.
    public var uuid: UUID {
        guard let uuid = UUID(uuidString: rawValue) else { preconditionFailure("an order's id is a UUID") }
        return uuid
    }
}

/// The id of a delivery, one hand-over at a door; a lower-case UUID made by `orders`.
public struct DeliveryID: Identifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard let text = lowerCaseUUID(rawValue) else { return nil }
        self.rawValue = text
    }

    public init(_ uuid: UUID) { rawValue = uuid.uuidString.lowercased() }

    /// The id as a UUID; links carry its 16 bytes.
    public var uuid: UUID {
        guard let uuid = UUID(uuidString: rawValue) else { preconditionFailure("a delivery's id is a UUID") }
        return uuid
    }
}

/// Names a line of a basket; the shop's, unique within its delivery.
public struct ItemID: Identifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard isIdentifier(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// The id of a customer, made by the shop.
public struct CustomerID: Identifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard isIdentifier(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// Names a store; the shop's.
public struct StoreID: Identifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard isIdentifier(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// Names a courier; the shop's.
public struct CourierID: Identifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard isIdentifier(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

extension CourierID {
    /// A word before the digest in ids of couriers whom a provider gives no id, and who are one within a delivery alone.
    public static let ofOneDelivery = "of-one"
    /// The regular expression of these ids.
    public static let ofOneDeliveryPattern = "-\(ofOneDelivery)-[0-9a-f]{\(digestCharacters)}$"
    /// Hexadecimal digits of a digest in an id.
    public static let digestCharacters = 32

    /// Whether the id is of a courier whom the provider reported.
    public func isOf(_ provider: ProviderID) -> Bool { rawValue.hasPrefix("\(provider)-") }
}

/// Names a delivery provider, as a short code such as `doordash`.
public struct ProviderID: Identifier, CodingKeyRepresentable {
    /// Leaves room for a suffix, so that `provider-id` is still an identifier.
    static let charactersMax = 24

    public let rawValue: String

    /// The provider id of couriers' own software and of shops' systems, which send CloudEvents.
    public static let cloudEvents = ProviderID(known: "cloudevents")

    private init(known rawValue: String) { self.rawValue = rawValue }

    public init?(rawValue: String) {
        guard isIdentifier(rawValue), rawValue.utf8.count <= Self.charactersMax else { return nil }
        self.rawValue = rawValue
    }
}
