import ArrivalEstimate
import Foundation
import LiveActivity
import Messages
import OrderDomain
import ReliableMessaging
import Testing
import WireCoding

@testable import CourierETA

@Suite("What a ride makes of a card")
struct DecisionTests {
    private let watcher = Watcher()

    /// One moment of a ride: what was said to screens then, if anything.
    private struct Moment {
        let time: Double
        let observation: Observation
        let content: GroceryDeliveryAttributes.ContentState?
        let staleAt: Int?
    }

    /// Plays a ride fix by fix, with `orders` taking in each milestone at once as it does.
    private func play(
        _ fixes: [Fix], _ delivery: Delivery, carried: [Delivery] = []
    ) throws -> (moments: [Moment], watched: WatchedDelivery) {
        var delivery = delivery
        var watched = watcher.begin(delivery.said(at: 0), after: nil)
        var moments: [Moment] = []
        for index in fixes.indices {
            let now = fixes[index].time
            let time = now.timeIntervalSince(start)
            let observation = watcher.observe(
                &watched, track: track(of: Array(fixes[...index])), carried: carried + [delivery], now: now)
            if !observation.isQuiet { watched.nextWord(isForScreens: observation.isForScreens) }
            let step = observation.isForScreens ? ActivityIntents().intent(for: watched)?.step : nil
            var staleAt: Int?
            if case .show(let shown)? = step { staleAt = shown.staleAt }
            moments.append(Moment(time: time, observation: observation, content: step?.content, staleAt: staleAt))
            for sign in observation.signs {
                let version = delivery.version
                try delivery.change(.milestone(sign.milestone, assignmentEpoch: 1), at: time)
                if delivery.version > version { watched = watcher.begin(delivery.said(at: time), after: watched) }
            }
        }
        return (moments, watched)
    }

    /// Stands at `place` from `from` to `to`, with a fix every 15 s.
    private func standing(at place: Place, from: Double, to: Double) -> [Fix] {
        stride(from: from, through: to, by: 15).map {
            Fix(time: seconds($0), place: place, accuracy: 10, speed: 0)
        }
    }

    @Test("A courier who stands still is noticed after two minutes, shown after four, and the end of it is told")
    func standing() throws {
        let fixes =
            ride(from: 15, until: 0.5) + standing(at: along(0.5), from: 480, to: 900)
            + ride(from: 15, until: 0.7).filter { $0.time > seconds(465) }.map { fix in
                Fix(time: fix.time.addingTimeInterval(450), place: fix.place, accuracy: 10, speed: 3)
            }
        let (moments, watched) = try play(fixes, try .sample(in: .enRoute))
        let told = watched.watch.told.filter { $0.sign == .standing || $0.sign == .moving }
        #expect(told.map(\.sign) == [.standing, .moving])
        let noticed = try #require(told.first).at.timeIntervalSince(start)
        let says = moments.filter { $0.content?.detail?.code.contains("standing") == true }
        let first = try #require(says.first)
        #expect((585...615).contains(noticed) && (700...735).contains(first.time), "stood since 465 s")
        #expect(says.allSatisfy { $0.time <= 915 })
        let after = try #require(moments.first { $0.time > 915 && $0.content != nil })
        #expect(after.content?.detail?.code.contains("standing") != true && after.time < 960)
    }

    @Test("At another customer's door nobody is alarmed, nor when that delivery has ended there")
    func otherDoor() throws {
        let other = try Delivery.sample(in: .enRoute, customer: "ole", door: along(0.5))
        let fixes = ride(from: 15, until: 0.5) + standing(at: along(0.5), from: 480, to: 1_200)
        let alone = try play(fixes, try .sample(in: .enRoute)).watched
        #expect(alone.watch.told.contains { $0.sign == .standing })
        let stacked = try play(fixes, try .sample(in: .enRoute), carried: [other]).watched
        #expect(!stacked.watch.told.contains { $0.sign == .standing })

        var done = watcher.begin(try Delivery.sample(in: .enRoute).said(at: 0), after: nil)
        _ = watcher.observe(&done, track: track(of: Array(fixes.prefix(3))), carried: [other], now: seconds(45))
        let observation = watcher.observe(&done, track: track(of: fixes), carried: [], now: seconds(1_200))
        #expect(!observation.signs.contains(.standing))
    }

    @Test("A delay is told once on a ride that grows later and later, at whatever moment")
    func delayedOnce() throws {
        for promised in stride(from: 1_810.0, through: 2_400, by: 59) {
            var delivery = try Delivery.sample(in: .pickedUp)
            let promise = try #require(Promise(start: seconds(1_200), end: seconds(promised)))
            try delivery.change(.promise(promise), at: 0)
            // Half of the way at a good pace, then at a fifth of it.
            let slow = stride(from: 0.0, through: 2_250, by: 15).map {
                Fix(time: seconds(480 + $0), place: along(0.5 + $0 / 4_500), accuracy: 10, speed: 0.6)
            }
            let (moments, watched) = try play(ride(from: 15, until: 0.5) + slow, delivery)
            let flags = moments.flatMap(\.observation.signs).filter { $0 == .late || $0 == .onTime }
            #expect(flags == [.late], "promised by \(promised)")
            let late = try #require(watched.watch.told.first { $0.sign == .late })
            #expect(late.at <= seconds(promised), "before the promise has passed")
        }
    }

    @Test("A ride that is on time to the end is never called late")
    func punctual() throws {
        let (moments, _) = try play(ride(from: 15, until: 1), try .sample(in: .pickedUp))
        #expect(!moments.flatMap(\.observation.signs).contains(.late))
    }

    @Test("While the courier is heard no card goes stale, and a long quiet way costs few words")
    func fresh() throws {
        let way = stride(from: 15.0, through: 3_000, by: 15).map {
            Fix(time: seconds($0), place: along($0 / 4_000), accuracy: 10, speed: 0.7)
        }
        let (moments, _) = try play(way, try .sample(in: .enRoute))
        var staleAt = Int.max
        for moment in moments {
            #expect(seconds(moment.time).epochSeconds < staleAt, "stale at \(moment.time) s")
            staleAt = moment.staleAt ?? staleAt
        }
        #expect(moments.count { $0.content != nil } <= 20)
        let window = try #require(moments.compactMap(\.content?.arrival).first)
        #expect(window.from.isMultiple(of: 60) && window.to.isMultiple(of: 60))
    }

    @Test("Operators are told how likely a miss has become, and screens are left in peace")
    func listed() throws {
        var delivery = try Delivery.sample(in: .enRoute)
        try delivery.change(.promise(try #require(Promise(start: seconds(600), end: seconds(1_500)))), at: 0)
        var watched = watcher.begin(delivery.said(at: 0), after: nil)
        _ = watcher.observe(&watched, track: track(of: ride(from: 0, until: 0.2)), carried: [], now: seconds(180))
        watched.nextWord()
        watched.watch.said.missProbability = (watched.watch.missProbability ?? 0) + 0.2
        watched.watch.listedAt = seconds(180)
        func look(at now: Double) -> Observation {
            watcher.observe(&watched, track: track(of: ride(from: 0, until: 0.2)), carried: [], now: seconds(now))
        }
        #expect(look(at: 181).isQuiet, "not at every breath of the estimate")
        let observation = look(at: 211)
        #expect(observation.isWorthListing && !observation.isForScreens && !observation.isQuiet)
        let messages = try Announcement().messages(
            for: watched, signs: [], isForScreens: observation.isForScreens, at: seconds(211))
        #expect(messages.map(\.subject) == [Subject.estimateChanged(delivery.id)])
        // Screens hold what they held, and grow old by that.
        let held = watched.watch.said.freshUntil
        watched.watch.lastFixAt = seconds(205)
        watched.nextWord(isForScreens: observation.isForScreens)
        #expect(watched.watch.said.freshUntil == held && watched.watch.freshUntil != held)
        #expect(watched.watch.said.missProbability == watched.watch.missProbability)
    }

    @Test("A door that was reached before another attempt is not where the ride ends")
    func anotherAttempt() throws {
        var watched = watcher.begin(try Delivery.sample(in: .atDoor).said(at: 0), after: nil)
        watched.watch.arrived = Watch.Arrived(legSince: seconds(0), legOrigin: along(0), at: seconds(60), roads: [])
        let same = watcher.begin(try Delivery.sample(in: .atDoor).said(at: 90), after: watched)
        #expect(same.watch.arrived != nil)
        let again = watcher.begin(try Delivery.sample(in: .enRoute).said(at: 90), after: watched)
        #expect(again.watch.arrived == nil)
    }
}
