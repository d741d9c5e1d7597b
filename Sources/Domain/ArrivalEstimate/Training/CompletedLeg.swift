import Foundation
import OrderDomain

/// A completed leg to a door, reduced to the training data: metres from the door and seconds from the beginning, with
/// the weekday and quarter of an hour; no place on earth, no date, no delivery.
public struct CompletedLeg: Hashable, Codable, Sendable {
    /// Rises when the meaning of the numbers changes.
    public static let format = 1

    let mode: TravelMode
    /// A number for the courier, so that a model is validated on couriers that it was not fitted on.
    public let courier: Int
    /// The weekday of the courier's local day, 1 is Monday; quarters of an hour since midnight.
    let weekday: Int
    let quarter: Int
    /// Seconds from the beginning to the arrival.
    let seconds: Int
    /// Metres north and east of the door where it began.
    let origin: [Int]
    /// Each fix: seconds since the beginning, metres north and east of the door; by time.
    let fixes: [[Int]]
    /// Readings of a road engine: seconds since the beginning, and the distance as a multiple of the usual one.
    let roads: [[Double]]

    /// Seconds between the fixes that are kept, as in a track.
    static let spacingSeconds = 5
    /// Fixes that are kept: of legs of up to two hours, all.
    static let fixesMax = 1_440
    /// Plausible seconds and metres of a courier's leg.
    private static let secondsRange = 1...4 * 3_600
    private static let metresRange = -100_000...100_000

    /// - Parameter courier: a number for the courier, the same for all of their legs.
    public init(_ ride: RecordedRide, courier: Int) {
        let local = (ride.since.timeIntervalSince1970 + ride.utcOffset) / 86_400
        let day = local.rounded(.down)
        mode = ride.mode
        self.courier = courier
        // 1 January 1970 was a Thursday, three days after a Monday.
        weekday = Int(day + 3 - 7 * ((day + 3) / 7).rounded(.down)) + 1
        quarter = min(95, Int((local - day) * 96))
        seconds = Int(ride.arrivedAt.timeIntervalSince(ride.since).rounded())
        func metres(_ place: Coordinate) -> [Int] {
            let offset = ride.door.offset(to: place)
            return [Int(offset.north.rounded()), Int(offset.east.rounded())]
        }
        origin = metres(ride.origin)
        var kept: [[Int]] = []
        for fix in ride.fixes.sorted(by: { $0.time < $1.time }) {
            let second = Int(fix.time.timeIntervalSince(ride.since).rounded())
            guard second >= 0, fix.time <= ride.arrivedAt, kept.count < Self.fixesMax else {
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

    /// The leg as known before it begins, and its duration in seconds: a sample for fitting initial estimates.
    public var upcomingLeg: (leg: UpcomingLeg, seconds: Double)? {
        guard let ride else { return nil }
        var leg = UpcomingLeg(
            straightMetres: ride.origin.distance(to: ride.door), hour: Double(quarter) / 4, weekday: weekday)
        leg.store = ride.origin
        leg.door = ride.door
        return (leg, Double(seconds))
    }

    /// On the equator a degree is as long eastwards as northwards; off the meridian, since 0° north, 0° east is rejected.
    private static func place(_ north: Int, _ east: Int) -> Coordinate {
        Coordinate(
            clampingLatitude: Double(north) / Coordinate.degreeMetres,
            longitude: 10 + Double(east) / Coordinate.degreeMetres)
    }
}
