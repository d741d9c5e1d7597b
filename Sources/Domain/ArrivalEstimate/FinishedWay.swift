import Foundation

/// A way to a door that is over, reduced to what a model is fitted on: metres from the door and seconds from the
/// beginning, on a quarter of an hour of a day of the week; no place on earth, no date, no delivery.
public struct FinishedWay: Hashable, Codable, Sendable {
    /// Rises when the meaning of the numbers changes.
    public static let format = 1

    let mode: TravelMode
    /// Tells one courier's ways from another's, so that a model is tried on couriers that it was not fitted on.
    public let courier: Int
    /// Of the courier's day: 1 is Monday; quarters of an hour since midnight.
    let weekday: Int
    let quarter: Int
    /// Seconds from the beginning to the arrival.
    let seconds: Int
    /// Metres north and east of the door where it began.
    let origin: [Int]
    /// Of each fix: seconds since the beginning, metres north and east of the door; in order of time.
    let fixes: [[Int]]
    /// What a road engine said: seconds since the beginning, and how many times the usual the road was long.
    let roads: [[Double]]

    /// Seconds between the fixes that are kept: a track looks no closer.
    static let spacingSeconds = 5
    /// Fixes that are kept: of ways of up to two hours, all.
    static let fixesMax = 1_440
    /// Seconds and metres beyond which it was no way of a courier's.
    private static let secondsRange = 1...4 * 3_600
    private static let metresRange = -100_000...100_000

    /// - Parameter courier: a number for the courier, the same for all of their ways.
    public init(_ ride: RecordedRide, courier: Int) {
        let local = (ride.since.timeIntervalSince1970 + ride.utcOffset) / 86_400
        let day = local.rounded(.down)
        mode = ride.mode
        self.courier = courier
        // 1 January 1970 was a Thursday, three days after a Monday.
        weekday = Int(day + 3 - 7 * ((day + 3) / 7).rounded(.down)) + 1
        quarter = min(95, Int((local - day) * 96))
        seconds = Int(ride.arrivedAt.timeIntervalSince(ride.since).rounded())
        func metres(_ place: Place) -> [Int] {
            let offset = ride.door.offset(to: place)
            return [Int(offset.north.rounded()), Int(offset.east.rounded())]
        }
        origin = metres(ride.origin)
        var kept: [[Int]] = []
        for fix in ride.fixes.sorted(by: { $0.time < $1.time }) {
            let second = Int(fix.time.timeIntervalSince(ride.since).rounded())
            guard second >= 0, fix.time <= ride.arrivedAt, fix.place.isOnEarth, kept.count < Self.fixesMax else {
                continue
            }
            if let last = kept.last, second < last[0] + Self.spacingSeconds { continue }
            kept.append([second] + metres(fix.place))
        }
        fixes = kept
        roads = ride.roads.map { [max(0, $0.at.timeIntervalSince(ride.since).rounded()), $0.share.rounded(digits: 3)] }
    }

    /// The ride as a model is fitted on it, on the equator in the first week of 1970; nil where the numbers make no
    /// sense.
    public var ride: RecordedRide? {
        guard (1...7).contains(weekday), (0...95).contains(quarter), Self.secondsRange.contains(seconds),
            origin.count == 2, origin.allSatisfy(Self.metresRange.contains), !fixes.isEmpty,
            fixes.allSatisfy({ fix in
                fix.count == 3 && Self.secondsRange.contains(fix[0] + 1)
                    && fix[1...].allSatisfy(Self.metresRange.contains)
            }), roads.allSatisfy({ $0.count == 2 && $0[0] >= 0 && (0.01...100).contains($0[1]) })
        else { return nil }
        let since = Date(timeIntervalSince1970: Double(weekday + 3) * 86_400 + Double(quarter) * 900)
        return RecordedRide(
            courier: String(courier), mode: mode, utcOffset: 0, origin: Self.place(origin[0], origin[1]), since: since,
            door: Self.place(0, 0), arrivedAt: since + Double(seconds),
            fixes: fixes.map { Fix(time: since + Double($0[0]), place: Self.place($0[1], $0[2])) },
            roads: roads.map { RoadReading(at: since + $0[0], share: $0[1]) })
    }

    /// The same way before it begins, and the seconds that it took: what first promises are fitted on.
    public var wayAhead: (way: WayAhead, seconds: Double)? {
        guard let ride else { return nil }
        var way = WayAhead(
            straightMetres: ride.origin.distance(to: ride.door), hour: Double(quarter) / 4, weekday: weekday)
        way.store = ride.origin
        way.door = ride.door
        return (way, Double(seconds))
    }

    /// On the equator a degree is as long eastwards as northwards; off the meridian, since 0 north, 0 east is nowhere.
    private static func place(_ north: Int, _ east: Int) -> Place {
        Place(latitude: Double(north) / Place.degreeMetres, longitude: 10 + Double(east) / Place.degreeMetres)
    }
}
