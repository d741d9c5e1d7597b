public import Foundation

/// When a courier will be at a door: a point, and an 80 % prediction interval around it.
public struct Estimate: Hashable, Codable, Sendable {
    public let arrivesAt: Date
    public let earliest: Date
    public let latest: Date
    /// When it was made, domain time.
    public let madeAt: Date

    public init(arrivesAt: Date, earliest: Date, latest: Date, madeAt: Date) {
        self.arrivesAt = arrivesAt
        self.earliest = earliest
        self.latest = latest
        self.madeAt = madeAt
    }

    /// Seconds to go, at least 0.
    public func remaining(at now: Date) -> Double { max(0, arrivesAt.timeIntervalSince(now)) }
}
