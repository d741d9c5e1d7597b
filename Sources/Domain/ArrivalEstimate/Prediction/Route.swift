import Foundation
public import OrderDomain

/// A courier's means of travel.
public enum TravelMode: String, CaseIterable, Hashable, Codable, CodingKeyRepresentable, Sendable {
    case bicycle, car, cab
}

/// The stops that a courier has yet to make, in order; the last one is the door whose arrival is estimated.
public struct Route: Hashable, Sendable {
    public struct Stop: Hashable, Sendable {
        public let place: Coordinate
        /// Seconds that the courier dwells there before leaving; not counted at the last stop.
        public let dwellSeconds: Double

        public init(place: Coordinate, dwellSeconds: Double) {
            self.place = place
            self.dwellSeconds = max(0, dwellSeconds)
        }
    }

    public let mode: TravelMode
    public let stops: [Stop]
    /// The place where the present leg began; nil until the first fix shows it.
    public var origin: Coordinate?
    /// Seconds by which the courier's clock is ahead of UTC.
    public var utcOffset: Double = 0
    /// Distance by road to the next stop as a multiple of the usual one, from a road engine; 1 without one.
    public var roadShare = 1.0

    public init(mode: TravelMode, through stops: [Stop], to door: Coordinate) {
        self.mode = mode
        self.stops = stops + [Stop(place: door, dwellSeconds: 0)]
    }

    var next: Coordinate { stops[0].place }

    /// The hour of the courier's day, 0 to 24.
    func hour(at now: Date) -> Double {
        let hour = ((now.timeIntervalSince1970 + utcOffset) / 3_600).truncatingRemainder(dividingBy: 24)
        return hour < 0 ? hour + 24 : hour
    }

    /// Whether it is Saturday or Sunday where the courier is.
    func isWeekend(at now: Date) -> Bool {
        Self.weekday(at: now, utcOffset: utcOffset) >= 6
    }

    /// The day of the week at an offset from UTC in seconds; 1 is Monday.
    static func weekday(at now: Date, utcOffset: Double) -> Int {
        // 1 January 1970 was a Thursday, three days after a Monday.
        let day = ((now.timeIntervalSince1970 + utcOffset) / 86_400).rounded(.down) + 3
        return Int(day - 7 * (day / 7).rounded(.down)) + 1
    }
}
