public import Foundation
public import OrderDomain

/// A delivery's timeline so far, oldest first.
public struct TimelineBody: Codable, Sendable {
    public let delivery: DeliveryID
    public let entries: [Entry]

    public init(delivery: DeliveryID, entries: [Entry]) {
        self.delivery = delivery
        self.entries = entries
    }

    public struct Entry: Codable, Sendable {
        public let at: Date
        /// The delivery's version after it.
        public let version: Int
        /// The entry's kind, an open code such as `placed`, `status`, `courier`, `item`, `milestone` or `hold`.
        public let kind: String
        /// The change in words: `picking → staged`.
        public let what: String
        /// The actor: `store nordhavn`, `operator ada`.
        public let by: String
        public let reason: String?
        /// The provider's time of the event; nil where the provider sent none, and for entries without a report.
        public let occurredAt: Date?
        /// The provider that reported it; nil for everything else.
        public let source: ProviderID?
        /// True where it was reported when the delivery was past it.
        public let isLate: Bool?
        /// True for an event that no report contains, inferred from later reports.
        public let isInferred: Bool?

        public init(
            at: Date, version: Int, kind: String, what: String, by: String, reason: String?, occurredAt: Date? = nil,
            source: ProviderID? = nil, isLate: Bool? = nil, isInferred: Bool? = nil
        ) {
            self.at = at
            self.version = version
            self.kind = kind
            self.what = what
            self.by = by
            self.reason = reason
            self.occurredAt = occurredAt
            self.source = source
            self.isLate = isLate
            self.isInferred = isInferred
        }
    }
}
