import ArrivalEstimate
import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import CourierETA

@Suite("A proposed trip", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PreviewTripTests {
    @Test("Added bags arrive one after the other, after the courier's own, and nothing is written")
    func arrivals() async throws {
        try await Harness.run { harness in
            var own = try Delivery.sample(in: .enRoute)
            try own.change(.courier(noah), at: 0)
            try own.change(.status(.pickedUp, reason: nil), at: 0)
            let added = try [0.4, 0.6, 0.8].map { try Delivery.sample(in: .enRoute, door: along($0)) }
            for delivery in [own] + added { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            harness.move(to: 20)
            _ = try await harness.parts.ingestFixes(
                [Fix(time: seconds(15), place: along(0.1), accuracy: 10, speed: 3)], of: mira.id)
            _ = try await harness.published()
            let preview = PreviewTrip(pool: harness.pool, clock: harness.wall.domain, tracker: DeliveryTracker())
            let trip = try await preview(of: noah.id, adding: added.map(\.id))
            #expect(trip.stops.map(\.delivery) == [own.id] + added.map(\.id))
            #expect(trip.stops.map(\.isAdded) == [false, true, true, true])
            #expect(trip.stops.map(\.stopsBefore) == [0, 1, 2, 3])
            #expect(trip.stops.map(\.fetchedFrom) == [nil, "Mira", "Mira", "Mira"])
            #expect(trip.stops[1].formerCourier == mira.id)
            // What lists have, which the newest estimate may differ from by too little to be published.
            for (stop, delivery) in zip(trip.stops, [own] + added) {
                let published = try await DeliveryRepository.delivery(delivery.id, on: harness.pool)?.tracking.published
                #expect(stop.formerEstimate == published)
            }
            let arrivals = try trip.stops.map { try #require($0.estimate).arrivesAt }
            for (one, next) in zip(arrivals, arrivals.dropFirst()) {
                #expect(next.timeIntervalSince(one) >= DwellTimes.builtIn.doorSeconds)
            }
            #expect(try await harness.published().isEmpty)
            #expect(try await DeliveryRepository.live(of: noah.id, on: harness.pool).map(\.delivery) == [own])

            // Of a courier who is silent since, the former arrivals were in time, and have passed.
            harness.move(to: 3_700)
            let late = try await preview(of: noah.id, adding: added.map(\.id)).stops
            for stop in late {
                #expect(stop.formerEstimate == trip.stops.first { $0.delivery == stop.delivery }?.formerEstimate)
            }
            #expect(late.allSatisfy { $0.wasLate && $0.isLate })
        }
    }

    @Test("A courier without live deliveries has the vehicle of their newest one")
    func vehicle() async throws {
        try await Harness.run { harness in
            var done = try Delivery.sample()
            try done.change(.courier(noah), at: 0)
            for code in [StatusCode.pickedUp, .delivered] { try done.change(.override(code, reason: "test"), at: 0) }
            let added = try Delivery.sample(in: .enRoute)
            for delivery in [done, added] { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            let preview = PreviewTrip(pool: harness.pool, clock: harness.wall.domain, tracker: DeliveryTracker())
            var arrivals: [Date] = []
            for courier in [noah.id, try #require(CourierID(rawValue: "ida"))] {
                let stop = try #require(try await preview(of: courier, adding: [added.id]).stops.first)
                arrivals.append(try #require(stop.estimate).arrivesAt)
            }
            #expect(arrivals[0] < arrivals[1], "a car, and a bicycle where nothing is known")
        }
    }

    @Test("It says what becomes of a hold for a broken vehicle, and that another one stays")
    func holds() async throws {
        try await Harness.run { harness in
            var held: [Delivery] = []
            for reason in [CourierProblem.vehicle.reason, "fraud check"] {
                var delivery = try Delivery.sample(in: .enRoute)
                try delivery.change(.hold(reason: reason), at: 1)
                try await harness.parts.applyDeliveryChange(delivery.changed(at: 1))
                held.append(delivery)
            }
            let preview = PreviewTrip(pool: harness.pool, clock: harness.wall.domain, tracker: DeliveryTracker())
            let stops = try await preview(of: noah.id, adding: held.map(\.id)).stops
            #expect(stops.map(\.wasOnHold) == [true, true])
            #expect(stops.first { $0.delivery == held[0].id }?.isOnHold == false)
            #expect(stops.first { $0.delivery == held[1].id }?.isOnHold == true)
        }
    }

    @Test("A move behind a delivery that the courier left undone gives no own stop another place")
    func leftUndone() async throws {
        try await Harness.run { harness in
            var own = try [0.1, 0.2, 0.3].map { try Delivery.sample(in: .enRoute, door: along($0)) }
            for (index, stops) in [0, 0, 1].enumerated() {
                try own[index].change(.courier(noah, stopsBefore: stops), at: 0)
                try own[index].change(.status(.pickedUp, reason: nil), at: 0)
            }
            try own[0].change(.hold(reason: CourierProblem.noAccess.reason), at: 1)
            let added = try Delivery.sample(in: .enRoute, door: along(0.6))
            for delivery in own + [added] { try await harness.parts.applyDeliveryChange(delivery.changed(at: 1)) }
            let preview = PreviewTrip(pool: harness.pool, clock: harness.wall.domain, tracker: DeliveryTracker())
            let trip = try await preview(of: noah.id, adding: [added.id])
            #expect(trip.stops.first { $0.delivery == added.id }?.stopsBefore == 2)
            #expect(trip.stops.allSatisfy { $0.isAdded || $0.stopsBefore == $0.formerStopsBefore })
        }
    }

    @Test("A place where the courier with the goods was seen hours ago is no stop, after a move and in its preview")
    func seenHoursAgo() async throws {
        try await Harness.run { harness in
            let moved = try [60.0, 72_000].map { (time: $0, delivery: try Delivery.sample(in: .enRoute)) }
            let added = try Delivery.sample(in: .enRoute)
            for delivery in moved.map(\.delivery) + [added] {
                try await harness.parts.applyDeliveryChange(delivery.changed(at: 0))
            }
            harness.move(to: 20)
            _ = try await harness.parts.ingestFixes(
                [Fix(time: seconds(15), place: along(0.1), accuracy: 10, speed: 3)], of: mira.id)
            var areKnown: [Bool] = []
            for (time, delivery) in moved {
                var next = delivery
                try next.change(.courier(noah), at: time)
                harness.move(to: time)
                try await harness.parts.applyDeliveryChange(next.changed(at: time))
                let tracked = try #require(try await DeliveryRepository.delivery(delivery.id, on: harness.pool))
                areKnown.append(tracked.tracking.fetchPlace != nil)
            }
            #expect(areKnown == [true, false])

            let preview = PreviewTrip(pool: harness.pool, clock: harness.wall.domain, tracker: DeliveryTracker())
            let estimates = try await preview(of: noah.id, adding: [added.id]).stops.map(\.estimate)
            try await harness.pool.execute("DELETE FROM fixes")
            let unseen = try await preview(of: noah.id, adding: [added.id]).stops.map(\.estimate)
            #expect(estimates == unseen && unseen.count == 3)
        }
    }

    @Test("A place that was known at the hand-over is a stop until the goods are fetched, also for what comes behind")
    func fetchedLater() async throws {
        try await Harness.run { harness in
            var moved = try Delivery.sample(in: .enRoute)
            var behind = try Delivery.sample(in: .enRoute)
            try behind.change(.courier(noah, stopsBefore: 5), at: 0)
            try behind.change(.status(.pickedUp, reason: nil), at: 0)
            for delivery in [moved, behind] { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            harness.move(to: 20)
            _ = try await harness.parts.ingestFixes(
                [Fix(time: seconds(15), place: along(-1), accuracy: 10, speed: 3)], of: mira.id)
            for (time, change) in [(60, .courier(noah)), (2_000, .stopsBefore(1))] as [(Double, DeliveryChange)] {
                try moved.change(change, at: time)
                harness.move(to: time)
                try await harness.parts.applyDeliveryChange(moved.changed(at: time))
            }
            var tracked = try #require(try await DeliveryRepository.delivery(moved.id, on: harness.pool))
            #expect(tracked.tracking.fetchPlace == along(-1))

            harness.move(to: 2_060)
            let preview = PreviewTrip(pool: harness.pool, clock: harness.wall.domain, tracker: DeliveryTracker())
            func arrivals() async throws -> [Date] {
                try await preview(of: noah.id, adding: []).stops.compactMap(\.estimate?.arrivesAt)
            }
            let known = try await arrivals()
            tracked.tracking.fetchPlace = nil
            try await harness.pool.execute(DeliveryRepository.updateTracking(tracked))
            let unknown = try await arrivals()
            #expect(known.count == 2 && unknown.count == 2 && zip(unknown, known).allSatisfy { $0 < $1 })
        }
    }

    @Test("Goods that are moved on before they are fetched are still where their courier was seen")
    func movedOn() async throws {
        try await Harness.run { harness in
            var moved = try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 20)
            _ = try await harness.parts.ingestFixes(
                [Fix(time: seconds(15), place: along(-1), accuracy: 10, speed: 3)], of: mira.id)
            let ben = Courier(id: try #require(CourierID(rawValue: "ben")), name: "Ben", vehicle: .car, phone: nil)
            for (time, next) in [(60, noah), (2_400, ben)] as [(Double, Courier)] {
                try moved.change(.courier(next), at: time)
                harness.move(to: time)
                try await harness.parts.applyDeliveryChange(moved.changed(at: time))
            }
            let tracked = try #require(try await DeliveryRepository.delivery(moved.id, on: harness.pool))
            #expect(tracked.delivery.fetchedFrom?.id == mira.id && tracked.tracking.fetchPlace == along(-1))
        }
    }

    @Test("A trip of more stops than one may have is refused as a whole; bags of one door are one stop")
    func tooManyStops() async throws {
        try await Harness.run { harness in
            var own = try Delivery.sample(in: .enRoute)
            try own.change(.courier(noah), at: 0)
            try await harness.parts.applyDeliveryChange(own.changed(at: 0))
            let added = try (0..<PreviewTrip.stopsMax).map {
                try Delivery.sample(in: .enRoute, door: along(Double($0) / 100))
            }
            let second = try Delivery.sample(in: .enRoute, door: added[0].door)
            for delivery in added + [second] { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            let preview = PreviewTrip(pool: harness.pool, clock: harness.wall.domain, tracker: DeliveryTracker())
            let fitting = try await preview(of: noah.id, adding: added.dropLast().map(\.id))
            #expect(fitting.stops.map(\.stopsBefore) == Array(0..<PreviewTrip.stopsMax))
            let withSecond = try await preview(of: noah.id, adding: added.dropLast().map(\.id) + [second.id])
            #expect(withSecond.stops.count == PreviewTrip.stopsMax + 1)
            #expect(Set(withSecond.stops.map(\.stopsBefore)) == Set(0..<PreviewTrip.stopsMax))
            await #expect(throws: PreviewTrip.TooManyStops(own: 1, added: PreviewTrip.stopsMax)) {
                try await preview(of: noah.id, adding: added.map(\.id))
            }
        }
    }

    @Test("Added deliveries that are unknown or have ended are named and left out, and do not count as stops")
    func someNotLive() async throws {
        try await Harness.run { harness in
            let ended = try await harness.learnDelivery(in: .delivered)
            let live = try (0..<PreviewTrip.stopsMax).map {
                try Delivery.sample(in: .enRoute, door: along(Double($0) / 100))
            }
            for delivery in live { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            let preview = PreviewTrip(pool: harness.pool, clock: harness.wall.domain, tracker: DeliveryTracker())
            let unknown = DeliveryID(UUID())
            let trip = try await preview(of: noah.id, adding: [ended.id, unknown] + live.map(\.id))
            #expect(Set(trip.stops.map(\.delivery)) == Set(live.map(\.id)) && trip.stops.allSatisfy(\.isAdded))
            #expect(trip.notLive == [ended.id, unknown].sorted())
            #expect(try await preview(of: noah.id, adding: [live[0].id]).notLive == nil)
        }
    }

    @Test("An unknown or ended delivery is refused where no other is added")
    func notLive() async throws {
        try await Harness.run { harness in
            let ended = try await harness.learnDelivery(in: .delivered)
            let preview = PreviewTrip(pool: harness.pool, clock: harness.wall.domain, tracker: DeliveryTracker())
            for id in [ended.id, DeliveryID(UUID())] {
                await #expect(throws: PreviewTrip.NotLive(delivery: id)) {
                    try await preview(of: noah.id, adding: [id])
                }
            }
        }
    }
}
