import ArrivalEstimate
import Foundation
import LiveActivity
import Messages
import OrderDomain
import ReliableMessaging
import Testing
import WireCoding

@testable import CourierETA

@Suite("Publication along a ride")
struct PublicationTests {
    private let tracker = DeliveryTracker()

    /// One moment of a ride: what was published to screens then, if anything.
    private struct Moment {
        let time: Double
        let update: TrackingUpdate
        let content: GroceryDeliveryAttributes.ContentState?
        let staleAt: Int?
    }

    /// Plays a ride fix by fix, with `orders` taking in each milestone at once as it does.
    private func play(
        _ fixes: [Fix], _ delivery: Delivery, carried: [Delivery] = []
    ) throws -> (moments: [Moment], tracked: TrackedDelivery) {
        var delivery = delivery
        var tracked = tracker.begin(delivery.changed(at: 0), after: nil)
        var moments: [Moment] = []
        for index in fixes.indices {
            let now = fixes[index].time
            let time = now.timeIntervalSince(start)
            let update = tracker.update(
                &tracked, track: track(of: Array(fixes[...index])), carried: carried + [delivery], now: now)
            if !update.isEmpty { tracked.nextStep(isForScreens: update.isForScreens) }
            let step = update.isForScreens ? ActivityIntents().intent(for: tracked, at: now)?.step : nil
            var staleAt: Int?
            if case .show(let shown)? = step { staleAt = shown.staleAt }
            moments.append(Moment(time: time, update: update, content: step?.content, staleAt: staleAt))
            for milestone in update.milestones {
                let version = delivery.version
                try delivery.change(.milestone(milestone, assignmentEpoch: 1), at: time)
                if delivery.version > version { tracked = tracker.begin(delivery.changed(at: time), after: tracked) }
            }
        }
        return (moments, tracked)
    }

    /// Stands at `place` from `from` to `to`, with a fix every 15 s.
    private func standing(at place: Coordinate, from: Double, to: Double) -> [Fix] {
        stride(from: from, through: to, by: 15).map {
            Fix(time: seconds($0), place: place, accuracy: 10, speed: 0)
        }
    }

    @Test("A courier who stands still is detected after two minutes, shown after four, and moving is reported")
    func standing() throws {
        let fixes =
            ride(from: 15, until: 0.5) + standing(at: along(0.5), from: 480, to: 900)
            + ride(from: 15, until: 0.7).filter { $0.time > seconds(465) }.map { fix in
                Fix(time: fix.time.addingTimeInterval(450), place: fix.place, accuracy: 10, speed: 3)
            }
        let (moments, tracked) = try play(fixes, try .sample(in: .enRoute))
        let stops = tracked.tracking.milestones.filter { $0.milestone == .standing || $0.milestone == .moving }
        #expect(stops.map(\.milestone) == [.standing, .moving])
        let detectedAt = try #require(stops.first).at.timeIntervalSince(start)
        let shown = moments.filter { $0.content?.detail?.code.contains("standing") == true }
        let first = try #require(shown.first)
        #expect((585...615).contains(detectedAt) && (700...735).contains(first.time), "stood since 465 s")
        #expect(shown.allSatisfy { $0.time <= 915 })
        let after = try #require(moments.first { $0.time > 915 && $0.content != nil })
        #expect(after.content?.detail?.code.contains("standing") != true && after.time < 960)
    }

    @Test("A stop at another customer's door is expected, also when that delivery has ended there")
    func otherDoor() throws {
        let other = try Delivery.sample(in: .enRoute, customer: "ole", door: along(0.5))
        let fixes = ride(from: 15, until: 0.5) + standing(at: along(0.5), from: 480, to: 1_200)
        let alone = try play(fixes, try .sample(in: .enRoute)).tracked
        #expect(alone.tracking.milestones.contains { $0.milestone == .standing })
        let stacked = try play(fixes, try .sample(in: .enRoute), carried: [other]).tracked
        #expect(!stacked.tracking.milestones.contains { $0.milestone == .standing })

        var done = tracker.begin(try Delivery.sample(in: .enRoute).changed(at: 0), after: nil)
        _ = tracker.update(&done, track: track(of: Array(fixes.prefix(3))), carried: [other], now: seconds(45))
        let update = tracker.update(&done, track: track(of: fixes), carried: [], now: seconds(1_200))
        #expect(!update.milestones.contains(.standing))
    }

    @Test("A delay is reported once on a ride that grows later and later, at whatever moment")
    func delayedOnce() throws {
        for promised in stride(from: 1_810.0, through: 2_400, by: 59) {
            var delivery = try Delivery.sample(in: .pickedUp)
            let promise = try #require(Promise(start: seconds(1_200), end: seconds(promised)))
            try delivery.change(.promise(promise), at: 0)
            // Half of the way at a good pace, then at a fifth of it.
            let slow = stride(from: 0.0, through: 2_250, by: 15).map {
                Fix(time: seconds(480 + $0), place: along(0.5 + $0 / 4_500), accuracy: 10, speed: 0.6)
            }
            let (moments, tracked) = try play(ride(from: 15, until: 0.5) + slow, delivery)
            let flags = moments.flatMap(\.update.milestones).filter { $0 == .late || $0 == .onTime }
            #expect(flags == [.late], "promised by \(promised)")
            let late = try #require(tracked.tracking.milestones.first { $0.milestone == .late })
            #expect(late.at <= seconds(promised), "before the promise has passed")
        }
    }

    @Test("A ride that is on time to the end is never reported late")
    func punctual() throws {
        let (moments, _) = try play(ride(from: 15, until: 1), try .sample(in: .pickedUp))
        #expect(!moments.flatMap(\.update.milestones).contains(.late))
    }

    @Test("While fixes are received no card becomes stale, and a long uneventful leg takes few publications")
    func fresh() throws {
        let fixes = stride(from: 15.0, through: 3_000, by: 15).map {
            Fix(time: seconds($0), place: along($0 / 4_000), accuracy: 10, speed: 0.7)
        }
        let (moments, _) = try play(fixes, try .sample(in: .enRoute))
        var staleAt = Int.max
        for moment in moments {
            #expect(seconds(moment.time).epochSeconds < staleAt, "stale at \(moment.time) s")
            staleAt = moment.staleAt ?? staleAt
        }
        #expect(moments.count { $0.content != nil } <= 20)
        let window = try #require(moments.compactMap(\.content?.arrival).first)
        #expect(window.from.isMultiple(of: 60) && window.to.isMultiple(of: 60))
    }

    @Test("A changed risk of a miss is published to operators and not to screens")
    func listed() throws {
        var delivery = try Delivery.sample(in: .enRoute)
        try delivery.change(.promise(try #require(Promise(start: seconds(600), end: seconds(1_500)))), at: 0)
        var tracked = tracker.begin(delivery.changed(at: 0), after: nil)
        _ = tracker.update(&tracked, track: track(of: ride(from: 0, until: 0.2)), carried: [], now: seconds(180))
        tracked.nextStep()
        tracked.tracking.lastPublished.missProbability = (tracked.tracking.missProbability ?? 0) + 0.2
        tracked.tracking.riskReportedAt = seconds(180)
        func next(at now: Double) -> TrackingUpdate {
            tracker.update(&tracked, track: track(of: ride(from: 0, until: 0.2)), carried: [], now: seconds(now))
        }
        #expect(next(at: 181).isEmpty, "not for every fluctuation of the estimate")
        let update = next(at: 211)
        #expect(update.reportsRisk && !update.isForScreens && !update.isEmpty)
        let messages = try TrackingMessages().messages(
            for: tracked, milestones: [], isForScreens: update.isForScreens, at: seconds(211))
        #expect(messages.map(\.subject) == [Subject.estimatesChanged])
        // Screens keep what they show, and become stale by that.
        let shown = tracked.tracking.lastPublished.freshUntil
        tracked.tracking.lastFixAt = seconds(205)
        tracked.nextStep(isForScreens: update.isForScreens)
        #expect(tracked.tracking.lastPublished.freshUntil == shown && tracked.tracking.freshUntil != shown)
        #expect(tracked.tracking.lastPublished.missProbability == tracked.tracking.missProbability)
    }

    @Test("In silence the window stays where it was, then goes, with a text in its place; the next fix brings another")
    func silentWindow() throws {
        var delivery = try Delivery.sample(in: .enRoute)
        var tracked = tracker.begin(delivery.changed(at: 0), after: nil)
        let ridden = track(of: ride(from: 0, until: 0.5))
        func update(_ track: CourierTrack, at now: Double) -> TrackingUpdate {
            let update = tracker.update(&tracked, track: track, carried: [delivery], now: seconds(now))
            if !update.isEmpty { tracked.nextStep(isForScreens: update.isForScreens) }
            return update
        }
        func content(at now: Double) throws -> GroceryDeliveryAttributes.ContentState {
            try #require(ActivityIntents().intent(for: tracked, at: seconds(now))).step.content
        }
        _ = update(track(of: ride(from: 0, until: 0.4)), at: 360)
        _ = update(ridden, at: 450)
        let published = try #require(tracked.tracking.published)
        #expect(tracked.tracking.estimate != published, "the newest differs too little to be published")
        let window = Window(shown: published)
        let risk = try #require(tracked.tracking.missProbability)
        let end = Double(window.to) - start.timeIntervalSince1970
        #expect(update(ridden, at: 750).milestones == [.silent])
        try delivery.change(.milestone(.silent, assignmentEpoch: 1), at: 750)
        tracked = tracker.begin(delivery.changed(at: 750), after: tracked)
        #expect(tracker.nextUpdate(inSilenceOf: tracked, after: 10_000, now: seconds(750)) == seconds(end))
        _ = update(ridden, at: end - 1)
        let silent = try content(at: end - 1)
        #expect(silent.arrival == window && silent.headline.code == "courier_silent")
        #expect(update(ridden, at: end).refreshesScreens)
        let over = try content(at: end)
        #expect(over.arrival == nil && over.detail?.code == "arrival_unknown")
        #expect(!update(ridden, at: end + 300).publishesEstimate)
        let messages = try TrackingMessages().messages(for: tracked, milestones: [], at: seconds(end + 300))
        let forOperators = try #require(messages.first { $0.subject == Subject.estimatesChanged })
        let kept = try WireJSON.decode(EstimateChanged.self, from: Data(forOperators.payload))
        let change = kept.estimate.arrivesAt.timeIntervalSince(published.arrivesAt)
        #expect(tracked.tracking.shown == nil && abs(change) < 0.001, "operators keep the arrival that was published")
        let grown = try #require(tracked.tracking.missProbability)
        #expect(grown > risk + 0.3)
        let again = track(of: [Fix(time: seconds(end + 310), place: along(0.6), accuracy: 10, speed: 3)])
        #expect(update(again, at: end + 310).publishesEstimate)
        let next = try #require(try content(at: end + 310).arrival)
        #expect(next.from > window.from)
    }

    @Test("A door that was reached before another attempt is not where the ride ends")
    func anotherAttempt() throws {
        var tracked = tracker.begin(try Delivery.sample(in: .atDoor).changed(at: 0), after: nil)
        tracked.tracking.arrivedLeg = TrackingState.ArrivedLeg(
            startedAt: seconds(0), origin: along(0), arrivedAt: seconds(60), roads: [])
        let same = tracker.begin(try Delivery.sample(in: .atDoor).changed(at: 90), after: tracked)
        #expect(same.tracking.arrivedLeg != nil)
        let again = tracker.begin(try Delivery.sample(in: .enRoute).changed(at: 90), after: tracked)
        #expect(again.tracking.arrivedLeg == nil)
    }
}
