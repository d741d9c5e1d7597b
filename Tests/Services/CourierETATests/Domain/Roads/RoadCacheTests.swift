import ArrivalEstimate
import OrderDomain
import Testing

@testable import CourierETA

@Suite("Road cache")
struct RoadCacheTests {
    private let begin = ContinuousClock.now

    private func key(_ latitude: Double, _ longitude: Double, by mode: TravelMode = .bicycle) -> RoadCache.Key {
        RoadCache.Key(from: Coordinate(latitude: latitude, longitude: longitude)!, to: doorPlace, by: mode)
    }

    private func expect(
        _ share: Double?, _ expected: Double?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(share == expected, sourceLocation: sourceLocation)
    }

    @Test("Places of one cell share an answer; another cell, door or way of moving has its own")
    func cells() {
        var cache = RoadCache()
        cache.store(1.4, for: key(55.70001, 12.59001), at: begin)
        expect(cache.share(key(55.70002, 12.59002), at: begin), 1.4)
        expect(cache.share(key(55.70201, 12.59001), at: begin), nil)
        expect(cache.share(key(55.70001, 12.59301), at: begin), nil)
        expect(cache.share(key(55.70001, 12.59001, by: .car), at: begin), nil)
        let back = RoadCache.Key(
            from: doorPlace, to: Coordinate(latitude: 55.70001, longitude: 12.59001)!, by: .bicycle)
        expect(cache.share(back, at: begin), nil)
    }

    @Test("A cell is about 100 m wide and high wherever it is", arguments: [0.0, 35, 55.7, -69.3])
    func cellSize(latitude: Double) {
        func steps(_ north: Double, _ east: Double) -> Int {
            Set(
                (0..<1_000).map { step in
                    RoadCache.Cell(
                        Coordinate(latitude: latitude + Double(step) * north, longitude: 12 + Double(step) * east)!)
                }
            ).count
        }
        // A kilometre in a thousand steps, northwards and eastwards.
        let metre = 1 / 111_194.9
        let narrowing = RoadCacheTests.cosine(latitude)
        #expect((10...11).contains(steps(metre, 0)))
        #expect((10...11).contains(steps(0, metre / narrowing)))
    }

    private static func cosine(_ degrees: Double) -> Double {
        Coordinate(latitude: degrees, longitude: 0)!.distance(to: Coordinate(latitude: degrees, longitude: 0.001)!)
            / 111.1949
    }

    @Test("It never holds more than its bound, and what is asked for stays")
    func bound() {
        var cache = RoadCache(entriesMax: 10)
        let kept = key(55.7, 12.5)
        cache.store(1.1, for: kept, at: begin)
        for step in 0..<100 {
            cache.store(1.2, for: key(50, Double(step)), at: begin)
            expect(cache.share(kept, at: begin), 1.1)
            #expect(cache.count <= 10)
        }
        expect(cache.share(key(50, 0), at: begin), nil)
        expect(cache.share(key(50, 99), at: begin), 1.2)
    }

    @Test("An answer lasts a day, however often it is asked for")
    func lasting() {
        var cache = RoadCache()
        let key = key(55.7, 12.5)
        cache.store(1.1, for: key, at: begin)
        let day = RoadCache.timeToLive
        expect(cache.share(key, at: begin.advanced(by: day - .seconds(1))), 1.1)
        expect(cache.share(key, at: begin.advanced(by: day)), nil)
        #expect(cache.count == 0)
    }
}
