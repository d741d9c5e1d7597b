import Foundation
import OrderDomain
import Testing

@testable import ArrivalEstimate

@Suite("Detour factor")
struct DetourFactorTests {
    /// Rides due north for so many metres, each with a bend that makes it `factor` times as long.
    private func rides(_ count: Int, metres: Double, factor: Double) -> [RecordedRide] {
        (0..<count).map { number in
            let origin = Coordinate(latitude: 55, longitude: 12)!
            let door = Coordinate(latitude: 55 + metres / 111_194.9, longitude: 12)!
            let aside = metres / 2 * (factor * factor - 1).squareRoot()
            let bend = Coordinate(
                latitude: 55 + metres / 2 / 111_194.9,
                longitude: 12 + aside / (111_194.9 * cos(55 * Double.pi / 180)))!
            let since = Date(timeIntervalSince1970: Double(number) * 86_400)
            return RecordedRide(
                courier: "c", mode: .bicycle, utcOffset: 0, origin: origin, since: since, door: door,
                arrivedAt: since + 600, fixes: [Fix(time: since + 300, place: bend)])
        }
    }

    @Test("It is the median of what was ridden, by length, drawn to the constants by how few rides there were")
    func fitted() {
        let fitted = DetourFactor.fit(
            rides(500, metres: 1_000, factor: 1.5) + rides(2, metres: 3_000, factor: 3))
        #expect(abs(fitted.metres(.bicycle, straight: 1_000) - 1_490) < 10)
        let few = fitted.metres(.bicycle, straight: 3_000) / 3_000
        let constant = DetourFactor.builtIn.metres(.bicycle, straight: 3_000) / 3_000
        #expect(few > constant && few < constant + 0.2)
        #expect(fitted.metres(.car, straight: 1_000) == DetourFactor.builtIn.metres(.car, straight: 1_000))
        #expect(fitted.isSound)
    }

    /// A model with one tree for each end and the point, which adds half where the road is longer than usual.
    private func knowingRoads() throws -> ArrivalModel {
        let index = try #require(LegFeatures.names.firstIndex(of: "roadShare"))
        func trees(_ start: Double) -> RegressionTrees {
            let tree: [RegressionTrees.Node] = [
                .split(feature: index, threshold: 0.2, left: 1, right: 2), .leaf(0), .leaf(0.5),
            ]
            return RegressionTrees(start: start, trees: [tree])
        }
        return ArrivalModel(
            rides: 1, prior: ArrivalModel.builtIn.prior,
            regression: QuantileRegression(low: trees(0.6), point: trees(1), high: trees(1.8), calibrations: []))
    }

    @Test("A model that has learned roads says later where one is long; without an engine, what a usual one takes")
    func learned() throws {
        let estimator = ArrivalEstimator(model: try knowingRoads())
        let here = track(of: ride(until: 0.2))
        let now = seconds(200)
        func remaining(_ share: Double?) throws -> Double {
            var route = Route(mode: .bicycle, through: [], to: door)
            if let share { route.roadShare = share }
            let estimate = try #require(estimator.estimate(here, along: route, since: start, now: now))
            return estimate.remaining(at: now)
        }
        let usual = try remaining(nil)
        #expect(try remaining(1) == usual)
        #expect(try abs(remaining(1.5) / usual - 1.5) < 0.05)
        #expect(try remaining(0).isFinite && remaining(.infinity).isFinite)
    }

    @Test("Beside the usual a road's share is neutral: an estimate without an engine is as if there were none")
    func neutral() {
        let door = Coordinate(latitude: 55.01, longitude: 12)!
        var route = Route(mode: .bicycle, through: [], to: door)
        let fix = Fix(time: Date(timeIntervalSince1970: 1_000), place: Coordinate(latitude: 55, longitude: 12)!)
        func feature() -> Double {
            LegFeatures([fix], along: route, since: fix.time, prior: ArrivalModel.builtIn.prior, now: fix.time)
                .features[LegFeatures.names.firstIndex(of: "roadShare") ?? -1]
        }
        #expect(feature() == 0)
        route.roadShare = 1.5
        #expect(abs(feature() - log(1.5)) < 1e-9)
    }
}
