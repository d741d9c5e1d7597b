import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Listing deliveries", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ListDeliveriesTests {
    @Test("The worst comes first, and pages list every delivery once while time passes")
    func pages() async throws {
        try await OrdersUnderTest.run { orders, client in
            for number in 0..<7 {
                _ = try await orders.place(client, try orders.body(reference: "G-\(number)"))
            }
            let all = try await orders.send(client, .get, "/v1/deliveries", as: .operator, "ada").decode(BoardBody.self)
            #expect(all.counts.live == 7 && all.counts.unassigned == 0 && all.counts.late == 0)
            let last = all.deliveries[6]
            try await orders.assign("mira", last.id, client)
            let estimate = Estimate(
                arrivesAt: last.promise.end.addingTimeInterval(300), earliest: last.promise.end,
                latest: last.promise.end.addingTimeInterval(600), madeAt: orders.clock.now)
            let courier = try #require(CourierID(rawValue: "mira"))
            try await orders.messages.handle(
                EstimateChanged(
                    delivery: last.id, version: 2, step: 1, estimate: estimate, courier: courier, lastFixAt: nil))
            var seen: [DeliveryID] = []
            var cursor: String?
            repeat {
                let query = cursor.map { "&cursor=\($0.replacing("+", with: "%2B").replacing("=", with: "%3D"))" } ?? ""
                let page = try await orders.send(
                    client, .get, "/v1/deliveries?limit=3\(query)", as: .operator, "ada"
                ).decode(BoardBody.self)
                seen += page.deliveries.map(\.id)
                cursor = page.next
                orders.clock.advance(by: 1000)
            } while cursor != nil
            #expect(seen.count == 7 && Set(seen).count == 7)
            #expect(seen.first == last.id)
        }
    }

    @Test("Pages list every ended delivery once where the first page is read between two milliseconds")
    func endedPages() async throws {
        try await OrdersUnderTest.run { orders, client in
            var ids: [DeliveryID] = []
            for number in 0..<3 {
                ids.append(try await orders.place(client, try orders.body(reference: "G-\(number)")).deliveries[0].id)
            }
            orders.clock.advance(by: 60.0008)
            for id in ids { try await orders.set(.cancelled, id, client) }
            // To the microsecond they ended 99 whole seconds ago, and 100 to the millisecond.
            orders.clock.advance(by: 99.9998)
            var seen: [DeliveryID] = []
            var cursor: String?
            repeat {
                let query = cursor.map { "&cursor=\($0.replacing("+", with: "%2B").replacing("=", with: "%3D"))" } ?? ""
                let page = try await orders.send(
                    client, .get, "/v1/deliveries?status=cancelled&limit=1\(query)", as: .operator, "ada"
                ).decode(BoardBody.self)
                seen += page.deliveries.map(\.id)
                cursor = page.next
            } while cursor != nil
            #expect(seen.count == 3 && Set(seen) == Set(ids))
        }
    }

    @Test("Only a delivery that needs a courier now is unassigned: picked or packed without one, or at risk")
    func unassigned() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await orders.place(client, try orders.body(reference: "G-1")).deliveries[0]
            let picked = try await orders.place(client, try orders.body(reference: "G-2")).deliveries[0]
            try await orders.set([.accepted, .picking], picked.id, client)
            func read() async throws -> BoardBody {
                try await orders.send(client, .get, "/v1/deliveries?unassigned=true", as: .operator, "ada").decode()
            }
            let first = try await read()
            #expect(first.counts.live == 2 && first.counts.unassigned == 1)
            #expect(first.deliveries.map(\.id) == [picked.id])
            orders.clock.advance(by: placed.promise.end.timeIntervalSince(orders.clock.now))
            #expect(try await read().counts.unassigned == 2)
        }
    }

    @Test("Deliveries whose cards are behind are listed for themselves, until two days after their end")
    func cardsBehind() async throws {
        try await OrdersUnderTest.run { orders, client in
            var ids: [DeliveryID] = []
            for (number, behind) in [0, 1, 2].enumerated() {
                let placed = try await orders.place(client, try orders.body(reference: "G-\(number)")).deliveries[0]
                try await orders.messages.handle([
                    CardHealthChanged(delivery: placed.id, sequence: 1, cards: 2, behind: behind, reason: nil)
                ])
                ids.append(placed.id)
            }
            // One without any card, too.
            _ = try await orders.place(client, try orders.body(reference: "G-9"))
            try await orders.assign("mira", ids[2], client)
            try await orders.set([.accepted, .picking, .staged, .pickedUp, .delivered], ids[2], client)
            func listed(_ query: String) async throws -> Set<DeliveryID> {
                let board: BoardBody = try await orders.send(
                    client, .get, "/v1/deliveries?\(query)", as: .operator, "ada"
                ).decode()
                return Set(board.deliveries.map(\.id))
            }
            #expect(try await listed("cardsBehind=true") == [ids[1], ids[2]])
            #expect(try await listed("cardsBehind=true&status=delivered") == [ids[2]])
            #expect(try await listed("cardsBehind=false").contains(ids[0]))
            orders.clock.advance(by: BoardRepository.endedHours * 3_600 + 1)
            #expect(try await listed("cardsBehind=true") == [ids[1]])
        }
    }

    @Test("A row has the recipient's name and the street, for a courier until the end")
    func dropOff() async throws {
        try await OrdersUnderTest.run { orders, client in
            let plain = try orders.body()
            let body = PlaceOrderBody(
                reference: plain.reference, customer: plain.customer, store: plain.store, promise: plain.promise,
                door: plain.door, recipient: Recipient(name: "Mette Holm", phone: nil),
                address: Address(street: "Strandvejen 12", floor: nil, postalCode: nil, city: nil, doorCode: "12#"),
                note: nil, handoff: nil, deliveries: plain.deliveries)
            let id = try await orders.place(client, body).deliveries[0].id
            try await orders.assign("mira", id, client)
            func row(_ query: String, as role: Role, _ subject: String) async throws -> BoardBody.Row {
                let board: BoardBody = try await orders.send(
                    client, .get, "/v1/deliveries\(query)", as: role, subject
                ).decode()
                return try #require(board.deliveries.first)
            }
            let live = try await row("", as: .operator, "ada")
            #expect(live.recipient == "Mette Holm" && live.street == "Strandvejen 12")
            #expect(try await row("", as: .courier, "mira").street == "Strandvejen 12")
            try await orders.set([.accepted, .picking, .pickedUp, .delivered], id, client)
            let ended = try await row("?status=delivered", as: .courier, "mira")
            #expect(ended.recipient == nil && ended.street == nil)
        }
    }

    @Test("A customer's row has an arrival where their screens have one, and an operator's has every estimate")
    func arrivals() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await orders.place(client, try orders.body()).deliveries[0]
            try await orders.assign("mira", placed.id, client)
            let end = placed.promise.end
            try await orders.messages.handle(
                EstimateChanged(
                    delivery: placed.id, version: 2, step: 1,
                    estimate: Estimate(
                        arrivesAt: end + 300, earliest: end, latest: end + 600, madeAt: orders.clock.now),
                    courier: try #require(CourierID(rawValue: "mira")), lastFixAt: nil))
            func row(as role: Role, _ subject: String, _ query: String = "") async throws -> BoardBody.Row {
                let board: BoardBody = try await orders.send(
                    client, .get, "/v1/deliveries\(query)", as: role, subject
                ).decode()
                return try #require(board.deliveries.first)
            }
            func expectArrival(_ isThere: Bool, _ query: String = "") async throws {
                let own = try await row(as: .customer, "mette", query)
                #expect((own.estimate != nil) == isThere && own.lateMinutes == (isThere ? 5 : nil), "\(own.status)")
            }
            try await orders.set([.accepted, .picking], placed.id, client)
            try await expectArrival(false)
            let picking = try await row(as: .operator, "ada")
            #expect(picking.estimate != nil && picking.lateMinutes == 5)
            try await orders.set([.staged, .pickedUp, .enRoute], placed.id, client)
            try await expectArrival(true)
            for (method, isHeld) in [(.put, true), (.delete, false)] as [(HTTPRequest.Method, Bool)] {
                let changed = try await orders.send(
                    client, method, "/v1/deliveries/\(placed.id)/hold", as: .operator, "ada",
                    HoldBody(reason: "road closed"))
                #expect(changed.status == .ok)
                try await expectArrival(!isHeld)
            }
            try await orders.set([.arriving, .atDoor], placed.id, client)
            try await expectArrival(false)
            try await orders.set(.delivered, placed.id, client)
            try await expectArrival(false, "?status=delivered")
            #expect(try await row(as: .operator, "ada", "?status=delivered").estimate != nil)
        }
    }

    @Test("Within a severity the likeliest miss comes first, page by page, and one that is at the door in time last")
    func likeliest() async throws {
        try await OrdersUnderTest.run { orders, client in
            var risks: [DeliveryID: Double] = [:]
            for (number, risk) in [0.2, 0.9, 0.16, 0.55, 0.04].enumerated() {
                let placed = try await orders.place(client, try orders.body(reference: "G-\(number)"))
                let delivery = placed.deliveries[0]
                let mira = Courier(
                    id: try #require(CourierID(rawValue: "mira")), name: "Mira", vehicle: .bicycle, phone: nil)
                _ = try await orders.change(delivery.id, .courier(mira), by: Principal(.system("test")))
                let at = delivery.promise.start
                try await orders.messages.handle(
                    EstimateChanged(
                        delivery: delivery.id, version: 2, step: 1,
                        estimate: Estimate(arrivesAt: at, earliest: at, latest: at, madeAt: at), courier: mira.id,
                        lastFixAt: nil, missProbability: risk))
                risks[delivery.id] = risk
            }
            let there = try await orders.place(client, try orders.body(reference: "G-door")).deliveries[0].id
            try await orders.assign("mira", there, client)
            try await orders.set([.accepted, .picking, .staged, .pickedUp, .enRoute, .atDoor], there, client)
            var seen: [BoardBody.Row] = []
            var cursor: String?
            repeat {
                let query = cursor.map { "&cursor=\($0.replacing("+", with: "%2B").replacing("=", with: "%3D"))" } ?? ""
                let page = try await orders.send(
                    client, .get, "/v1/deliveries?limit=2\(query)", as: .operator, "ada"
                ).decode(BoardBody.self)
                seen += page.deliveries
                cursor = page.next
            } while cursor != nil
            #expect(seen.map(\.missProbability) == [0.9, 0.55, 0.2, 0.16, 0.04, nil] && seen.last?.id == there)
            #expect(seen.map { risks[$0.id] } == seen.map(\.missProbability))
            #expect(seen.map(\.risk) == [.atRisk, .atRisk, .atRisk, .atRisk, .onTime, .onTime])
            let couriers = try await orders.send(client, .get, "/v1/deliveries", as: .courier, "mira")
                .decode(BoardBody.self)
            #expect(
                couriers.deliveries.count == seen.count && couriers.deliveries.allSatisfy { $0.missProbability == nil })
            orders.clock.advance(by: 86_400)
            let passed = try await orders.send(client, .get, "/v1/deliveries", as: .operator, "ada")
                .decode(BoardBody.self)
            #expect(passed.deliveries.allSatisfy { $0.missProbability == 1 && $0.risk == .late })
        }
    }

    @Test("Customers and couriers see their own deliveries, and an unknown filter value is refused")
    func filters() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await orders.place(client, try orders.body(customer: "mette"))
            _ = try await orders.place(client, try orders.body(customer: "niels", reference: "G-1043"))
            let own = try await orders.send(client, .get, "/v1/deliveries", as: .customer, "mette").decode(
                BoardBody.self)
            #expect(own.deliveries.count == 1 && own.counts.live == 1)
            let none = try await orders.send(client, .get, "/v1/deliveries", as: .courier, "mira").decode(
                BoardBody.self)
            #expect(none.deliveries.isEmpty)
            let faulty = ["status=lost", "ids=", "ids=,", "status=placed&status=staged"]
            for query in faulty {
                let refused = try await orders.send(client, .get, "/v1/deliveries?\(query)", as: .operator, "ada")
                #expect(refused.status == .badRequest, "\(query)")
            }
        }
    }
}
