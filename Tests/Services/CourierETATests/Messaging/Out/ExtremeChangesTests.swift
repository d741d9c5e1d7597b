import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import SeededRandom
import TestSupport
import Testing
import WireCoding

@testable import CourierETA

@Suite("Changes of deliveries with extreme values")
struct ExtremeChangesTests {
    @Test("None that is taken in traps", arguments: 0..<20 as Range<UInt64>)
    func never(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let tracker = DeliveryTracker(estimator: { ArrivalEstimator() }, roads: DetourFactorDistance())
        let track = track(of: ride(from: 0, until: 0.5))
        for round in 0..<100 {
            let codes: [StatusCode] = [.assigned, .enRoute, .atDoor, .delivered]
            let former = try Delivery.sample(in: codes[round % codes.count]).changed(at: 0)
            let json = try withExtremeValues(WireJSON.encode(former), using: &random)
            guard let change = try? WireJSON.decode(DeliveryChanged.self, from: json),
                change.fault(on: Subject.deliveriesChanged) == nil
            else { continue }
            let known = tracker.begin(former, after: nil)
            for before in [nil, known] {
                var tracked = tracker.begin(change, after: before)
                let update = tracker.update(
                    &tracked, track: track, carried: [tracked.delivery, former.delivery], now: seconds(600))
                tracked.tracking.published = tracked.tracking.estimate
                _ = tracker.silentAt(tracked, track: track, now: seconds(600))
                tracked.nextStep()
                _ = try TrackingMessages().messages(for: tracked, milestones: update.milestones, at: seconds(600))
            }
        }
    }
}
