import ArrivalEstimate
import Foundation
import OrderDomain
import SeededRandom
import Testing

@testable import Orders

@Suite("Couriers' places on maps, over random trips", .timeLimit(.minutes(5)))
struct PageMapsPropertyTests {
    /// One delivery with two couriers, a page that is read now and then, and the answers of `courier-eta`.
    private struct Trip {
        var random: SeededGenerator
        var delivery: Delivery
        let maps: PageMaps
        let stopsMax: Int
        var time = 0.0
        var lastChange = Date(timeIntervalSince1970: 1_795_222_000)
        /// The beginning of the present span, by the delivery itself.
        var permittedSince: Date?
        var fixes: [CourierID: (place: Coordinate, at: Date)] = [:]
        var page: PageMap?
        /// How many places a page had.
        var shown = 0

        var now: Date { Date(timeIntervalSince1970: 1_795_222_000 + time) }
        var isPermitted: Bool { delivery.mayShowCourier(stopsMax: stopsMax) }

        mutating func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: 0..<values.count, using: &random)]
        }

        mutating func change() {
            let before = (isPermitted: isPermitted, courier: delivery.courier?.id, version: delivery.version)
            let change: DeliveryChange = pick([
                .status(
                    pick([.pickedUp, .enRoute, .arriving, .atDoor, .delivered, .attempted, .returning]), reason: nil),
                .override(pick([.pickedUp, .enRoute, .arriving, .delivered]), reason: "test"),
                .override(.enRoute, reason: "test"), .stopsBefore(pick([0, 0, 1, 2])), .hold(reason: "rain"), .release,
                .courier(pick([PageMapsPropertyTests.mira, PageMapsPropertyTests.noah])), .leaveAtDoor,
                .milestone(pick([.leftStore, .arriving, .late, .onTime]), assignmentEpoch: delivery.assignmentEpoch),
            ])
            // What is refused changes nothing.
            _ = try? delivery.apply(change, at: now)
            guard delivery.version != before.version else { return }
            lastChange = now
            if !isPermitted {
                permittedSince = nil
            } else if !before.isPermitted || before.courier != delivery.courier?.id {
                permittedSince = now
            }
        }

        mutating func move() {
            for courier in [PageMapsPropertyTests.mira, PageMapsPropertyTests.noah] {
                let place = Coordinate(
                    clampingLatitude: .random(in: 55.68...55.72, using: &random),
                    longitude: .random(in: 12.5...12.6, using: &random))
                if Bool.random(using: &random) { fixes[courier.id] = (place, now) }
            }
        }

        mutating func read(_ link: Link) async throws {
            let lastChange = lastChange
            page = try await maps.map(of: link, delivery, isProven: false) { lastChange }
            #expect((page != nil) == isPermitted)
        }

        /// As `PageMapUpdates` does; `courier-eta` answers what it is asked, whatever its own deliveries are like.
        mutating func update(isAnswered: Bool) {
            let before = page.flatMap(maps.place)
            let spans = maps.read([delivery.id])
            var places: [CourierID: CourierOnMap] = [:]
            for span in spans.values {
                guard let fix = fixes[span.courier], fix.at >= span.since else { continue }
                places[span.courier] = CourierOnMap(fix.place, measuredAt: fix.at)
            }
            let moved = maps.apply(
                isAnswered ? places : nil, to: spans, versions: [delivery.id: delivery.version], at: now
            ).moved
            if !isPermitted || page?.version != delivery.version {
                #expect(moved.isEmpty, "a page of another version gets no place")
                #expect(page.flatMap(maps.place) == before)
            }
        }

        /// The page's place is rounded, of the delivery's courier, and of the present span.
        mutating func check() {
            guard let page, page.version == delivery.version, let place = maps.place(on: page) else { return }
            shown += 1
            for one in [place.now, place.former].compactMap(\.self) {
                #expect(CourierOnMap.rounded(one.place) == one.place)
                #expect(one.at % CourierOnMap.slotSeconds == 0)
                guard let since = permittedSince else {
                    Issue.record("a place outside every span")
                    return
                }
                #expect(Double(one.at) >= since.timeIntervalSince1970)
            }
        }
    }

    static let mira = Delivery.mira
    static let noah = Courier(
        id: CourierID(rawValue: "noah").unsafelyUnwrapped, name: "Noah", vehicle: .car, phone: nil)

    @Test("No place is on a map that was not measured in the permitted span, and none is exact", arguments: 0..<8)
    func spans(block: Int) async throws {
        var shown = 0
        for seed in 0..<60 {
            var random = SeededGenerator(seed: UInt64(block * 60 + seed))
            let stopsMax = Int.random(in: 0...2, using: &random)
            let visibility = try #require(CourierVisibility(customers: "*:\(stopsMax)"))
            var delivery = try Delivery.sample()
            try delivery.advance(to: .pickedUp)
            let link = Link.details(of: delivery.id, promiseEnd: delivery.promise.end)
            var trip = Trip(
                random: random, delivery: delivery, maps: PageMaps(visibility: visibility), stopsMax: stopsMax)
            trip.lastChange = trip.now
            trip.permittedSince = trip.isPermitted ? trip.now : nil
            for _ in 0..<150 {
                trip.time += trip.pick([1, 2, 5, 10])
                switch trip.pick([0, 1, 1, 2, 2, 3, 3, 3, 4]) {
                case 0: trip.change()
                case 1: trip.move()
                case 2: try await trip.read(link)
                case 3: trip.update(isAnswered: true)
                default: trip.update(isAnswered: false)
                }
                trip.check()
            }
            shown += trip.shown
        }
        #expect(shown > 500)
    }

    @Test("A page without a stream keeps its map for a while, and one with a stream as long as it is open")
    func kept() async throws {
        let maps = PageMaps(visibility: try #require(CourierVisibility(customers: "*")))
        var delivery = try Delivery.sample()
        try delivery.advance(to: .enRoute)
        let link = Link.details(of: delivery.id, promiseEnd: delivery.promise.end)
        _ = try await maps.map(of: link, delivery, isProven: false) { delivery.statusSince }
        let late = ContinuousClock.now + PageMaps.keptFor
        #expect(maps.read([]).count == 1)
        #expect(maps.read([delivery.id], at: late).count == 1)
        #expect(maps.read([], at: late).isEmpty && maps.read([delivery.id]).isEmpty)
    }
}
