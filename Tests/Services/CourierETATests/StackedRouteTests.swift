import ArrivalEstimate
import Foundation
import OrderDomain
import Testing

@testable import CourierETA

@Suite("Several stops")
struct StackedRouteTests {
    /// A door on the way, 0.9 km before the other.
    private let firstDoor = along(0.7)

    /// The delivery that comes first, and the one after it.
    private func trip() throws -> (first: Delivery, second: Delivery) {
        var first = try Delivery.sample(in: .enRoute, customer: "ole")
        first = try Delivery.sample(like: first, door: firstDoor)
        var second = try Delivery.sample(in: .enRoute)
        try second.change(.stopsBefore(1), at: 1)
        return (first, second)
    }

    /// Rides to the first door and stands there, a fix every 15 s.
    private func standing(for stay: Double) -> [Fix] {
        CourierETATests.ride(from: 10, until: 0.7)
            + stride(from: 15, through: stay, by: 15).map {
                Fix(time: seconds(640 + $0), place: firstDoor, accuracy: 10, speed: 0)
            }
    }

    @Test("Standing at someone else's door is no alarm, however long, and the second arrival hardly moves")
    func standingIsNoAlarm() throws {
        let (first, second) = try trip()
        let watcher = Watcher()
        var watched = watcher.begin(second.said(at: 1), after: nil)
        var signs: [Sign] = []
        var arrivals: [Double] = []
        let fixes = standing(for: 240)
        for count in fixes.indices {
            let now = fixes[count].time
            signs +=
                watcher.observe(
                    &watched, track: track(of: Array(fixes[...count])), carried: [first, second], now: now
                ).signs
            // From the arrival at the first door to the usual end of a stay there.
            if (0...StopStays.builtIn.doorSeconds).contains(now.timeIntervalSince(seconds(655))) {
                arrivals.append(try #require(watched.watch.estimate).arrivesAt.timeIntervalSince(start))
            }
        }
        #expect(signs.isEmpty)
        #expect(arrivals.count > 5)
        #expect((arrivals.max() ?? 0) - (arrivals.min() ?? 0) < 60, "\(arrivals)")
    }

    @Test("What was stayed at the next stop is not stayed again; elsewhere the whole stay is to come")
    func rest() throws {
        let (first, second) = try trip()
        let stays = StopStays.builtIn
        func stay(_ fixes: [Fix]) throws -> Double {
            let route = try #require(
                Route(second, carried: [first, second], track: track(of: fixes), stays: stays))
            return route.stops[0].staySeconds
        }
        #expect(try stay(CourierETATests.ride(from: 10, until: 0.5)) == stays.doorSeconds)
        #expect(try stay(standing(for: 60)) < stays.doorSeconds - 50)
        #expect(try stay(standing(for: 600)) == 0)
    }

    @Test("A learned stay is what a stop before costs")
    func learnedStays() throws {
        let (first, second) = try trip()
        let long = StopStays.fit((0..<2_000).map { _ in StopStay(.door, seconds: 400) })
        let way = track(of: CourierETATests.ride(from: 10, until: 0.3))
        let route = try #require(Route(second, carried: [first, second], track: way, stays: long))
        #expect(route.stops.count == 2 && route.stops[0].staySeconds == long.doorSeconds)
        let ahead = try #require(
            Route(try .sample(in: .assigned), carried: [], track: CourierTrack(), stays: .fit(Self.slowStore)))
        #expect(ahead.stops[0].staySeconds > 500)
    }

    /// Ten minutes at the store of the samples, four at the others.
    private static let slowStore = (0..<200).flatMap { _ in
        [StopStay(.store, store: "nordhavn", seconds: 600), StopStay(.store, store: "other", seconds: 240)]
    }
}

extension Delivery {
    /// The same at another door.
    fileprivate static func sample(like delivery: Delivery, door: Place) throws -> Delivery {
        var data = try #require(
            try JSONSerialization.jsonObject(with: try JSONEncoder().encode(delivery)) as? [String: Any])
        data["door"] = ["latitude": door.latitude, "longitude": door.longitude]
        return try JSONDecoder().decode(Delivery.self, from: try JSONSerialization.data(withJSONObject: data))
    }
}
