import Foundation

/// How a courier moves.
public enum TravelMode: String, CaseIterable, Hashable, Codable, CodingKeyRepresentable, Sendable {
    case bicycle, car, cab
}

/// Where a courier has yet to go, in order; the last stop is the door whose arrival is asked for.
public struct Route: Hashable, Sendable {
    public struct Stop: Hashable, Sendable {
        public let place: Place
        /// Seconds that the courier stays there before going on; not counted at the last one.
        public let staySeconds: Double

        public init(place: Place, staySeconds: Double) {
            self.place = place
            self.staySeconds = max(0, staySeconds)
        }
    }

    public let mode: TravelMode
    public let stops: [Stop]
    /// Where the present leg began; nil where only the first fix can tell.
    public var origin: Place?
    /// Seconds by which the courier's clock is ahead of UTC.
    public var utcOffset: Double = 0
    /// How many times the usual the road to the next stop is long, as a road engine says; 1 without one.
    public var roadShare = 1.0

    public init(mode: TravelMode, through stops: [Stop], to door: Place) {
        self.mode = mode
        self.stops = stops + [Stop(place: door, staySeconds: 0)]
    }

    var next: Place { stops[0].place }

    /// The hour of the courier's day, 0 to 24.
    func hour(at now: Date) -> Double {
        let hour = ((now.timeIntervalSince1970 + utcOffset) / 3_600).truncatingRemainder(dividingBy: 24)
        return hour < 0 ? hour + 24 : hour
    }

    /// Whether it is Saturday or Sunday where the courier is.
    func isWeekend(at now: Date) -> Bool {
        Self.weekday(at: now, utcOffset: utcOffset) >= 6
    }

    /// The day of the week where clocks are so many seconds ahead of UTC; 1 is Monday.
    static func weekday(at now: Date, utcOffset: Double) -> Int {
        // 1 January 1970 was a Thursday, three days after a Monday.
        let day = ((now.timeIntervalSince1970 + utcOffset) / 86_400).rounded(.down) + 3
        return Int(day - 7 * (day / 7).rounded(.down)) + 1
    }
}
