import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import Testing

@testable import CourierETA

@Suite("A corrected door")
struct CorrectedDoorTests {
    /// As far north of the store as the former door is south of it.
    private static let elsewhere = Coordinate(clampingLatitude: 55.7345, longitude: 12.5942)
    private static let correction = DeliveryChange.correct(DropOffCorrection(door: elsewhere))
    private let tracker = DeliveryTracker()

    @Test("The arrival is estimated again at once, and milestones are of fixes at the corrected door")
    func estimatedAgain() throws {
        var delivery = try Delivery.sample(in: .enRoute)
        var tracked = tracker.begin(delivery.changed(at: 0), after: nil)
        let ride = ride(from: 10, until: 0.8)
        let last = try #require(ride.last)
        _ = tracker.update(&tracked, track: track(of: ride), carried: [], now: last.time)
        let former = try #require(tracked.tracking.estimate)
        #expect((tracked.tracking.legProgress ?? 0) > 0.7)

        let corrected = last.time.timeIntervalSince(start) + 5
        try delivery.change(Self.correction, at: corrected)
        tracked = tracker.begin(delivery.changed(at: corrected), after: tracked)
        #expect(tracked.tracking.estimate == nil && tracked.tracking.published == nil)
        #expect(tracked.tracking.legProgress == nil && tracked.tracking.legStartedAt == seconds(corrected))
        let update = tracker.update(&tracked, track: track(of: ride), carried: [], now: seconds(corrected))
        let next = try #require(tracked.tracking.estimate)
        #expect(next.arrivesAt.timeIntervalSince(former.arrivesAt) > 600)
        #expect(update.publishesEstimate)

        func milestones(at place: Coordinate, _ time: Double) -> [Milestone] {
            let fix = Fix(time: seconds(time), place: place, accuracy: 10, speed: 0)
            return tracker.update(&tracked, track: track(of: [fix]), carried: [], now: fix.time).milestones
        }
        let formerly = milestones(at: doorPlace, corrected + 300)
        #expect(!formerly.contains(.arriving) && !formerly.contains(.atDoor))
        let there = milestones(at: Self.elsewhere, corrected + 2_300)
        #expect(there.contains(.arriving) && there.contains(.atDoor))
    }

    @Test(
        "In silence another estimate replaces the former one, however old the last fix is", arguments: [900.0, 2_000])
    func inSilence(age: Double) throws {
        var delivery = try Delivery.sample(in: .enRoute)
        var tracked = tracker.begin(delivery.changed(at: 0), after: nil)
        let ride = ride(from: 10, until: 0.5)
        _ = tracker.update(&tracked, track: track(of: ride), carried: [], now: seconds(470))
        let silentAt = 470 + age
        _ = tracker.update(&tracked, track: track(of: ride), carried: [], now: seconds(silentAt))
        let former = try #require(tracked.tracking.estimate)
        try delivery.change(Self.correction, at: silentAt)
        tracked = tracker.begin(delivery.changed(at: silentAt), after: tracked)
        _ = tracker.update(&tracked, track: track(of: ride), carried: [], now: seconds(silentAt))
        #expect(try #require(tracked.tracking.estimate) != former)
    }

    @Test("A courier without a fix has the trip estimated again, from when they left the store")
    func trip() throws {
        let before = try Delivery.sample(in: .enRoute)
        var after = before
        try after.change(Self.correction, at: 1)
        let next = tracker.begin(after.changed(at: 1), after: tracker.begin(before.changed(at: 0), after: nil))
        #expect(EstimateTrip.couriers(from: before, to: next) == [mira.id])
        #expect(next.tracking.wayStartedAt == start && next.tracking.legStartedAt == seconds(1))
    }

    @Test("A courier at the door stays there when its position is corrected by some metres")
    func atDoor() throws {
        var delivery = try Delivery.sample(in: .atDoor)
        var tracked = tracker.begin(delivery.changed(at: 0), after: nil)
        tracked.tracking.legProgress = 1
        let close = Coordinate(clampingLatitude: doorPlace.latitude + 0.0001, longitude: doorPlace.longitude)
        try delivery.change(.correct(DropOffCorrection(door: close)), at: 1)
        #expect(delivery.status == .handedOver(.atDoor))
        #expect(tracker.begin(delivery.changed(at: 1), after: tracked).tracking.legProgress == 1)
    }
}
