import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import Testing

@testable import CourierETA

@Suite("Delivery tracker")
struct DeliveryTrackerTests {
    private let tracker = DeliveryTracker()

    private func tracked(_ delivery: Delivery, at time: Double) -> TrackedDelivery {
        tracker.begin(delivery.changed(at: time), after: nil)
    }

    @Test("From pickup there is a window before any fix, published once")
    func beforeFixes() throws {
        var tracked = tracked(try .sample(in: .pickedUp), at: 0)
        let first = tracker.update(&tracked, track: CourierTrack(), carried: [], now: start)
        #expect(first.publishesEstimate && first.milestones.isEmpty && tracked.tracking.lastFixAt == nil)
        tracked.nextStep()
        #expect(tracker.update(&tracked, track: CourierTrack(), carried: [], now: seconds(30)).isEmpty)
    }

    @Test("The first fix after pickup gives an estimate that is published; small drift is not")
    func initialEstimate() throws {
        var tracked = tracked(try .sample(in: .enRoute), at: 0)
        let first = tracker.update(&tracked, track: track(of: ride(from: 10, until: 0)), carried: [], now: seconds(10))
        #expect(first.publishesEstimate && tracked.tracking.published != nil)
        tracked.nextStep()
        let later = track(of: ride(from: 10, until: 0.05))
        #expect(tracker.update(&tracked, track: later, carried: [], now: seconds(55)).isEmpty)
    }

    @Test("A whole ride reports leaving, arriving and the door once each, in that order, and publishes rarely")
    func wholeRide() throws {
        var tracked = tracked(try .sample(in: .pickedUp), at: 0)
        var milestones: [Milestone] = []
        var shown = 0
        let ride = ride(from: 15, until: 1) + [Fix(time: seconds(930), place: doorPlace, accuracy: 10, speed: 0)]
        for count in ride.indices {
            let update = tracker.update(
                &tracked, track: track(of: Array(ride[...count])), carried: [], now: ride[count].time)
            milestones += update.milestones
            shown += update.isForScreens ? 1 : 0
            if !update.isEmpty { tracked.nextStep() }
        }
        #expect(milestones == [.leftStore, .arriving, .atDoor])
        #expect(tracked.tracking.milestones.map(\.milestone) == milestones)
        #expect(shown <= 9)
        #expect(tracked.tracking.legProgress == 1)
    }

    @Test("Before pickup the route leads through the store")
    func throughStore() throws {
        let here = Fix(time: seconds(5), place: doorPlace, accuracy: 10, speed: 0)
        var assigned = tracked(try .sample(in: .assigned), at: 0)
        _ = tracker.update(&assigned, track: track(of: [here]), carried: [], now: seconds(5))
        var carrying = tracked(try .sample(in: .enRoute), at: 0)
        _ = tracker.update(&carrying, track: track(of: [here]), carried: [], now: seconds(5))
        let before = try #require(assigned.tracking.estimate).remaining(at: seconds(5))
        let after = try #require(carrying.tracking.estimate).remaining(at: seconds(5))
        #expect(before > 2 * 2_850 * 1.21 / 3.5 && after < 60)
    }

    @Test("Another door first makes a later arrival, and no arriving before it is done")
    func stacked() throws {
        let other = try Delivery.sample(in: .enRoute, customer: "ole")
        var second = try Delivery.sample(in: .enRoute)
        try second.change(.stopsBefore(1), at: 1)
        let near = track(of: [Fix(time: seconds(30), place: along(0.95), accuracy: 10, speed: 3)])
        var tracked = tracked(second, at: 1)
        let update = tracker.update(&tracked, track: near, carried: [other, second], now: seconds(30))
        #expect(!update.milestones.contains(.arriving))
        let stacked = try #require(tracked.tracking.estimate).remaining(at: seconds(30))
        var alone = self.tracked(try .sample(in: .enRoute), at: 1)
        _ = tracker.update(&alone, track: near, carried: [], now: seconds(30))
        let direct = try #require(alone.tracking.estimate).remaining(at: seconds(30))
        #expect(stacked > direct + DwellTimes.builtIn.doorSeconds)
    }

    @Test("An estimate stays for five seconds while fixes agree with it, and one that does not brings another at once")
    func keepsEstimate() throws {
        var tracked = tracked(try .sample(in: .enRoute), at: 0)
        var fixes = ride(from: 0, until: 0.3)
        func madeAt(after fix: Fix) throws -> Date {
            fixes.append(fix)
            _ = tracker.update(&tracked, track: track(of: fixes), carried: [], now: fix.time)
            #expect(tracked.tracking.lastFixAt == fix.time)
            return try #require(tracked.tracking.estimate).madeAt
        }
        func fix(at time: Double) -> Fix {
            Fix(time: seconds(time), place: along(time / 900), accuracy: 10, speed: 3.2)
        }
        #expect(try madeAt(after: fix(at: 271)) == seconds(271))
        #expect(try madeAt(after: fix(at: 273)) == seconds(271))
        #expect(try madeAt(after: fix(at: 275.9)) == seconds(271))
        #expect(try madeAt(after: fix(at: 276)) == seconds(276))
        let back = Fix(time: seconds(278), place: along(0.27), accuracy: 10, speed: 3.2)
        #expect(try madeAt(after: back) == seconds(278))
    }

    @Test("A door that is done brings another estimate of the next one at once")
    func stopMade() throws {
        let other = try Delivery.sample(in: .enRoute, customer: "ole")
        var second = try Delivery.sample(in: .enRoute)
        try second.change(.stopsBefore(1), at: 1)
        var tracked = tracked(second, at: 1)
        let fixes = ride(from: 0, until: 0.3)
        _ = tracker.update(&tracked, track: track(of: fixes), carried: [other, second], now: seconds(270))
        let next = Fix(time: seconds(272), place: along(272.0 / 900), accuracy: 10, speed: 3.2)
        _ = tracker.update(&tracked, track: track(of: fixes + [next]), carried: [second], now: seconds(272))
        #expect(tracked.tracking.estimate?.madeAt == seconds(272))
    }

    @Test("The progress of the goods stays when a stop before them is done, and begins again after a hand-over")
    func progress() throws {
        var delivery = try Delivery.sample(in: .enRoute)
        try delivery.change(.stopsBefore(1), at: 1)
        var tracked = tracked(delivery, at: 1)
        let ride = ride(from: 10, until: 0.6)
        _ = tracker.update(&tracked, track: track(of: ride), carried: [], now: seconds(550))
        let progress = try #require(tracked.tracking.legProgress)
        try delivery.change(.stopsBefore(0), at: 560)
        tracked = tracker.begin(delivery.changed(at: 560), after: tracked)
        #expect(tracked.tracking.legStartedAt == seconds(560) && tracked.tracking.legProgress == progress)
        let detour = Fix(time: seconds(580), place: along(0.5), accuracy: 10, speed: 3)
        _ = tracker.update(&tracked, track: track(of: ride + [detour]), carried: [], now: seconds(580))
        #expect(progress > 0.5 && tracked.tracking.legProgress == progress)

        try delivery.change(.courier(noah), at: 590)
        #expect(delivery.fetchedFrom?.id == mira.id)
        tracked = tracker.begin(delivery.changed(at: 590), after: tracked)
        let near = Fix(time: seconds(600), place: along(0.9), accuracy: 10, speed: 3)
        _ = tracker.update(&tracked, track: track(of: [near]), carried: [], now: seconds(600))
        #expect(tracked.tracking.legProgress == nil, "the goods are with the former courier")
        try delivery.change(.status(.pickedUp, reason: nil), at: 610)
        #expect(delivery.fetchedFrom == nil)
        tracked = tracker.begin(delivery.changed(at: 610), after: tracked)
        let back = Fix(time: seconds(620), place: along(0.6), accuracy: 10, speed: 3)
        _ = tracker.update(&tracked, track: track(of: [near, back]), carried: [], now: seconds(620))
        let own = try #require(tracked.tracking.legProgress)
        #expect(abs(own - 0.6) < 0.01)
    }

    @Test("Stops that come before the delivery publish the arrival after them at once")
    func stopsJoin() throws {
        let others = try ["ole", "nina", "ida"].map { try Delivery.sample(in: .enRoute, customer: $0) }
        var last = try Delivery.sample(in: .enRoute)
        try last.change(.stopsBefore(3), at: 1)
        var tracked = tracked(last, at: 1)
        let track = track(of: ride(from: 0, until: 0.1))
        _ = tracker.update(&tracked, track: track, carried: [last], now: seconds(90))
        let alone = try #require(tracked.tracking.published)
        #expect(tracked.tracking.publishedStops == [] && tracked.hasOtherStops(among: others + [last]))
        let update = tracker.update(&tracked, track: track, carried: others + [last], now: seconds(91))
        let behind = try #require(tracked.tracking.published)
        #expect(update.publishesEstimate && behind == tracked.tracking.estimate)
        #expect(behind.arrivesAt.timeIntervalSince(alone.arrivesAt) >= 2 * DwellTimes.builtIn.doorSeconds)
        #expect(tracked.tracking.publishedStops == others.map(\.id).sorted())
        #expect(!tracked.hasOtherStops(among: others + [last]))
        let again = tracker.update(&tracked, track: track, carried: others + [last], now: seconds(92))
        #expect(!again.publishesEstimate)
    }

    @Test("A track from the last shift is no evidence for this delivery")
    func oldTrack() throws {
        var tracked = tracked(try .sample(in: .enRoute), at: 0)
        let old = track(of: [Fix(time: seconds(-1_801), place: along(0.5))])
        _ = tracker.update(&tracked, track: old, carried: [], now: seconds(0))
        var unreported = self.tracked(try .sample(in: .enRoute), at: 0)
        _ = tracker.update(&unreported, track: CourierTrack(), carried: [], now: seconds(0))
        #expect(tracked.tracking.estimate == unreported.tracking.estimate && tracked.tracking.lastFixAt == nil)
    }

    @Test("A leg that begins long after the last fix has an arrival of its own, and not that of the former leg")
    func oldFix() throws {
        var delivery = try Delivery.sample(in: .assigned)
        var tracked = tracked(delivery, at: 0)
        let track = track(of: [Fix(time: seconds(10), place: storePlace, accuracy: 10, speed: 0)])
        _ = tracker.update(&tracked, track: track, carried: [], now: seconds(10))
        let former = try #require(tracked.tracking.published)
        try delivery.change(.override(.pickedUp, reason: "test"), at: 2_400)
        tracked = tracker.begin(delivery.changed(at: 2_400), after: tracked)
        _ = tracker.update(&tracked, track: track, carried: [], now: seconds(2_400))
        let own = try #require(tracked.tracking.estimate)
        #expect(own != former && own.earliest >= seconds(2_400))
        var unreported = self.tracked(delivery, at: 2_400)
        _ = tracker.update(&unreported, track: CourierTrack(), carried: [], now: seconds(2_400))
        #expect(own == unreported.tracking.estimate)
    }

    @Test("With another courier the estimate for the first is discarded")
    func reassigned() throws {
        var delivery = try Delivery.sample(in: .enRoute)
        var tracked = tracked(delivery, at: 0)
        _ = tracker.update(&tracked, track: track(of: ride(from: 10, until: 0.2)), carried: [], now: seconds(200))
        try delivery.change(.courier(noah), at: 210)
        let next = tracker.begin(delivery.changed(at: 210), after: tracked)
        #expect(
            next.tracking.estimate == nil && next.tracking.published == nil
                && next.tracking.legStartedAt == seconds(210))
        #expect(next.step == tracked.step)
    }

    @Test("The same leg goes on through its statuses; its milestones are those in the snapshot of orders")
    func sameLeg() throws {
        var delivery = try Delivery.sample(in: .pickedUp)
        var tracked = tracked(delivery, at: 0)
        _ = tracker.update(&tracked, track: track(of: ride(from: 10, until: 0.95)), carried: [], now: seconds(860))
        #expect(tracked.tracking.detector.reached.isSuperset(of: [.leftStore, .arriving]))
        try delivery.change(.status(.enRoute, reason: nil), at: 870)
        let next = tracker.begin(delivery.changed(at: 870), after: tracked)
        #expect(next.tracking.legStartedAt == tracked.tracking.legStartedAt)
        #expect(next.tracking.estimate == tracked.tracking.estimate)
        #expect(next.tracking.detector.reached == [.nearStore, .leftStore])
    }

    static let unreportedByStatus: [(StatusCode, [Milestone])] = [
        (.pickedUp, [.leftStore, .arriving]), (.enRoute, [.arriving]), (.arriving, []), (.delivered, []),
    ]

    @Test(
        "Milestones that are missing in the snapshot of orders are unreported",
        arguments: DeliveryTrackerTests.unreportedByStatus)
    func unreported(code: StatusCode, expected: [Milestone]) throws {
        let progress = MilestoneDetector(reached: [.nearStore, .leftStore, .arriving])
        #expect(progress.unreported(to: DeliveryRevision(try .sample(in: code))) == expected)
        let troubled = MilestoneDetector(reached: progress.reached, isSilent: true, isLate: true)
        let flags: [Milestone] = code == .delivered ? [] : [.silent, .late]
        #expect(troubled.unreported(to: DeliveryRevision(try .sample(in: code))) == expected + flags)
    }

    @Test(
        "Silence is detected in the statuses in which a customer waits",
        arguments: StatusCode.allCases.filter { $0.rank >= 50 })
    func silentAt(code: StatusCode) throws {
        let tracked = tracked(try .sample(in: code), at: 0)
        let due = tracker.silentAt(tracked, track: CourierTrack(), now: start)
        let customerWaits = [.pickedUp, .enRoute, .arriving, .atDoor, .attempted].contains(code)
        #expect(due == (customerWaits ? seconds(300) : nil))
    }

    @Test("A phone that reports again on the way back ends the silence, and orders removes the flag")
    func reportsOnTheWayBack() throws {
        var delivery = try Delivery.sample(in: .returning)
        try delivery.change(.milestone(.silent, assignmentEpoch: delivery.assignmentEpoch), at: 1)
        #expect(delivery.flags.contains(.courierSilent))
        var tracked = tracked(delivery, at: 1)
        #expect(tracker.update(&tracked, track: CourierTrack(), carried: [delivery], now: seconds(10)).isEmpty)
        let track = track(of: [Fix(time: seconds(20), place: along(0.5), accuracy: 10, speed: 3)])
        let update = tracker.update(&tracked, track: track, carried: [delivery], now: seconds(21))
        #expect(update.milestones == [.reporting])
        #expect(tracked.tracking.detector.unreported(to: DeliveryRevision(delivery)) == [.reporting])
        try delivery.change(.milestone(.reporting, assignmentEpoch: delivery.assignmentEpoch), at: 22)
        #expect(!delivery.flags.contains(.courierSilent))
    }

    @Test("A courier who left a delivery for a reported problem comes near its door only once it is released")
    func leftUndone() throws {
        var delivery = try Delivery.sample(in: .enRoute)
        let there = track(of: [Fix(time: seconds(30), place: doorPlace, accuracy: 10, speed: 0)])
        let steps: [(DeliveryChange, [Milestone])] = [
            (.hold(reason: CourierProblem.noAccess.reason), []), (.release, [.arriving, .atDoor]),
        ]
        for (change, expected) in steps {
            try delivery.change(change, at: 5)
            var next = tracked(delivery, at: 5)
            let update = tracker.update(&next, track: there, carried: [delivery], now: seconds(31))
            #expect(update.milestones.filter { $0 == .arriving || $0 == .atDoor } == expected)
        }
    }

    @Test("A provider's courier is never silent between events, and loses the flag at the next update")
    func providersCourier() throws {
        var delivery = try Delivery.sample()
        let report = ProviderReport(
            source: try #require(ProviderID(rawValue: "doordash")), sourceName: "DoorDash", id: "1",
            kind: "DASHER_PICKED_UP", status: .pickedUp, courier: mira, occurredAt: start, receivedAt: start)
        try delivery.change(.report(report), at: 0)
        var tracked = tracked(delivery, at: 0)
        let track = track(of: [Fix(time: seconds(10), place: along(0.1), accuracy: 10, speed: 3)])
        for now in [10.0, 311, 900] {
            let update = tracker.update(&tracked, track: track, carried: [delivery], now: seconds(now))
            #expect(!update.milestones.contains(.silent) && !tracked.tracking.detector.isSilent)
            #expect(now == 10 || update.milestones.isEmpty, "the clock alone reaches no place")
        }
        tracked.nextStep()
        #expect(tracked.tracking.lastPublished.lastFixAt == seconds(10))
        #expect(tracked.tracking.lastPublished.freshUntil == nil, "the card holds until its window's end")

        try delivery.change(.milestone(.silent, assignmentEpoch: delivery.assignmentEpoch), at: 910)
        #expect(delivery.flags.contains(.courierSilent))
        var flagged = tracker.begin(delivery.changed(at: 910), after: tracked)
        let update = tracker.update(&flagged, track: track, carried: [delivery], now: seconds(920))
        #expect(update.milestones.contains(.reporting) && !flagged.tracking.detector.isSilent)
    }
}
