import Foundation
import OrderDomain

/// Where a courier's phone was and when it said so, in the order of the saying.
struct Ride: Hashable, Sendable {
    struct Fix: Hashable, Sendable {
        /// When the phone was there.
        var time: Date
        var place: Coordinate
        /// When the phone sends it; later than `time` where the phone had no network.
        var sentAt: Date
        /// Metres; nil where the file does not say.
        var accuracy: Double?
    }

    var fixes: [Fix]

    var duration: TimeInterval {
        guard let first = fixes.map(\.time).min(), let last = fixes.map(\.time).max() else { return 0 }
        return last.timeIntervalSince(first)
    }

    /// The same ride, beginning at another time and ridden faster or slower.
    ///
    /// - Parameter rate: seconds of the ride in one second of domain time.
    func begun(at start: Date, rate: Double = 1) -> Ride {
        guard let first = fixes.map(\.time).min() else { return self }
        func moved(_ date: Date) -> Date { start.addingTimeInterval(date.timeIntervalSince(first) / rate) }
        var ride = self
        for index in ride.fixes.indices {
            ride.fixes[index].time = moved(fixes[index].time)
            ride.fixes[index].sentAt = moved(fixes[index].sentAt)
        }
        return ride
    }
}

extension Coordinate {
    /// Metres of one degree of latitude, on a sphere of 6,371 km.
    static let metersPerDegree = 111_195.0

    /// Metres as the crow flies; good to a part in a thousand over a city.
    func distance(to other: Coordinate) -> Double {
        let north = (other.latitude - latitude) * Self.metersPerDegree
        let east = (other.longitude - longitude) * Self.metersPerDegree * cos(latitude * .pi / 180)
        return (north * north + east * east).squareRoot()
    }

    /// The place so many metres north and east of here; here itself where that is off the earth.
    func moved(north: Double, east: Double) -> Coordinate {
        let metersPerDegreeEast = Self.metersPerDegree * max(cos(latitude * .pi / 180), 0.01)
        return Coordinate(
            latitude: latitude + north / Self.metersPerDegree, longitude: longitude + east / metersPerDegreeEast)
            ?? self
    }

    /// The place on the straight way to another, 0 here and 1 there.
    func between(_ other: Coordinate, share: Double) -> Coordinate {
        Coordinate(
            latitude: latitude + (other.latitude - latitude) * share,
            longitude: longitude + (other.longitude - longitude) * share) ?? self
    }
}
