public import OrderDomain

/// Asks `orders` for versions of a delivery whose messages a reader has lost.
public struct DeliveryVersionsQuestion: Codable, Hashable, Sendable {
    public static let schema = 1
    /// Versions in one question.
    public static let versionsMax = 1_000

    public let schema: Int
    public let delivery: DeliveryID
    public let first: Int
    public let last: Int

    /// - Parameter versions: of more than ``versionsMax`` the newest are asked for.
    public init(_ delivery: DeliveryID, _ versions: ClosedRange<Int>) {
        schema = Self.schema
        self.delivery = delivery
        first = max(versions.lowerBound, versions.upperBound - Self.versionsMax + 1)
        last = versions.upperBound
    }

    /// The versions that it asks for; nil where they are none that a delivery can have.
    public var versions: ClosedRange<Int>? {
        let range = WireRange.counter
        guard first > 0, range.contains(first), range.contains(last), first <= last, last - first < Self.versionsMax
        else { return nil }
        return first...last
    }
}

/// The answer to a ``DeliveryVersionsQuestion``.
public struct DeliveryVersions: Codable, Hashable, Sendable {
    public static let schema = 1
    /// Bytes of the changes in one answer, but for one that is larger: half a message.
    public static let bytesMax = 500_000

    public let schema: Int
    /// The changes as they were published, without links; oldest first.
    ///
    /// Versions that `orders` has deleted are omitted.
    public let changes: [DeliveryChanged]
    /// Whether later versions were cut off for the size of the answer, and must be requested again.
    public let isCut: Bool
    /// Why nothing was answered; nil where it was.
    public let fault: String?

    public init(_ changes: [DeliveryChanged], isCut: Bool = false, fault: String? = nil) {
        schema = Self.schema
        self.changes = changes
        self.isCut = isCut
        self.fault = fault
    }
}
