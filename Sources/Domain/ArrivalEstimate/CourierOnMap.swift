public import Foundation
public import OrderDomain

/// Where a courier is, as a customer's map shows it: rounded to a grid of about 110 metres, and to slots of five
/// seconds.
///
/// The grid is the same for everyone and at every time: the average of many places is as rough as one of them.
public struct CourierOnMap: Hashable, Sendable {
    /// Degrees of latitude between two rows of the grid, 111 metres; the columns of a row are as far apart.
    public static let gridDegrees = 0.001
    public static let slotSeconds = 5
    /// Domain seconds after which a place is too old for a map.
    public static let secondsMax = 120.0
    /// Metres to which a distance is rounded.
    public static let distanceStep = 100

    /// On the grid.
    public let place: Coordinate
    /// The beginning of the slot of the fix, epoch seconds.
    public let at: Int

    /// Rounds a fix.
    public init(_ place: Coordinate, measuredAt time: Date) {
        self.init(
            rounded: Self.rounded(place),
            at: Int((time.timeIntervalSince1970 / Double(Self.slotSeconds)).rounded(.down)) * Self.slotSeconds)
    }

    /// - Parameters:
    ///   - place: on the grid.
    ///   - at: the beginning of a slot, epoch seconds.
    public init(rounded place: Coordinate, at: Int) {
        self.place = place
        self.at = at
    }

    /// The nearest place on the grid.
    public static func rounded(_ place: Coordinate) -> Coordinate {
        func rounded(_ degrees: Double, by step: Double) -> Double {
            // Five decimals are a metre.
            ((degrees / step).rounded() * step * 100_000).rounded() / 100_000
        }
        let latitude = rounded(place.latitude, by: gridDegrees)
        let column = gridDegrees / max(0.01, cos(latitude * .pi / 180))
        return Coordinate(clampingLatitude: latitude, longitude: rounded(place.longitude, by: column))
    }

    /// Whether the place may be shown at `now` for a delivery whose map is permitted since `since`.
    public func isCurrent(since: Date, now: Date) -> Bool {
        let time = TimeInterval(at)
        return time >= since.timeIntervalSince1970 && now.timeIntervalSince1970 - time <= Self.secondsMax
    }

    /// Metres to a door, rounded to the step and never less than it.
    public func metres(to door: Coordinate) -> Int {
        let steps = place.distance(to: door) / Double(Self.distanceStep)
        return max(1, Int(steps.rounded())) * Self.distanceStep
    }

    /// Whether the courier came nearer to a door since a former place.
    public func isNearer(to door: Coordinate, than former: CourierOnMap) -> Bool {
        place.distance(to: door) < former.place.distance(to: door)
    }
}
