internal import Foundation
internal import OrderDomain

/// A made-up route: from place to place with a few right-angled turns, as along streets.
package struct StreetRoute: Sendable {
    /// Metres a second of a moving courier: 17 km/h, a city bicycle.
    package static let bicycleMetersPerSecond = 4.7
    /// Metres a second in a car, without halts at lights: 30 km/h.
    package static let carMetersPerSecond = 8.3
    /// Seconds that a turn costs.
    static let turnSeconds = 4.0
    /// Seconds at a door before the ride continues.
    static let doorSeconds = 60.0
    /// Metres that a phone is wrong by, one standard deviation north and east.
    package static let noiseMeters = 4.0

    let corners: [Coordinate]
    private let stops: Set<Int>

    /// - Parameter places: where it begins, then each door.
    init(_ places: [Coordinate], using random: inout some RandomNumberGenerator) {
        var corners = Array(places.prefix(1))
        var stops: Set<Int> = []
        for (from, to) in zip(places, places.dropFirst()) {
            corners += Self.turns(from, to, using: &random)
            corners.append(to)
            stops.insert(corners.count - 1)
        }
        self.corners = corners
        self.stops = stops
    }

    /// North, east, north, east in three unequal stairs, like blocks of houses.
    private static func turns(
        _ from: Coordinate, _ to: Coordinate, using random: inout some RandomNumberGenerator
    ) -> [Coordinate] {
        let first = Double.random(in: 0.2...0.45, using: &random)
        let second = Double.random(in: 0.55...0.8, using: &random)
        func place(north: Double, east: Double) -> Coordinate? {
            Coordinate(
                latitude: from.latitude + (to.latitude - from.latitude) * north,
                longitude: from.longitude + (to.longitude - from.longitude) * east)
        }
        return [
            place(north: first, east: 0), place(north: first, east: first), place(north: second, east: first),
            place(north: second, east: second), place(north: 1, east: second),
        ].compactMap(\.self)
    }

    /// The ride along it, with when it is at each door in turn.
    ///
    /// - Parameters:
    ///   - every: seconds between fixes.
    func ride(
        from start: Date, metersPerSecond: Double, every: TimeInterval, using random: inout some RandomNumberGenerator
    ) -> (ride: Ride, arrivals: [Date]) {
        var legs: [(start: TimeInterval, seconds: TimeInterval, from: Coordinate, to: Coordinate)] = []
        var arrivals: [Date] = []
        var clock: TimeInterval = 0
        for index in corners.indices.dropFirst() {
            let from = corners[index - 1]
            let to = corners[index]
            let seconds = from.distance(to: to) / metersPerSecond
            legs.append((clock, seconds, from, to))
            clock += seconds
            if stops.contains(index) { arrivals.append(start.addingTimeInterval(clock)) }
            let halt = stops.contains(index) ? Self.doorSeconds : Self.turnSeconds
            legs.append((clock, halt, to, to))
            clock += halt
        }
        var fixes: [Ride.Fix] = []
        var second: TimeInterval = 0
        var leg = 0
        while second <= clock, !legs.isEmpty {
            while leg < legs.count - 1, second > legs[leg].start + legs[leg].seconds { leg += 1 }
            let (begins, seconds, from, to) = legs[leg]
            let exact = from.between(to, share: seconds > 0 ? min((second - begins) / seconds, 1) : 1)
            let place = exact.moved(
                north: Self.noiseMeters * Self.normal(using: &random),
                east: Self.noiseMeters * Self.normal(using: &random))
            let time = start.addingTimeInterval(second)
            fixes.append(Ride.Fix(time: time, place: place, sentAt: time, accuracy: 2 * Self.noiseMeters))
            second += every
        }
        return (Ride(fixes: fixes), arrivals)
    }

    /// A number of the standard normal distribution, by Box and Muller.
    private static func normal(using random: inout some RandomNumberGenerator) -> Double {
        let radius = (-2 * log(Double.random(in: Double.leastNormalMagnitude...1, using: &random))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0...1, using: &random))
    }
}
