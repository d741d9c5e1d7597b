import ArrivalEstimate
import Foundation
import OrderDomain
import SeededRandom
import Testing

@Suite("Arrival estimator")
struct ArrivalEstimatorTests {
    private let estimator = ArrivalEstimator()
    private let route = Route(mode: .bicycle, through: [], to: door)

    private func estimate(_ fixes: [Fix], now: Date? = nil, route: Route? = nil) throws -> Estimate {
        let track = track(of: fixes)
        let now = now ?? track.latest?.time ?? start
        return try #require(estimator.estimate(track, along: route ?? self.route, since: nil, now: now))
    }

    @Test("Without a fix there is no estimate")
    func noFix() {
        #expect(estimator.estimate(CourierTrack(), along: route, since: nil, now: start) == nil)
    }

    @Test("A known beginning is enough for a first estimate")
    func beforeAnyFix() throws {
        var route = route
        route.origin = store
        let before = try #require(estimator.estimate(CourierTrack(), along: route, since: start, now: start))
        #expect(before == (try estimate([Fix(time: start, place: store)])))
    }

    @Test("A longer distance takes longer, in each travel mode", arguments: TravelMode.allCases)
    func monotone(mode: TravelMode) throws {
        let route = Route(mode: mode, through: [], to: door)
        let remaining = try stride(from: 1.0, through: 0, by: -0.05).map { share in
            try estimate([Fix(time: start, place: along(share))], route: route).remaining(at: start)
        }
        #expect(remaining == remaining.sorted())
        #expect((300...1_500).contains(remaining[remaining.count - 1]))
    }

    @Test("Stops before the door add their legs and their dwell times")
    func stops() throws {
        let detour = Route(mode: .car, through: [.init(place: along(2), dwellSeconds: 120)], to: door)
        let straight = try estimate([Fix(time: start, place: store)], route: Route(mode: .car, through: [], to: door))
        let stacked = try estimate([Fix(time: start, place: store)], route: detour)
        #expect(stacked.remaining(at: start) > 2 * straight.remaining(at: start) + 120)
        #expect(stacked.latest > straight.latest)
    }

    @Test("One odd fix moves the arrival by less than half of its own effect")
    func steady() throws {
        let fixes = ride(until: 0.5)
        let before = try estimate(fixes)
        let back = Fix(time: seconds(465), place: along(0.4), accuracy: 10)
        let after = try estimate(fixes + [back])
        let unfiltered = try estimate([back]).arrivesAt.timeIntervalSince(before.arrivesAt)
        let moved = after.arrivesAt.timeIntervalSince(before.arrivesAt)
        #expect(moved > 0 && moved < unfiltered / 2)
    }

    @Test("Without a learned model, standing longer than a light opens the window to the late side")
    func standing() throws {
        func opening(standing count: Int) throws -> Double {
            let still = (0...count).map { Fix(time: seconds(450 + Double($0) * 15), place: along(0.5), accuracy: 10) }
            let estimate = try estimate(ride(until: 0.5).dropLast() + still)
            return estimate.latest.timeIntervalSince(estimate.arrivesAt)
        }
        #expect(try opening(standing: 16) > opening(standing: 4) + 120)
    }

    @Test("Silence opens the window, further for what remains the longer it lasts, up to a limit")
    func silence() throws {
        let fixes = ride(until: 0.2)
        let atLastFix = try estimate(fixes)
        let estimates = try [0.0, 180, 600, 7_200, 86_400].map {
            try estimate(fixes, now: atLastFix.madeAt.addingTimeInterval($0))
        }
        let openings = estimates.map { $0.latest.timeIntervalSince($0.arrivesAt) / $0.remaining(at: $0.madeAt) }
        #expect(openings[1] > openings[0] && openings[2] > openings[1] && openings[3] > openings[2])
        #expect(estimates[4].latest.timeIntervalSince(estimates[4].madeAt) < 3_600)
        #expect(estimates[3].earliest == estimates[3].madeAt)
    }

    @Test("Fixes from before the leg are no evidence of it")
    func legs() throws {
        let track = track(of: ride(until: 0.5))
        let last = try #require(track.latest)
        let fresh = estimator.estimate(track, along: route, since: last.time, now: last.time)
        #expect(fresh == (try estimate([last])))

        let later = last.time.addingTimeInterval(600)
        let waited = try #require(estimator.estimate(track, along: route, since: later, now: later))
        let seen = try estimate([Fix(time: later, place: last.place)])
        #expect(waited.arrivesAt == seen.arrivesAt, "the wait before the leg is no ride")
        #expect(waited.latest > seen.latest, "where the courier is at its beginning is less certain")
    }

    @Test(
        "Whatever is received in whatever order, the estimate is the same, finite, not past, and inside its window",
        arguments: 0..<200)
    func properties(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let duration = Double.random(in: 30...4_000, using: &random)
        var fixes = ride(lasting: duration, interval: Double.random(in: 1...90, using: &random))
        for index in fixes.indices where Int.random(in: 0..<8, using: &random) == 0 {
            fixes[index] = Fix(
                time: fixes[index].time.addingTimeInterval(Double.random(in: -300...300, using: &random)),
                place: Coordinate(
                    latitude: Double.random(in: -90...90, using: &random),
                    longitude: Double.random(in: -180...180, using: &random))!,
                accuracy: Double.random(in: -1...400, using: &random), speed: .nan, heading: .infinity)
        }
        let modes = TravelMode.allCases
        let route = Route(
            mode: modes[Int.random(in: 0..<modes.count, using: &random)],
            through: Bool.random(using: &random) ? [] : [.init(place: along(0.7), dwellSeconds: .nan)], to: door)
        let receivedAt = seconds(duration + 300)
        let tracks = [fixes, fixes.reversed(), (fixes + fixes).shuffled(using: &random)].map {
            track(of: $0, receivedAt: receivedAt)
        }
        for later in [0.0, 60, 600, 86_400] {
            let now = receivedAt.addingTimeInterval(later)
            let estimates = tracks.map { estimator.estimate($0, along: route, since: start, now: now) }
            let estimate = try #require(estimates[0])
            #expect(estimates.allSatisfy { $0 == estimate })
            #expect(estimate.earliest <= estimate.arrivesAt && estimate.arrivesAt <= estimate.latest)
            #expect(estimate.earliest >= now && estimate.latest.timeIntervalSince(now).isFinite)
        }
    }
}
