import ArrivalEstimate
import Foundation
import Testing

@Suite("Arrival estimator")
struct ArrivalEstimatorTests {
    private let estimator = ArrivalEstimator()
    private let route = Route(mode: .bicycle, through: [], to: door)

    private func estimate(_ fixes: [Fix], now: Date? = nil, route: Route? = nil) throws -> ArrivalEstimate {
        let track = track(of: fixes)
        let now = now ?? track.latest?.time ?? start
        return try #require(estimator.estimate(track, along: route ?? self.route, since: nil, now: now))
    }

    @Test("Without a fix there is no estimate")
    func noFix() {
        #expect(estimator.estimate(CourierTrack(), along: route, since: nil, now: start) == nil)
    }

    @Test("The first estimate is the straight line with a detour, at a typical speed, and the way to the door")
    func first() throws {
        let bicycle = try estimate([Fix(time: start, place: store)])
        #expect(abs(bicycle.remaining(at: start) - (3_000 * 1.21 / 3.5 + 35)) < 10)
        let car = try estimate([Fix(time: start, place: store)], route: Route(mode: .car, through: [], to: door))
        #expect(abs(car.remaining(at: start) - (3_000 * 1.29 / 8.2 + 55)) < 10)
    }

    @Test("Stops before the door add their way and their stay")
    func stops() throws {
        let detour = Route(mode: .car, through: [.init(place: along(2), staySeconds: 120)], to: door)
        let straight = try estimate([Fix(time: start, place: store)], route: Route(mode: .car, through: [], to: door))
        let stacked = try estimate([Fix(time: start, place: store)], route: detour)
        #expect(abs(stacked.remaining(at: start) - (3 * straight.remaining(at: start) + 120 - 55)) < 10)
    }

    @Test("One odd fix moves the arrival by a quarter of what it says, not by all of it")
    func steady() throws {
        let fixes = ride(until: 0.5)
        let before = try estimate(fixes)
        let back = Fix(time: seconds(465), place: along(0.4), accuracy: 10)
        let after = try estimate(fixes + [back])
        let moved = after.arrivesAt.timeIntervalSince(before.arrivesAt)
        #expect(moved > 20 && moved < 50)
    }

    @Test("A traffic light leaves the window alone; standing longer opens it to the late side")
    func standing() throws {
        func width(standing count: Int) throws -> Double {
            let still = (0...count).map { Fix(time: seconds(450 + Double($0) * 15), place: along(0.5), accuracy: 10) }
            let estimate = try estimate(ride(until: 0.5).dropLast() + still)
            return estimate.latest.timeIntervalSince(estimate.arrivesAt) / estimate.remaining(at: estimate.madeAt)
        }
        #expect(try abs(width(standing: 4) - width(standing: 0)) < 0.05)
        #expect(try width(standing: 12) > width(standing: 4) + 0.2)
    }

    @Test("Silence opens the window on both sides")
    func silence() throws {
        let fixes = ride(until: 0.2)
        let heard = try estimate(fixes)
        let silent = try estimate(fixes, now: heard.madeAt.addingTimeInterval(180))
        #expect(silent.arrivesAt == heard.arrivesAt)
        #expect(silent.latest > heard.latest)
        #expect(silent.earliest < heard.earliest)
    }

    @Test("Fixes from before the leg say nothing about it")
    func legs() throws {
        let track = track(of: ride(until: 0.5))
        let fresh = try #require(estimator.estimate(track, along: route, since: track.latest?.time, now: seconds(450)))
        #expect(abs(fresh.remaining(at: seconds(450)) - (1_500 * 1.21 / 3.5 + 35)) < 10)
    }

    @Test(
        "Whatever is heard in whatever order, the estimate is the same, finite, not past, and inside its window",
        arguments: 0..<200)
    func properties(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let duration = Double.random(in: 30...4_000, using: &random)
        var fixes = ride(lasting: duration, interval: Double.random(in: 1...90, using: &random))
        for index in fixes.indices where Int.random(in: 0..<8, using: &random) == 0 {
            fixes[index] = Fix(
                time: fixes[index].time.addingTimeInterval(Double.random(in: -300...300, using: &random)),
                place: Place(
                    latitude: Double.random(in: -90...90, using: &random),
                    longitude: Double.random(in: -180...180, using: &random)),
                accuracy: Double.random(in: -1...400, using: &random), speed: .nan, heading: .infinity)
        }
        let modes = TravelMode.allCases
        let route = Route(
            mode: modes[Int.random(in: 0..<modes.count, using: &random)],
            through: Bool.random(using: &random) ? [] : [.init(place: along(0.7), staySeconds: .nan)], to: door)
        let heardAt = seconds(duration + 300)
        let tracks = [fixes, fixes.reversed(), (fixes + fixes).shuffled(using: &random)].map {
            track(of: $0, receivedAt: heardAt)
        }
        for later in [0.0, 60, 600, 86_400] {
            let now = heardAt.addingTimeInterval(later)
            let estimates = tracks.map { estimator.estimate($0, along: route, since: nil, now: now) }
            let estimate = try #require(estimates[0])
            #expect(estimates.allSatisfy { $0 == estimate })
            #expect(estimate.earliest <= estimate.arrivesAt && estimate.arrivesAt <= estimate.latest)
            #expect(estimate.earliest >= now && estimate.latest.timeIntervalSince(now).isFinite)
        }
    }
}

@Suite("Straight-line model")
struct StraightLineModelTests {
    @Test("Error ratios hold the prediction itself and change without a jump")
    func ratios() {
        let model = StraightLineModel()
        var former = model.errorRatios(ofPredicted: 0)
        for seconds in stride(from: 0.0, through: 5_000, by: 1) {
            let ratios = model.errorRatios(ofPredicted: seconds)
            #expect(ratios.low < 1 && ratios.low > 0 && ratios.high > 1)
            #expect(abs(ratios.high - former.high) < 0.01)
            former = ratios
        }
    }
}
