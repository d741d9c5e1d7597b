public import Foundation

/// One position of a courier's phone, as it was measured.
public struct Fix: Hashable, Codable, Sendable {
    /// When it was measured, domain time; never when it was received.
    public let time: Date
    public let place: Place
    /// Radius in metres that holds the true place with a chance of 68 %; nil where the phone did not say.
    public let accuracy: Double?
    /// Metres a second; nil where the phone did not say.
    public let speed: Double?
    /// Degrees clockwise from north; nil where the phone did not say.
    public let heading: Double?

    /// Phones say −1 for "unknown": a negative or impossible accuracy, speed or heading is none.
    public init(time: Date, place: Place, accuracy: Double? = nil, speed: Double? = nil, heading: Double? = nil) {
        self.time = time
        self.place = place
        self.accuracy = accuracy.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
        self.speed = speed.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
        self.heading = heading.flatMap { (0...360).contains($0) ? $0 : nil }
    }
}

/// A point in WGS 84 degrees; it may be nonsense until it has been looked at.
public struct Place: Hashable, Codable, Sendable {
    public let latitude: Double
    public let longitude: Double

    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    var isOnEarth: Bool { (-90.0...90).contains(latitude) && (-180.0...180).contains(longitude) }

    /// What a phone says that knows nothing: 0 north, 0 east.
    var isNowhere: Bool { abs(latitude) < 0.000_1 && abs(longitude) < 0.000_1 }

    /// Metres along the great circle, by the haversine formula on a sphere of 6,371,008.8 m.
    public func distance(to other: Place) -> Double {
        let radians = Double.pi / 180
        let north = (other.latitude - latitude) * radians
        let east = (other.longitude - longitude) * radians
        let chord =
            pow(sin(north / 2), 2)
            + cos(latitude * radians) * cos(other.latitude * radians) * pow(sin(east / 2), 2)
        return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
    }
}

/// Why a fix says nothing about where the courier is now.
public enum FixFault: String, CaseIterable, Error, Hashable, Codable, Sendable {
    /// Not a place on earth, or not a time.
    case invalid
    /// 0 north, 0 east: a phone that knows nothing.
    case zero
    /// Measured later than it was received, by more than clocks differ.
    case future
    /// Measured more than a day ago.
    case old
    /// Its radius is too wide to help.
    case inaccurate
    /// Heard already.
    case duplicate
    /// No courier moves this fast; believed only once a later fix confirms it.
    case tooFast = "too_fast"
}
