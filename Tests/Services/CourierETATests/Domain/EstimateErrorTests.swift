import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import Testing

@testable import CourierETA

@Suite("Errors of what customers were shown")
struct EstimateErrorTests {
    /// A delivery on its way that was shown these arrivals, in seconds after `start`, at these times.
    private func tracked(
        shown: [(arrivesAt: Double, at: Double)], proof: DeliveryProof? = nil
    ) throws -> TrackedDelivery {
        let delivery = try Delivery.sample(in: .enRoute, at: 60, proof: proof)
        var tracked = DeliveryTracker().begin(delivery.changed(at: 60), after: nil)
        for (arrivesAt, at) in shown {
            tracked.tracking.published = Estimate(
                arrivesAt: seconds(arrivesAt), earliest: seconds(arrivesAt), latest: seconds(arrivesAt),
                madeAt: seconds(at))
            tracked.tracking.recordHorizon(at: seconds(at))
        }
        return tracked
    }

    private func errors(_ former: TrackedDelivery, _ change: DeliveryChange, at time: Double) throws -> [EstimateError]
    {
        var delivery = former.delivery
        try delivery.change(change, at: time)
        return DeliveryTracker().begin(delivery.changed(at: time), after: former).estimateErrors(after: former)
    }

    @Test(
        "What was shown with so long to go counts for one horizon",
        arguments: [
            (2_401.0, nil), (2_400, .fortyMinutes), (1_201, .fortyMinutes), (1_200, .twentyMinutes),
            (600, .tenMinutes), (300, .fiveMinutes), (151, .fiveMinutes), (150, nil), (-60, nil),
        ] as [(Double, EstimateHorizon?)])
    func horizons(remaining: Double, horizon: EstimateHorizon?) {
        #expect(EstimateHorizon(remaining: remaining) == horizon)
    }

    @Test(
        "The first arrival that was shown within each horizon, and the last, are compared with the arrival at the door")
    func atTheDoor() throws {
        let former = try tracked(shown: [(1_500, 100), (1_450, 200), (1_300, 750), (1_250, 800), (1_200, 1_150)])
        let found = try errors(former, .status(.atDoor, reason: nil), at: 1_320)
        #expect(
            found == [
                EstimateError(horizon: .fortyMinutes, seconds: -180), EstimateError(horizon: .tenMinutes, seconds: 20),
                EstimateError(horizon: .last, seconds: 120),
            ])
    }

    @Test("The first fix at the door is the arrival, and not when somebody pressed a button")
    func firstFix() throws {
        var former = try tracked(shown: [(700, 200)])
        former.tracking.arrivedLeg = TrackingState.ArrivedLeg(
            startedAt: former.tracking.legStartedAt, origin: storePlace, arrivedAt: seconds(760), roads: [])
        #expect(try errors(former, .override(.delivered, reason: "test"), at: 4_000).map(\.seconds) == [60, 60])
    }

    @Test("No error is counted that would not be one")
    func none() throws {
        let former = try tracked(shown: [(700, 200)])
        #expect(try errors(former, .override(.delivered, reason: "forgot to press"), at: 4_000).isEmpty)
        let byWord = try tracked(shown: [(700, 200)], proof: DeliveryProof(required: [ProofKind.photo]))
        #expect(try errors(byWord, .handedOverUnconfirmed, at: 4_000).isEmpty)
        #expect(try errors(former, .override(.attempted, reason: "test"), at: 700).isEmpty)
        #expect(try errors(former, .override(.cancelled, reason: "test"), at: 700).isEmpty)
        var atDoor = former.delivery
        try atDoor.change(.status(.atDoor, reason: nil), at: 700)
        let arrived = DeliveryTracker().begin(atDoor.changed(at: 700), after: former)
        #expect(arrived.tracking.horizonEstimates == nil)
        #expect(try errors(arrived, .status(.delivered, reason: nil), at: 800).isEmpty)
    }

    @Test("Another courier's arrival is not judged by what was shown for the first")
    func reassigned() throws {
        let former = try tracked(shown: [(700, 200)])
        var delivery = former.delivery
        try delivery.change(.courier(noah), at: 300)
        #expect(DeliveryTracker().begin(delivery.changed(at: 300), after: former).tracking.horizonEstimates == nil)
    }
}
