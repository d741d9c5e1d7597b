/// The republishing by every service, so that a broker or peer that lost messages receives them again.
public enum Resync {
    /// Seconds after a delivery's end during which it is still republished: longer than its card can stay on a screen,
    /// which the system keeps active for 8 h at most and on the Lock Screen for 4 h more.
    public static let secondsAfterEnd = 13.0 * 3_600
    /// Seconds after a delivery's end during which an operator's request still republishes it where a reader lacks it,
    /// as one that was away: the least time for which readers keep ended deliveries.
    public static let secondsAfterEndOnRequest = 3.0 * 86_400
}

/// A service's published revisions of some objects; it asks a reader which of them the reader lacks.
public struct RevisionDigest: Codable, Hashable, Sendable {
    public static let schema = 1
    /// Revisions in one digest; with the longest ids a third of a message.
    public static let revisionsMax = 2_000

    public let schema: Int
    public let revisions: [PublishedRevision]

    public init(_ revisions: [PublishedRevision]) {
        schema = Self.schema
        self.revisions = revisions
    }
}

/// The revision of an object that a service has published.
public struct PublishedRevision: Codable, Hashable, Sendable {
    /// The id of a delivery, or of an activity.
    public let id: String
    public let isEnded: Bool
    /// Or the sequence, where that counts.
    public let version: Int
    public let step: Int
    /// Whether its state would be fresh for longer if it were published again.
    public let isProlonged: Bool

    public init(id: String, isEnded: Bool = false, version: Int, step: Int = 0, isProlonged: Bool = false) {
        self.id = id
        self.isEnded = isEnded
        self.version = version
        self.step = step
        self.isProlonged = isProlonged
    }
}

/// The reply to a ``RevisionDigest``.
public struct LackingRevisions: Codable, Hashable, Sendable {
    public static let schema = 1

    public let schema: Int
    /// The indexes in the digest, from 0, of the objects that the reader lacks in that revision.
    public let places: [Int]
    /// Why the digest was not compared; nil for one that was.
    public let fault: String?

    public init(places: [Int], fault: String? = nil) {
        schema = Self.schema
        self.places = places
        self.fault = fault
    }
}
