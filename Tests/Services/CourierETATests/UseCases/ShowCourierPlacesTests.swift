import ArrivalEstimate
import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import SeededRandom
import TestSupport
import Testing

@testable import CourierETA

@Suite("Places for customers' maps", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ShowCourierPlacesTests {
    private static func places(
        of courier: Courier = mira, since: Double = 0, _ harness: Harness
    ) async throws -> [CourierPlaces.Place] {
        let show = ShowCourierPlaces(pool: harness.pool, clock: harness.wall.domain)
        let question = CourierPlacesQuestion([
            .init(courier.id, since: Int(seconds(since).timeIntervalSince1970))
        ])
        let answer = try await show(question)
        #expect(answer.fault == nil)
        return answer.places
    }

    private static func fix(at time: Double, _ place: Coordinate, _ harness: Harness) async throws {
        harness.move(to: time)
        let fix = Fix(time: seconds(time), place: place, accuracy: 10, speed: 3.2)
        #expect(try await harness.parts.ingestFixes([fix], of: mira.id).accepted == 1)
    }

    @Test("A courier on the way to a door is where their newest fix is, rounded in space and time")
    func rounded() async throws {
        try await Harness.run { harness in
            try await harness.learnDelivery(in: .enRoute)
            try await Self.fix(at: 13, along(0.1), harness)
            let place = try #require(try await Self.places(harness).first)
            #expect(place.courier == mira.id && place.at == Int(seconds(10).timeIntervalSince1970))
            #expect(place.place == CourierOnMap.rounded(along(0.1)) && place.place != along(0.1))
            try await Self.fix(at: 40, along(0.3), harness)
            #expect(try await Self.places(harness).map(\.place) == [CourierOnMap.rounded(along(0.3))])
        }
    }

    @Test(
        "Nothing is answered before pickup, at the door, after it, and on the way back", arguments: StatusCode.allCases)
    func statuses(code: StatusCode) async throws {
        guard case .tail = code.region else { return }
        try await Harness.run { harness in
            try await harness.learnDelivery(in: .assigned)
            try await Self.fix(at: 5, along(0), harness)
            #expect(try await Self.places(harness).isEmpty)
            try await harness.parts.applyDeliveryChange(try Delivery.sample(in: code).changed(at: 6))
            let isShown = [.pickedUp, .enRoute, .arriving].contains(code)
            #expect(try await Self.places(harness).count == (isShown ? 1 : 0))
        }
    }

    @Test("Nothing is answered on hold, from before the asked time, and after two minutes")
    func others() async throws {
        try await Harness.run { harness in
            var delivery = try await harness.learnDelivery(in: .enRoute)
            try await Self.fix(at: 10, along(0.1), harness)
            #expect(try await Self.places(since: 10, harness).count == 1)
            #expect(try await Self.places(since: 11, harness).isEmpty)
            #expect(try await Self.places(of: noah, harness).isEmpty)
            try delivery.change(.hold(reason: "rain"), at: 20)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 20))
            #expect(try await Self.places(harness).isEmpty)
            try delivery.change(.release, at: 30)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 30))
            #expect(try await Self.places(harness).count == 1)
            harness.move(to: 131)
            #expect(try await Self.places(harness).isEmpty)
        }
    }

    @Test("An exempt courier is nowhere, until the exemption ends")
    func exempt() async throws {
        try await Harness.run { harness in
            try await harness.learnDelivery(in: .enRoute)
            try await Self.fix(at: 10, along(0.1), harness)
            let exempt = ExemptFromMap(pool: harness.pool, clock: harness.wall.domain)
            for _ in 0..<2 { try await exempt.set(isShown: false, of: mira.id, by: "operator ada") }
            #expect(try await Self.places(harness).isEmpty)
            #expect(try await !exempt.isShown(mira.id))
            try await exempt.set(isShown: true, of: mira.id, by: "operator ada")
            #expect(try await Self.places(harness).isEmpty, "it is of the time of the exemption")
            try await Self.fix(at: 40, along(0.2), harness)
            #expect(try await Self.places(harness).count == 1)
        }
    }

    @Test("A phone whose clock is ahead was seen when its fix arrived, and its place is forgotten after an hour")
    func clockAhead() async throws {
        try await Harness.run { harness in
            try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 10)
            let fix = Fix(time: seconds(100), place: along(0.1), accuracy: 10, speed: 3.2)
            #expect(try await harness.parts.ingestFixes([fix], of: mira.id).accepted == 1)
            #expect(try await Self.places(since: 10, harness).count == 1)
            #expect(try await Self.places(since: 11, harness).isEmpty)
            for (time, forgotten) in [(10.0, 0), (11, 1), (11, 0)] {
                let count = try await CourierPlaceRepository.forget(
                    seenBefore: seconds(time), rowsMax: 10, on: harness.pool)
                #expect(count == forgotten)
            }
            #expect(try await Self.places(harness).isEmpty)
        }
    }

    @Test("All places past their time are forgotten, a batch after the other")
    func batches() async throws {
        try await Harness.run { harness in
            try await harness.pool.execute(
                """
                INSERT INTO couriers (courier_id, seen_at, seen_latitude, seen_longitude)
                SELECT 'courier-' || number, \(seconds(0)), 55.7, 12.5 FROM generate_series(1, 5) AS number
                """)
            let count = try await CourierPlaceRepository.forget(
                seenBefore: seconds(1), rowsMax: 2, on: harness.pool)
            #expect(count == 5)
        }
    }

    @Test("A phone that was left at home is not where the courier is")
    func leftAtHome() async throws {
        try await Harness.run { harness in
            try await harness.learnDelivery(in: .enRoute)
            let home = Coordinate(clampingLatitude: 55.76, longitude: 12.51)
            for step in 0..<12 {
                let time = Double(step) * 15
                harness.move(to: time)
                let fixes = [("a-carried", along(time / 900)), ("b-home", home)]
                for (phone, place) in fixes {
                    let batch = FixBatch(
                        courier: mira.id, phone: PhoneID(rawValue: phone),
                        fixes: [Fix(time: seconds(time), place: place, accuracy: 10, speed: nil)])
                    _ = try await harness.parts.ingestFixes([batch])
                }
            }
            let place = try #require(try await Self.places(harness).first).place
            #expect(place.distance(to: home) > 3_000 && place.distance(to: along(165.0 / 900)) < 200)
        }
    }

    @Test("Over random trips no answer has a place that is exact, of another time, or of a courier who carries nothing")
    func randomTrips() async throws {
        try await Harness.run { harness in
            var (answered, questions) = (0, 0)
            for seed in 0..<6 {
                var random = SeededGenerator(seed: UInt64(seed))
                let courier = Courier(
                    id: try #require(CourierID(rawValue: "trip-\(seed)")), name: "Mira", vehicle: .bicycle, phone: nil)
                var delivery = try Delivery.sample()
                try delivery.change(.courier(courier), at: 0)
                let begin = harness.wall.now.timeIntervalSince(start)
                try await harness.parts.applyDeliveryChange(delivery.changed(at: begin))
                var fixes: [Fix] = []
                for step in 1...40 {
                    let time = begin + Double(step) * 15
                    harness.move(to: time)
                    let fix = Fix(time: seconds(time), place: along(Double(step) / 60), accuracy: 10, speed: 3)
                    if Bool.random(using: &random) {
                        _ = try await harness.parts.ingestFixes([fix], of: courier.id)
                        fixes.append(fix)
                    }
                    let codes: [StatusCode] = [
                        .toStore, .pickedUp, .enRoute, .arriving, .atDoor, .attempted, .delivered,
                    ]
                    let changes: [DeliveryChange] = [
                        .override(codes[Int.random(in: 0..<7, using: &random)], reason: "test"), .hold(reason: "rain"),
                        .release, .override(.enRoute, reason: "test"),
                    ]
                    // What is refused changes nothing.
                    _ = try? delivery.apply(changes[Int.random(in: 0..<4, using: &random)], at: seconds(time))
                    try await harness.parts.applyDeliveryChange(delivery.changed(at: time))
                    let since = time - Double(Int.random(in: 0...90, using: &random))
                    let places = try await Self.places(of: courier, since: since, harness)
                    (answered, questions) = (answered + places.count, questions + 1)
                    for place in places {
                        #expect(delivery.mayShowCourier(stopsMax: 0), "seed \(seed): \(delivery.status)")
                        let shown = try #require(
                            fixes.last { CourierOnMap($0.place, measuredAt: $0.time).at == place.at })
                        #expect(shown.time >= seconds(since) && place.place == CourierOnMap.rounded(shown.place))
                        #expect(place.place != shown.place)
                    }
                }
            }
            #expect(answered > 20 && answered < questions)
        }
    }

    @Test("What is no question, and one about too many couriers, is answered with its fault")
    func faults() async throws {
        try await Harness.run { harness in
            let show = ShowCourierPlaces(pool: harness.pool, clock: harness.wall.domain)
            #expect(try await show(nil).fault != nil)
            let many = (0...CourierPlacesQuestion.couriersMax).map { number in
                CourierPlacesQuestion.Courier(CourierID(rawValue: "c\(number)").unsafelyUnwrapped, since: 0)
            }
            let tooMany = try await show(CourierPlacesQuestion(many))
            let most = try await show(CourierPlacesQuestion(Array(many.dropLast())))
            #expect(tooMany.fault != nil && most == CourierPlaces([]))
        }
    }
}
