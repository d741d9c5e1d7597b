package import Foundation
package import OrderDomain

/// The fixes of a courier's phone, in the order in which it sends them.
package struct Ride: Hashable, Sendable {
    package struct Fix: Hashable, Sendable {
        /// When the phone was there.
        package var time: Date
        package var place: Coordinate
        /// When the phone sends it; later than `time` where the phone had no network.
        package var sentAt: Date
        /// Metres; nil where it is not known.
        package var accuracy: Double?
    }

    package var fixes: [Fix]

    /// Seconds from the first fix to the last.
    package var duration: TimeInterval {
        guard let first = fixes.map(\.time).min(), let last = fixes.map(\.time).max() else { return 0 }
        return last.timeIntervalSince(first)
    }

    /// The ride shifted to another start, and sped up or slowed down.
    ///
    /// - Parameter rate: seconds of the ride in one second of domain time.
    package func begun(at start: Date, rate: Double = 1) -> Ride {
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
    package static let metersPerDegree = 111_195.0

    /// The place at an offset of metres north and east; the same place where the result is off the earth.
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
