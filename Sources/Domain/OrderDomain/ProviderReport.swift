public import Foundation

/// What a delivery provider says about a delivery that it carries, in our own terms.
///
/// Reports may come twice, late and out of order: what they make of a delivery does not depend on when each arrived.
public struct ProviderReport: Hashable, Codable, Sendable {
    /// Bytes in UTF-8 of its id, its kind and each name.
    public static let textBytesMax = 128
    /// Bytes in UTF-8 of the reason.
    public static let reasonBytesMax = 1_000

    /// The provider.
    public let source: ProviderID
    /// What customers call whoever brings it where nobody is named, such as `DoorDash`.
    public let sourceName: String
    /// By which a repeat is known; unique within the source, 1 to 128 characters.
    public let id: String
    /// What the provider calls it, such as `DASHER_PICKED_UP`; for operators.
    public let kind: String
    /// What it says of the status; nil where it says nothing about one, or nothing that is known.
    public let status: StatusCode?
    /// Who it says is bringing the delivery; nil where it names nobody.
    public let courier: Courier?
    /// When it happened, domain time; nil where the provider says no time, or one that cannot be.
    public let occurredAt: Date?
    /// When it was received, domain time.
    public let receivedAt: Date
    /// Why, in the provider's words.
    public let reason: String?
    /// Whether the provider says that the promise will be missed.
    public let isLate: Bool

    public init(
        source: ProviderID, sourceName: String, id: String, kind: String, status: StatusCode?, courier: Courier? = nil,
        occurredAt: Date?,
        receivedAt: Date, reason: String? = nil, isLate: Bool = false
    ) {
        self.source = source
        self.sourceName = sourceName
        self.id = id
        self.kind = kind
        self.status = status
        self.courier = courier
        self.occurredAt = occurredAt
        self.receivedAt = receivedAt
        self.reason = reason
        self.isLate = isLate
    }

    /// When it counts as having happened: never after it was received.
    public var effectiveAt: Date { min(occurredAt ?? receivedAt, receivedAt) }
}

/// The reports that say most lately who brings a delivery, and how far they are on the way to the store.
public struct CourierReports: Hashable, Codable, Sendable {
    /// Of those that name somebody, or say that nobody is assigned.
    var assignment: Mark?
    /// Of those that say where the courier is.
    var progress: Mark?

    /// A report's place among those about the courier.
    struct Mark: Hashable, Comparable, Codable, Sendable {
        /// When it happened; nil counts as before every time.
        let at: Date?
        let rank: Int
        /// Decides between two of one moment and rank, so that no order of arrival does.
        let courier: CourierID?

        static func < (one: Self, other: Self) -> Bool {
            (one.at ?? .distantPast, one.rank, one.courier?.rawValue ?? "")
                < (other.at ?? .distantPast, other.rank, other.courier?.rawValue ?? "")
        }
    }
}
