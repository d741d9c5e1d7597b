import Foundation
import OrderDomain

/// The bounds of an order, which catch a mistake before a courier does.
struct OrderLimits: Sendable {
    /// Deliveries of one customer that may be live at once.
    var customerDeliveriesMax = 60
    /// Metres from a store to a door, as the crow flies.
    ///
    /// Wide: it is there for doors in the wrong country, since only the shop knows how far its couriers go.
    var reachMetresMax = 100_000
    /// Domain seconds since the end of a promise.
    ///
    /// An order that a shop could not send for two hours is still delivered, late; one of yesterday is a mistake.
    var promiseGraceSeconds = 7_200
    /// Days until the end of a promise, and from its start to its end; more of them are a mistyped year.
    static let promiseAheadDays = 366.0

    func isPast(_ promise: Promise, at now: Date) -> Bool {
        promise.end < now.addingTimeInterval(-Double(promiseGraceSeconds))
    }

    /// Whether a window has passed that a delivery is to get.
    ///
    /// The present and the first promise may stand again, as an undo has them: to the second.
    func hasPassed(_ promise: Promise, for delivery: Delivery, at now: Date) -> Bool {
        promise.end <= now && !Self.isSame(delivery.promise, promise)
            && !Self.isSame(delivery.originalPromise, promise)
    }

    /// The window that a delivery gets where this one is requested.
    ///
    /// An undo carries whole seconds: the first or the present promise stands again with its fractions.
    func exact(_ promise: Promise, for delivery: Delivery) -> Promise {
        [delivery.originalPromise, delivery.promise].first { Self.isSame($0, promise) } ?? promise
    }

    /// Whether two windows are the same to the second.
    private static func isSame(_ one: Promise, _ other: Promise) -> Bool {
        abs(one.start.timeIntervalSince(other.start)) < 1 && abs(one.end.timeIntervalSince(other.end)) < 1
    }

    func isTooFarAhead(_ promise: Promise, at now: Date) -> Bool {
        promise.end > now.addingTimeInterval(Self.promiseAheadDays * 86_400)
    }

    /// Whether the window starts more than 366 days before its end, as with a mistyped year.
    func isTooLong(_ promise: Promise) -> Bool {
        promise.end.timeIntervalSince(promise.start) > Self.promiseAheadDays * 86_400
    }

    /// A door's distance from its store, as a verdict.
    enum Reach: Hashable {
        case within
        case beyond(metres: Int)
        /// Out of reach, but within reach with latitude and longitude swapped, of the door or of the store: the data
        /// cannot show which of the two is swapped.
        case swapped(metres: Int)
    }

    func reach(from store: Coordinate, to door: Coordinate) -> Reach {
        let metres = store.distance(to: door)
        if metres <= Double(reachMetresMax) { return .within }
        if let swapped = door.swapped, store.distance(to: swapped) <= Double(reachMetresMax) {
            return .swapped(metres: Int(metres))
        }
        return .beyond(metres: Int(metres))
    }
}

extension Coordinate {
    /// The place with latitude and longitude exchanged; nil where that is not on earth.
    fileprivate var swapped: Coordinate? { Coordinate(latitude: longitude, longitude: latitude) }
}
