public import Foundation
public import OrderDomain

/// One measured position of a courier's phone.
public struct Fix: Hashable, Codable, Sendable {
    /// When it was measured, domain time; never when it was received.
    public let time: Date
    public let place: Coordinate
    /// Radius in metres that holds the true place with a probability of 68 %; nil where the phone did not report it.
    public let accuracy: Double?
    /// Metres a second; nil where the phone did not report it.
    public let speed: Double?
    /// Degrees clockwise from north; nil where the phone did not report it.
    public let heading: Double?

    /// Phones report −1 for "unknown": a negative or impossible accuracy, speed or heading becomes nil.
    public init(time: Date, place: Coordinate, accuracy: Double? = nil, speed: Double? = nil, heading: Double? = nil) {
        self.time = time
        self.place = place
        self.accuracy = accuracy.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
        self.speed = speed.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
        self.heading = heading.flatMap { (0...360).contains($0) ? $0 : nil }
    }
}

/// Why a fix is rejected by a track.
public enum FixFault: String, CaseIterable, Error, Hashable, Codable, Sendable {
    /// The coordinates or the time are invalid.
    case invalid
    /// 0° north, 0° east: the default of a phone without a position.
    case zero
    /// Measured later than it was received, by more than clock skew.
    case future
    /// Measured more than a day ago.
    case old
    /// The accuracy radius is too wide to be useful.
    case inaccurate
    /// A fix of that moment was received before.
    case duplicate
    /// No courier moves this fast; believed only once a later fix confirms it.
    case tooFast = "too_fast"
}
