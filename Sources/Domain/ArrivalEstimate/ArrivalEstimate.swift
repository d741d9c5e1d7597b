public import Foundation

/// When a courier will be at a door: a point, and a window that holds the arrival with a chance of 80 %.
public struct ArrivalEstimate: Hashable, Codable, Sendable {
    public let arrivesAt: Date
    public let earliest: Date
    public let latest: Date
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
