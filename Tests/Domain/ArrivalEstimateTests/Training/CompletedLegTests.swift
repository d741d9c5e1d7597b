import Foundation
import OrderDomain
import Testing

@testable import ArrivalEstimate

@Suite("Completed legs")
struct CompletedLegTests {
    private let readings = [RoadReading(at: seconds(20), share: 1.234_56)]

    private func ridden(since: Double = 0, fixes: [Fix]? = nil) -> RecordedRide {
        RecordedRide(
            courier: "mira", mode: .bicycle, utcOffset: 3_600, origin: store, since: seconds(since), door: door,
            arrivedAt: seconds(900), fixes: fixes ?? ride(lasting: 900, interval: 15), roads: readings)
    }

    @Test("Stored and read again, a leg gives a model the same: distances, times, hour, day and roads")
    func again() throws {
        let whole = ridden()
        let text = try JSONEncoder().encode(CompletedLeg(whole, courier: 7))
        let reduced = try #require(try JSONDecoder().decode(CompletedLeg.self, from: text).ride)
        #expect(reduced.fixes.count == whole.fixes.count && reduced.courier == "7" && reduced.mode == .bicycle)
        for (one, other) in zip(whole.fixes, reduced.fixes) {
            #expect(one.time.timeIntervalSince(whole.since) == other.time.timeIntervalSince(reduced.since))
            #expect(abs(one.place.distance(to: door) - other.place.distance(to: reduced.door)) < 2)
        }
        #expect(reduced.arrivedAt.timeIntervalSince(reduced.since) == 900)
        #expect(abs(reduced.origin.distance(to: reduced.door) - store.distance(to: door)) < 2)
        #expect(abs(reduced.route.hour(at: reduced.since) - whole.route.hour(at: whole.since)) < 0.25)
        #expect(reduced.route.isWeekend(at: reduced.since) == whole.route.isWeekend(at: whole.since))
        #expect(reduced.roads.map(\.share) == [1.23])
        #expect(reduced.route(at: reduced.since + 19).roadShare == 1)
        #expect(reduced.route(at: reduced.since + 20).roadShare == 1.23)
    }

    @Test("The numbers that a regression sees are nearly the same")
    func features() throws {
        let whole = ridden()
        let reduced = try #require(CompletedLeg(whole, courier: 7).ride)
        func features(_ ride: RecordedRide) -> [Double] {
            let now = ride.since + 600
            return LegFeatures(
                ride.fixes.filter { $0.time <= now }, along: ride.route(at: now), since: ride.since,
                prior: ArrivalModel.builtIn.prior, now: now
            ).features
        }
        for (index, (one, other)) in zip(features(whole), features(reduced)).enumerated() {
            #expect(abs(one - other) <= 0.02 * max(1, abs(one)), "\(LegFeatures.names[index]): \(one), \(other)")
        }
    }

    @Test("No place, courier, delivery or date is left in it")
    func nothingPersonal() throws {
        let text = String(decoding: try JSONEncoder().encode(CompletedLeg(ridden(), courier: 7)), as: UTF8.self)
        for trace in ["52.5", "13.4", "mira", "2026", String(Int(start.timeIntervalSince1970) / 1_000)] {
            #expect(!text.contains(trace), "\(trace) in \(text)")
        }
    }

    @Test("Of fixes nearer than five seconds one is kept, those before the beginning and after the end are not")
    func thinned() throws {
        let fixes = stride(from: -60.0, through: 960, by: 1).map { Fix(time: seconds($0), place: along(0.5)) }
        let reduced = try #require(CompletedLeg(ridden(fixes: fixes), courier: 7).ride)
        let times = reduced.fixes.map { $0.time.timeIntervalSince(reduced.since) }
        #expect(times.first == 0 && times.last == 900 && times.count == 181)
    }

    static let brokenRows = [
        ("\"weekday\":6", "\"weekday\":8"), ("\"seconds\":900", "\"seconds\":-1"), ("[15,", "[15,1,"),
        ("[15,", "[-15,"), ("[20,1.23]", "[20,0]"), ("[20,1.23]", "[20]"), ("\"origin\":[", "\"origin\":[1,"),
        ("\"origin\":[0", "\"origin\":[900000"),
    ]

    @Test("A row with nonsense in it is no ride, and no crash", arguments: CompletedLegTests.brokenRows)
    func nonsense(sound: String, wrong: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(CompletedLeg(ridden(), courier: 7)), as: UTF8.self)
        let broken = text.replacing(sound, with: wrong, maxReplacements: 1)
        #expect(broken != text, "\(text)")
        let leg = try JSONDecoder().decode(CompletedLeg.self, from: Data(broken.utf8))
        #expect(leg.ride == nil && leg.upcomingLeg == nil)
    }

    @Test("Models are fitted on completed legs as on whole rides")
    func fitted() throws {
        let rides = (0..<60).map { number in
            let duration = 600 + Double(number * 7 % 60) * 10
            return RecordedRide(
                courier: "courier \(number % 12)", mode: .bicycle, utcOffset: 3_600, origin: store, since: start,
                door: door, arrivedAt: seconds(duration), fixes: ride(lasting: duration, interval: 15))
        }
        let reduced = rides.compactMap { CompletedLeg($0, courier: Int($0.courier.dropFirst(8)) ?? 0).ride }
        let whole = try ArrivalModel.fit(rides, legs: nil, orders: nil, rounds: 5)
        let again = try ArrivalModel.fit(reduced, legs: nil, orders: nil, rounds: 5)
        let metres = [200.0, 1_000, 2_500]
        for straight in metres {
            let (one, other) = (
                whole.prior.seconds(.bicycle, metres: straight), again.prior.seconds(.bicycle, metres: straight)
            )
            #expect(abs(one - other) < 0.02 * one + 2, "\(straight) m: \(one), \(other)")
        }
    }
}
