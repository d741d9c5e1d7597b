import ArrivalEstimate
import DomainTime
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import CourierETA

@Suite("A courier's trip without a position", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct EstimateTripTests {
    /// Picked up at `start`, and promised until `end` to a customer of its own.
    private func bag(until end: Double, door: Coordinate = doorPlace) throws -> Delivery {
        var delivery = try Delivery.sample(in: .pickedUp, customer: "customer-\(Int(end))", door: door)
        try delivery.change(.promise(try #require(Promise(start: seconds(1_800), end: seconds(end)))), at: 0)
        return delivery
    }

    /// The first of two bags after a change, and the arrival of the last one before it.
    private func trip(
        whoseFirst change: DeliveryChange, on harness: Harness
    ) async throws -> (first: Delivery, behind: EstimateChanged) {
        let last = try bag(until: 3_600)
        var first = try bag(until: 3_000)
        for delivery in [last, first] { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
        harness.move(to: 60)
        #expect(try await harness.timers.fireDue() == 1)
        let behind = try #require(try await harness.published().estimates.last { $0.delivery == last.id })
        try first.change(change, at: 61)
        harness.move(to: 61)
        try await harness.parts.applyDeliveryChange(first.changed(at: 61))
        harness.move(to: 62)
        return (first, behind)
    }

    @Test("Bags that come first on the trip move the arrival of a bag that the courier has already")
    func join() async throws {
        try await Harness.run { harness in
            let last = try bag(until: 3_600)
            try await harness.parts.applyDeliveryChange(last.changed(at: 0))
            let alone = try #require(try await harness.published().estimates.last)
            var first = try (0..<4).map { try bag(until: 3_000 + Double($0)) }
            for delivery in first { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            _ = try await harness.published()

            harness.move(to: 60)
            #expect(try await harness.timers.fireDue() == 1)
            let published = try await harness.published().estimates
            let behind = try #require(published.last { $0.delivery == last.id })
            let later = behind.estimate.arrivesAt.timeIntervalSince(alone.estimate.arrivesAt)
            #expect(later >= 4 * DwellTimes.builtIn.doorSeconds)

            for index in first.indices {
                try first[index].change(.status(.delivered, reason: nil), at: 61)
                try await harness.parts.applyDeliveryChange(first[index].changed(at: 61))
            }
            harness.move(to: 120)
            #expect(try await harness.timers.fireDue() == 1)
            let next = try #require(try await harness.published().estimates.last { $0.delivery == last.id })
            #expect(next.estimate.arrivesAt < behind.estimate.arrivesAt)
        }
    }

    @Test("The arrival behind a door that is done counts from that door")
    func doorDone() async throws {
        try await Harness.run { harness in
            // As far from the store as the other one, the other way.
            let last = try bag(until: 3_600, door: along(-0.4))
            var first = try bag(until: 3_000, door: along(0.4))
            for delivery in [last, first] { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            var arrivals: [Date] = []
            for time in [60.0, 671] {
                if time > 60 {
                    try first.change(.status(.delivered, reason: nil), at: 670)
                    harness.move(to: 670)
                    try await harness.parts.applyDeliveryChange(first.changed(at: 670))
                }
                harness.move(to: time)
                _ = try await harness.timers.fireDue()
                let tracked = try #require(try await DeliveryRepository.delivery(last.id, on: harness.pool))
                arrivals.append(try #require(tracked.tracking.estimate).arrivesAt)
            }
            #expect(abs(arrivals[1].timeIntervalSince(arrivals[0])) < 120)
        }
    }

    @Test("The doors that come next on a long trip are known to every delivery on it, whatever the ids")
    func longTrip() async throws {
        try await Harness.run { harness in
            let untraced: ApplyDeliveryChange.Tracing = { messages in try messages() }
            let ids = (0..<40).map { _ in DeliveryID(UUID()) }.sorted(by: >)
            let trip = try ids.enumerated().map { index, id in
                var delivery = try Delivery.sample(id: id, door: along(Double(index + 1) / 50))
                try delivery.change(.courier(mira), at: 0)
                try delivery.change(.override(.pickedUp, reason: "test"), at: 0)
                if index > 0 { try delivery.change(.stopsBefore(index), at: 0) }
                return delivery
            }
            func expectNextDoor() async throws {
                let known = try await DeliveryRepository.deliveries(Array(ids.dropFirst()), on: harness.pool)
                #expect(known.count == 39)
                #expect(known.values.allSatisfy { $0.tracking.otherStops?.contains(trip[0].door) == true })
            }
            try await harness.parts.applyDeliveryChange(trip.map { (change: $0.changed(at: 0), tracing: untraced) })
            try await expectNextDoor()
            harness.move(to: 20)
            _ = try await harness.parts.ingestFixes(
                [Fix(time: seconds(15), place: along(0.01), accuracy: 10, speed: 3)], of: mira.id)
            try await expectNextDoor()
        }
    }

    @Test("An arrival at a door moves no arrival of a bag behind it; the end of the delivery there does")
    func atDoor() async throws {
        try await Harness.run { harness in
            let (atDoor, behind) = try await trip(whoseFirst: .override(.atDoor, reason: "test"), on: harness)
            var first = atDoor
            #expect(try await harness.timers.fireDue() == 0)
            _ = try await harness.published()

            try first.change(.status(.delivered, reason: nil), at: 63)
            harness.move(to: 63)
            try await harness.parts.applyDeliveryChange(first.changed(at: 63))
            harness.move(to: 64)
            #expect(try await harness.timers.fireDue() == 1)
            let alone = try #require(try await harness.published().estimates.last { $0.delivery == behind.delivery })
            let earlier = behind.estimate.arrivesAt.timeIntervalSince(alone.estimate.arrivesAt)
            #expect(earlier > DwellTimes.builtIn.doorSeconds / 2)
        }
    }

    @Test("A bag that the courier leaves for a reported problem delays no arrival of a bag behind it")
    func leftUndone() async throws {
        try await Harness.run { harness in
            let (_, behind) = try await trip(whoseFirst: .hold(reason: CourierProblem.noAccess.reason), on: harness)
            #expect(try await harness.timers.fireDue() == 1)
            let alone = try #require(try await harness.published().estimates.last { $0.delivery == behind.delivery })
            let earlier = behind.estimate.arrivesAt.timeIntervalSince(alone.estimate.arrivesAt)
            #expect(earlier > DwellTimes.builtIn.doorSeconds / 2)
        }
    }

    @Test("The way to the courier with the goods delays a bag behind them, until they are fetched")
    func fetched() async throws {
        try await Harness.run { harness in
            var last = try bag(until: 3_600)
            try last.change(.courier(noah), at: 0)
            try last.change(.status(.pickedUp, reason: nil), at: 0)
            var moved = try bag(until: 3_000)
            for delivery in [last, moved] { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            harness.move(to: 20)
            _ = try await harness.parts.ingestFixes(
                [Fix(time: seconds(15), place: along(-1), accuracy: 10, speed: 3)], of: mira.id)
            var arrivals: [Date] = []
            for (time, change) in [(60, .courier(noah)), (120, .status(.pickedUp, reason: nil))]
                as [(Double, DeliveryChange)]
            {
                try moved.change(change, at: time)
                harness.move(to: time)
                try await harness.parts.applyDeliveryChange(moved.changed(at: time))
                harness.move(to: time + 1)
                _ = try await harness.timers.fireDue()
                let tracked = try #require(try await DeliveryRepository.delivery(last.id, on: harness.pool))
                arrivals.append(try #require(tracked.tracking.estimate).arrivesAt)
                // Where mira was seen is stored with the goods that she has, and with no other delivery.
                #expect(tracked.tracking.otherStops?.contains(along(-1)) == false)
            }
            #expect(arrivals[0].timeIntervalSince(arrivals[1]) > DwellTimes.builtIn.doorSeconds)
        }
    }

    @Test("A bag in the store waits for its courier's way with fetched goods, which begins when they are fetched")
    func fetchedLongAgo() async throws {
        try await Harness.run { harness in
            var moved = try bag(until: 9_000)
            var waiting = try Delivery.sample(in: .assigned)
            try waiting.change(.courier(noah), at: 0)
            for delivery in [moved, waiting] { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            harness.move(to: 2_395)
            _ = try await harness.parts.ingestFixes(
                [Fix(time: seconds(2_390), place: along(0.5), accuracy: 10, speed: 3)], of: mira.id)
            var arrivals: [Date] = []
            let changes: [(Double, DeliveryChange)] = [
                (2_400, .courier(noah)), (2_700, .status(.pickedUp, reason: nil)),
                (2_755, .override(.atDoor, reason: "test")), (2_760, .status(.delivered, reason: nil)),
            ]
            for (time, change) in changes {
                try moved.change(change, at: time)
                harness.move(to: time)
                try await harness.parts.applyDeliveryChange(moved.changed(at: time))
                harness.move(to: time + 1)
                _ = try await harness.timers.fireDue()
                let tracked = try #require(try await DeliveryRepository.delivery(waiting.id, on: harness.pool))
                arrivals.append(try #require(tracked.tracking.estimate).arrivesAt)
            }
            #expect(arrivals[1] >= arrivals[0], "no way was behind noah that he had not gone")
            #expect(arrivals[1].timeIntervalSince(arrivals[3]) > DwellTimes.builtIn.doorSeconds)
        }
    }

    @Test("After a move the published arrivals are those of its preview, without waiting for a fix")
    func asPreviewed() async throws {
        try await Harness.run { harness in
            var own = try Delivery.sample(in: .enRoute)
            try own.change(.courier(noah), at: 0)
            try own.change(.status(.pickedUp, reason: nil), at: 0)
            let added = try [0.4, 0.6, 0.8].map { try Delivery.sample(in: .enRoute, door: along($0)) }
            for delivery in [own] + added { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            harness.move(to: 20)
            for courier in [mira.id, noah.id] {
                _ = try await harness.parts.ingestFixes(
                    [Fix(time: seconds(15), place: along(0.1), accuracy: 10, speed: 3)], of: courier)
            }
            let preview = PreviewTrip(pool: harness.pool, clock: harness.wall.domain, tracker: DeliveryTracker())
            let trip = try await preview(of: noah.id, adding: added.map(\.id))
            #expect(trip.stops.map(\.delivery) == [own.id] + added.map(\.id))
            _ = try await harness.published()
            // The last stop first: each further move puts a stop before those that were moved already.
            for (index, delivery) in added.enumerated().reversed() {
                var moved = delivery
                try moved.change(.courier(noah, stopsBefore: index + 1), at: 20)
                try await harness.parts.applyDeliveryChange(moved.changed(at: 20))
            }
            harness.move(to: 21)
            _ = try await harness.timers.fireDue()
            let published = try await harness.published().estimates
            for stop in trip.stops where stop.isAdded {
                let previewed = try #require(stop.estimate).arrivesAt
                let shown = try #require(published.last { $0.delivery == stop.delivery }).estimate.arrivesAt
                #expect(abs(shown.timeIntervalSince(previewed)) < 60)
            }
        }
    }

    @Test("Deliveries that come to a courier in one transaction are estimated as one trip")
    func together() async throws {
        try await Harness.run { harness in
            // In a preview a courier who never had a delivery is on a bicycle.
            let ida = Courier(id: try #require(CourierID(rawValue: "ida")), name: "Ida", vehicle: .bicycle, phone: nil)
            let taken = try [0.4, 0.6, 0.8].map { try Delivery.sample(in: .enRoute, door: along($0)) }
            for delivery in taken { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            harness.move(to: 20)
            for courier in [mira.id, ida.id] {
                _ = try await harness.parts.ingestFixes(
                    [Fix(time: seconds(15), place: along(0.1), accuracy: 10, speed: 3)], of: courier)
            }
            let preview = PreviewTrip(pool: harness.pool, clock: harness.wall.domain, tracker: DeliveryTracker())
            let trip = try await preview(of: ida.id, adding: taken.map(\.id))
            _ = try await harness.published()
            let untraced: ApplyDeliveryChange.Tracing = { messages in try messages() }
            try await harness.parts.applyDeliveryChange(
                try trip.stops.map { stop in
                    var moved = try #require(taken.first { $0.id == stop.delivery })
                    try moved.change(.courier(ida, stopsBefore: stop.stopsBefore), at: 20)
                    return (change: moved.changed(at: 20), tracing: untraced)
                })

            let published = try await harness.published().estimates
            #expect(trip.stops.map(\.delivery) == taken.map(\.id))
            for stop in trip.stops {
                let previewed = try #require(stop.estimate).arrivesAt
                let shown = try #require(published.last { $0.delivery == stop.delivery }).estimate.arrivesAt
                #expect(abs(shown.timeIntervalSince(previewed)) < DwellTimes.builtIn.doorSeconds / 2)
            }
        }
    }

    @Test("Deliveries that come to a courier in one transaction set the timer of the trip")
    func timerOfOneTransaction() async throws {
        try await Harness.run { harness in
            let untraced: ApplyDeliveryChange.Tracing = { messages in try messages() }
            let bags = try (0..<2).map { try bag(until: 3_000 + Double($0)) }
            try await harness.parts.applyDeliveryChange(
                bags.map { (change: $0.changed(at: 0), tracing: untraced) })
            harness.move(to: 1)
            #expect(try await harness.timers.fireDue() == 1)

            var moved = bags
            for index in moved.indices {
                try moved[index].change(.courier(noah, stopsBefore: index), at: 2)
            }
            harness.move(to: 2)
            try await harness.parts.applyDeliveryChange(
                moved.map { (change: $0.changed(at: 2), tracing: untraced) })
            harness.move(to: 3)
            // The receiving courier's trip alone: nothing is left on the other's.
            #expect(try await harness.timers.fireDue() == 1)
        }
    }

    @Test("A batch for two couriers waits for another replica's timers without holding one that the replica needs next")
    func timersOfBatch() async throws {
        try await Harness.run { harness in
            func bag(of courier: Courier, id: DeliveryID = DeliveryID(UUID())) throws -> Delivery {
                var delivery = try Delivery.sample(id: id)
                try delivery.change(.courier(courier), at: 0)
                try delivery.change(.override(.pickedUp, reason: "test"), at: 0)
                return delivery
            }
            for courier in [mira, noah] {
                try await harness.parts.applyDeliveryChange(try bag(of: courier).changed(at: 0))
            }
            // By the order of deliveries, Noah's timer would come before Mira's.
            let ids = [DeliveryID(UUID()), DeliveryID(UUID())].sorted()
            let bags = [try bag(of: noah, id: ids[0]), try bag(of: mira, id: ids[1])]
            let untraced: ApplyDeliveryChange.Tracing = { messages in try messages() }
            let changes = bags.map { (change: $0.changed(at: 0), tracing: untraced) }
            let batch = try await harness.pool.withTransaction { replica in
                // In a deadlock this one is the victim.
                try await replica.execute("SET LOCAL deadlock_timeout = '50ms'")
                let process = try await replica.query("SELECT pg_backend_pid() AS pid")[0].decode("pid", as: Int32.self)
                try await replica.schedule(EstimateTrip.timer(of: mira.id, dueAt: start))
                let batch = Task { try await harness.parts.applyDeliveryChange(changes) }
                try await eventually("the batch waits for Mira's timer") {
                    try await !harness.pool.query(
                        "SELECT FROM pg_stat_activity WHERE \(process) = ANY(pg_blocking_pids(pid))"
                    ).isEmpty
                }
                try await replica.schedule(EstimateTrip.timer(of: noah.id, dueAt: start))
                return batch
            }
            #expect(try await batch.value)
        }
    }

    @Test("A courier's only delivery needs no second update")
    func alone() async throws {
        try await Harness.run { harness in
            try await harness.parts.applyDeliveryChange(try bag(until: 3_600).changed(at: 0))
            harness.move(to: 60)
            #expect(try await harness.timers.fireDue() == 0)
        }
    }
}
