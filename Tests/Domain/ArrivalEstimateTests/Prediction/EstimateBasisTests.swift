import ArrivalEstimate
import Foundation
import OrderDomain
import Testing

@Suite("Estimate basis")
struct EstimateBasisTests {
    private static let halfway = ride(until: 0.5)
    private static let madeAt = seconds(450)
    private static let route = Route(mode: .bicycle, through: [], to: door)

    /// Of the estimate at half of the way, in the 450th second.
    private func basis(along route: Route = Self.route) throws -> EstimateBasis {
        let estimator = ArrivalEstimator()
        let track = track(of: Self.halfway)
        let estimate = try #require(estimator.estimate(track, along: route, since: start, now: Self.madeAt))
        return try #require(estimator.basis(of: estimate, from: track, along: route))
    }

    /// A fix so many seconds after that estimate's, and so many metres ahead of a steady pace.
    private static func fix(after seconds: Double, ahead metres: Double = 0, accuracy: Double = 10) -> Fix {
        Fix(
            time: madeAt.addingTimeInterval(seconds), place: along((450 + seconds) / 900 + metres / 3_000),
            accuracy: accuracy)
    }

    static let newest: [(fix: Fix, now: Double, agrees: Bool, why: String)] = [
        (fix(after: 2), 2, true, "on pace"), (fix(after: 4.9), 4.9, true, "on pace, nearly five seconds later"),
        (fix(after: 2), 5, false, "the estimate is five seconds old"),
        (fix(after: 5), 1, false, "five seconds passed between the fixes"),
        (fix(after: 2, ahead: -20), 2, true, "as far off as a phone is"),
        (fix(after: 2, ahead: 60), 2, false, "too far ahead"), (fix(after: 2, ahead: -60), 2, false, "on the way back"),
        (fix(after: 2, ahead: 60, accuracy: 80), 2, true, "no farther off than its radius"),
        (fix(after: -3), 2, false, "late, so the estimate lacks it"),
    ]

    @Test("An estimate holds for five seconds of fixes that are where it predicts them", arguments: newest.indices)
    func agrees(_ index: Int) throws {
        let newest = Self.newest[index]
        let track = track(of: Self.halfway + [newest.fix], receivedAt: Self.madeAt)
        let now = Self.madeAt.addingTimeInterval(newest.now)
        #expect(try basis().agrees(with: track, along: Self.route, now: now) == newest.agrees, "\(newest.why)")
    }

    @Test("An estimate of other stops does not hold")
    func otherStops() throws {
        let stop = Route.Stop(place: along(0.8), dwellSeconds: 120)
        let stacked = Route(mode: .bicycle, through: [stop], to: door)
        let track = track(of: Self.halfway + [Self.fix(after: 2)])
        let now = Self.madeAt.addingTimeInterval(2)
        #expect(try basis(along: stacked).agrees(with: track, along: stacked, now: now))
        #expect(try !basis(along: stacked).agrees(with: track, along: Self.route, now: now))
        // The courier has been at the stop for a while: the same stops.
        let shorter = Route(mode: .bicycle, through: [.init(place: stop.place, dwellSeconds: 60)], to: door)
        #expect(try basis(along: stacked).agrees(with: track, along: shorter, now: now))
    }

    @Test("Without a fix there is none")
    func noFix() throws {
        let estimate = Estimate(arrivesAt: seconds(600), earliest: start, latest: seconds(900), madeAt: start)
        #expect(ArrivalEstimator().basis(of: estimate, from: CourierTrack(), along: Self.route) == nil)
    }
}
