import Foundation
import OrderDomain
import Testing

@testable import ArrivalEstimate

/// A model that was installed before features and scales were added is read, and predicts the same.
///
/// The file was fitted on made-up rides and is never written anew: whoever must change it strands every service's
/// model, and raises `ArrivalModel.format` instead.
@Suite("Model files")
struct ModelFileTests {
    private let model: ArrivalModel

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Golden/model-1.json")
        model = try ArrivalModel(json: Data(contentsOf: file))
    }

    /// What the program that wrote the file predicted, 5 s after the last fix of a ride of ten minutes.
    private static let rides: [(share: Double, mode: TravelMode, low: Double, point: Double, high: Double)] = [
        (0, .bicycle, 751.458134, 951.680219, 1_079.577078), (0, .car, 261.675371, 341.672787, 389.857327),
        (0, .cab, 602.139950, 680.093957, 795.232063), (0.3, .bicycle, 569.750639, 636.539076, 744.380218),
        (0.3, .car, 175.311001, 226.032252, 254.642500), (0.3, .cab, 440.223041, 494.586407, 565.243959),
        (0.8, .bicycle, 141.243365, 178.677020, 199.678660), (0.8, .car, 47.803335, 61.650159, 67.883053),
        (0.8, .cab, 130.343595, 166.994387, 183.546117),
    ]

    @Test("A ride under leg is read as it was", arguments: rides.indices)
    func ride(index: Int) {
        let expected = Self.rides[index]
        var route = Route(mode: expected.mode, through: [], to: door)
        route.origin = store
        route.utcOffset = 3_600
        let fixes = ArrivalEstimateTests.ride(lasting: 600, until: expected.share)
        let features = LegFeatures(
            fixes, along: route, since: start, prior: model.prior, now: seconds(600 * expected.share + 5))
        let prediction = model.regression.prediction(of: features)
        #expect(abs(prediction.low - expected.low) < 0.001)
        #expect(abs(prediction.point - expected.point) < 0.001)
        #expect(abs(prediction.high - expected.high) < 0.001)
    }

    @Test("First promises are read as they were")
    func promises() {
        var leg = UpcomingLeg(straightMetres: 2_000, hour: 18, weekday: 5)
        leg.courier = "slow"
        let ofLeg = model.initialEstimate(for: leg)
        #expect(abs(ofLeg.seconds - 724.236348) < 0.001)
        #expect(ofLeg.low == 0 && abs(ofLeg.high - 2_616.141418) < 0.001)
        var order = UpcomingOrder(store: "valby", hour: 18, weekday: 5)
        order.items = 4
        let ofOrder = model.initialEstimate(for: order)
        #expect(abs(ofOrder.seconds - 1_923.869460) < 0.001)
        #expect(abs(ofOrder.low - 504.695796) < 0.001 && abs(ofOrder.high - 3_354.904370) < 0.001)
    }

    @Test("It can be written and read again, in the features of today")
    func again() throws {
        #expect(try ArrivalModel(json: model.json()) == model)
    }

    @Test("Features count by their names, whatever their order")
    func order() throws {
        let trees = RegressionTrees(
            start: 1, trees: [[.split(feature: 0, threshold: 5, left: 1, right: 2), .leaf(1), .leaf(3)]])
        let moved = trees.mappingFeatures([2, 0, 1])
        #expect(moved.value(of: [9, 9, 4]) == 2)
        #expect(moved.value(of: [4, 4, 9]) == 4)
    }
}
