import Foundation
import OrderDomain
import SeededRandom
import Testing

@testable import ArrivalEstimate

@Suite("A courier on a customer's map")
struct CourierOnMapTests {
    private func random(_ seed: UInt64) -> SeededGenerator { SeededGenerator(seed: seed) }

    @Test("A place is rounded to a grid, at most 79 metres away, and rounding it again changes nothing")
    func grid() throws {
        var random = random(1)
        for _ in 0..<5_000 {
            let place = Coordinate(
                clampingLatitude: .random(in: -75...75, using: &random),
                longitude: .random(in: -179.9...179.9, using: &random))
            let rounded = CourierOnMap.rounded(place)
            #expect(place.distance(to: rounded) < 80)
            #expect(CourierOnMap.rounded(rounded) == rounded)
        }
    }

    @Test("Many places within a square of the grid are one place, so that their average is no more exact")
    func average() {
        var random = random(2)
        let home = CourierOnMap.rounded(Coordinate(clampingLatitude: 55.7, longitude: 12.5))
        let places = (0..<1_000).map { _ in
            CourierOnMap.rounded(
                home.moved(
                    north: .random(in: -50...50, using: &random), east: .random(in: -50...50, using: &random)))
        }
        #expect(Set(places) == [home])
    }

    @Test("A time is rounded to the beginning of its slot of five seconds")
    func slots() throws {
        let place = try #require(Coordinate(latitude: 55.7, longitude: 12.5))
        for (second, slot) in [(0.0, 0), (4.9, 0), (5, 5), (12.3, 10)] {
            let shown = CourierOnMap(place, measuredAt: Date(timeIntervalSince1970: 1_795_284_000 + second))
            #expect(shown.at == 1_795_284_000 + slot)
        }
    }

    @Test("A place counts from the beginning of a span until it is two minutes old")
    func current() throws {
        let place = try #require(Coordinate(latitude: 55.7, longitude: 12.5))
        let start = Date(timeIntervalSince1970: 1_795_284_000)
        let shown = CourierOnMap(place, measuredAt: start)
        #expect(shown.isCurrent(since: start, now: start + 120))
        #expect(!shown.isCurrent(since: start, now: start + 121))
        #expect(!shown.isCurrent(since: start + 1, now: start + 10))
    }

    @Test("A distance is rounded to a hundred metres, and is never none")
    func distances() throws {
        let door = try #require(Coordinate(latitude: 55.7, longitude: 12.5))
        for (north, metres) in [(0.0, 100), (130, 100), (560, 600), (2_340, 2_300)] {
            let shown = CourierOnMap(rounded: door.moved(north: north, east: 0), at: 0)
            #expect(shown.metres(to: door) == metres)
        }
        let (near, far) = (
            CourierOnMap(rounded: door.moved(north: 300, east: 0), at: 5),
            CourierOnMap(rounded: door.moved(north: 400, east: 0), at: 0)
        )
        #expect(near.isNearer(to: door, than: far) && !far.isNearer(to: door, than: near))
    }
}
