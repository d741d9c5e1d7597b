import ArrivalEstimate
import Foundation
import OrderDomain
import Testing

@testable import CourierETA

@Suite("Completed delivery")
struct CompletedDeliveryTests {
    /// Comes to the store, waits, rides to the door from second 300 to 1,200, and stays there until 1,320.
    private var fixes: [Fix] {
        let coming = stride(from: 0.0, through: 120, by: 15).map {
            Fix(time: seconds($0), place: along(-0.3 + 0.3 * $0 / 120), accuracy: 10)
        }
        let waiting = stride(from: 135.0, to: 300, by: 15).map { Fix(time: seconds($0), place: along(0)) }
        let leaving = ride(from: 300, until: 1)
        let there = stride(from: 1_215.0, through: 1_320, by: 15).map {
            Fix(time: seconds($0), place: doorPlace, accuracy: 10, speed: 0)
        }
        return coming + waiting + leaving + there
    }

    /// The delivery as it is tracked over those fixes, from pickup to its end.
    private func tracked(
        _ fixes: [Fix], reason: String? = nil,
        end: (inout Delivery) throws -> Void = { delivery in
            try delivery.change(.status(.delivered, reason: nil), at: 1_320)
        }
    ) throws -> TrackedDelivery {
        let tracker = DeliveryTracker()
        var delivery = try Delivery.sample(in: .pickedUp, at: 290)
        var tracked = tracker.begin(delivery.changed(at: 290), after: nil)
        for count in fixes.indices where fixes[count].time >= seconds(290) {
            let now = fixes[count].time
            let milestones = tracker.update(&tracked, track: track(of: Array(fixes[...count])), carried: [], now: now)
                .milestones
            for milestone in milestones where milestone.isShownByFix {
                let time = now.timeIntervalSince(start)
                try delivery.change(.milestone(milestone, assignmentEpoch: 1), at: time)
                tracked = tracker.begin(delivery.changed(at: time), after: tracked)
            }
        }
        try end(&delivery)
        return tracker.begin(delivery.changed(at: 1_320), after: tracked)
    }

    @Test("A leg from the store to the door, and both dwells, are kept")
    func kept() throws {
        let ride = CompletedDelivery(try tracked(fixes), fixes: fixes)
        #expect(ride.outcome == .kept)
        let leg = try #require(ride.leg?.ride)
        // Begun at the pickup; at the door with the first slow fix within 40 m of it.
        #expect((900...930).contains(leg.arrivedAt.timeIntervalSince(leg.since)))
        #expect(abs(leg.origin.distance(to: leg.door) - storePlace.distance(to: doorPlace)) < 5)
        #expect(leg.fixes.count > 55)
        #expect(ride.dwells.map(\.kind) == [.store, .door])
        // Within 60 m of the store from second 120; at the door from 1,200 or 1,215.
        #expect((165...185).contains(ride.dwells[0].seconds) && ride.dwells[0].store == "nordhavn")
        #expect((100...125).contains(ride.dwells[1].seconds))
    }

    @Test("An operator's status is no arrival; the dwell at the store still counts")
    func overridden() throws {
        let ride = CompletedDelivery(
            try tracked(fixes) { try $0.change(.override(.delivered, reason: "the phone was off"), at: 1_320) },
            fixes: fixes)
        #expect(ride.outcome == .overridden && ride.leg == nil && ride.dwells.map(\.kind) == [.store])
    }

    @Test("What ended elsewhere, or twice, is not kept")
    func otherEnds() throws {
        let failed = try tracked(fixes) { try $0.change(.override(.failed, reason: "lost"), at: 1_320) }
        #expect(CompletedDelivery(failed, fixes: fixes).outcome == .notDelivered)
        let reopened = try tracked(fixes) { delivery in
            try delivery.change(.status(.delivered, reason: nil), at: 1_320)
            try delivery.change(.override(.enRoute, reason: "wrong door"), at: 1_330)
            try delivery.change(.override(.delivered, reason: "now"), at: 1_400)
        }
        let ride = CompletedDelivery(reopened, fixes: fixes)
        #expect(ride.outcome == .reopened && ride.leg == nil && ride.dwells.isEmpty)
    }

    @Test("Without a fix at the door nobody knows when it was reached")
    func noArrival() throws {
        let lost = fixes.filter { $0.time < seconds(1_100) }
        let ride = CompletedDelivery(try tracked(lost), fixes: lost)
        #expect(ride.outcome == .noArrival && ride.leg == nil && ride.dwells.map(\.kind) == [.store])
    }

    @Test("A phone that was silent for more than three minutes on the way teaches no way")
    func gap() throws {
        let holes = fixes.filter { !(seconds(500)...seconds(690)).contains($0.time) }
        #expect(CompletedDelivery(try tracked(holes), fixes: holes).outcome == .gap)
        let small = fixes.filter { !(seconds(500)...seconds(650)).contains($0.time) }
        #expect(CompletedDelivery(try tracked(small), fixes: small).outcome == .kept)
    }

    @Test("Fixes that were dropped since, or never came, teach no way")
    func fewFixes() throws {
        let ride = CompletedDelivery(try tracked(fixes), fixes: [])
        #expect(ride.outcome == .fewFixes && ride.dwells.isEmpty)
    }

    @Test("The fixes of a phone that was left elsewhere teach no way")
    func leftElsewhere() throws {
        let left = stride(from: 0.0, through: 1_400, by: 10).map {
            Fix(time: seconds($0), place: along(0.5), accuracy: 12)
        }
        let ride = CompletedDelivery(try tracked(fixes), fixes: left)
        #expect(ride.outcome == .noArrival && ride.leg == nil && ride.dwells.isEmpty)
    }

    @Test("A report that was made elsewhere is no stay: the courier was gone already")
    func reportedLater() throws {
        let gone =
            fixes + [
                Fix(time: seconds(1_440), place: along(0.5)), Fix(time: seconds(1_500), place: along(0.4)),
            ]
        let late = try tracked(gone) { try $0.change(.status(.delivered, reason: nil), at: 1_500) }
        let ride = CompletedDelivery(late, fixes: gone)
        #expect(ride.outcome == .kept && ride.dwells.map(\.kind) == [.store])
    }

    @Test("A courier who was at the store before the first fix may have been there for long")
    func waitedBefore() throws {
        let late = fixes.filter { $0.time >= seconds(150) }
        let ride = CompletedDelivery(try tracked(late), fixes: late)
        #expect(ride.outcome == .kept && ride.dwells.map(\.kind) == [.door])
    }
}
