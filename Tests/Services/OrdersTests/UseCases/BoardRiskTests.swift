import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("The risk of deliveries on the board", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct BoardRiskTests {
    private static func board(
        _ query: String = "", _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> [BoardBody.Row] {
        try await orders.send(client, .get, "/v1/deliveries\(query)", as: .operator, "ada").decode(BoardBody.self)
            .deliveries
    }

    @Test("A delivery without a courier is at risk from when what is left to do does not fit its promise, then late")
    func unassigned() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await orders.place(client, try orders.body()).deliveries[0]
            try await orders.set(.accepted, placed.id, client)
            try await orders.set(.picking, placed.id, client)
            var delivery = try Delivery.sample()
            for code in [StatusCode.accepted, .picking] { try delivery.change(.status(code, reason: nil)) }
            let usual = try #require(delivery.usualRemainingSeconds)
            let end = placed.promise.end
            func row(at time: Date) async throws -> BoardBody.Row {
                orders.clock.advance(by: time.timeIntervalSince(orders.clock.now))
                return try #require(try await Self.board("", orders, client).first)
            }
            let fine = try await row(at: end.addingTimeInterval(-usual - 60))
            #expect(fine.risk == .onTime && fine.lateMinutes == nil)
            #expect(try await Self.board("?late=true", orders, client).isEmpty)
            let tight = try await row(at: end.addingTimeInterval(-usual + 90))
            #expect(tight.risk == .atRisk && tight.lateMinutes == 2)
            #expect(
                try await Self.board("?late=true", orders, client).map(\.id) == [placed.id],
                "by what such deliveries take it will be late")
            // Nine minutes before the end, where nobody was told so before.
            let hopeless = try await row(at: end.addingTimeInterval(-540))
            #expect(hopeless.risk == .atRisk && hopeless.missProbability == nil)
            #expect(hopeless.lateMinutes == Int(((usual - 540) / 60).rounded(.up)))
            let late = try await row(at: end.addingTimeInterval(60))
            #expect(late.risk == .late && late.missProbability == 1)
            #expect(late.lateMinutes == Int(((usual + 60) / 60).rounded(.up)))
        }
    }

    @Test("Of those that are late the most minutes late come first, page by page, whatever else is known of them")
    func sorted() async throws {
        try await OrdersUnderTest.run { orders, client in
            for (index, minutes) in [3.0, 40, 12, 25].enumerated() {
                let placed = try await orders.place(client, try orders.body(reference: "\(minutes)")).deliveries[0]
                try await orders.assign("mira", placed.id, client)
                let at = placed.promise.end.addingTimeInterval(minutes * 60)
                try await orders.messages.handle(
                    EstimateChanged(
                        delivery: placed.id, version: 2, step: 1,
                        estimate: Estimate(arrivesAt: at, earliest: at, latest: at, madeAt: placed.promise.start),
                        courier: try #require(CourierID(rawValue: "mira")), lastFixAt: nil,
                        missProbability: 0.6 + 0.1 * Double(index)))
            }
            let rows = try await Self.board("", orders, client)
            #expect(rows.map(\.lateMinutes) == [40, 25, 12, 3])
            var seen: [Int?] = []
            var query = "?limit=1"
            while true {
                let page = try await orders.send(client, .get, "/v1/deliveries\(query)", as: .operator, "ada").decode(
                    BoardBody.self)
                seen += page.deliveries.map(\.lateMinutes)
                guard let next = page.next else { break }
                query = "?limit=1&cursor=\(next.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
            }
            #expect(seen == [40, 25, 12, 3])
        }
    }

    @Test("What was estimated for a courier who was taken off is neither shown nor counted")
    func courierRemoved() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await orders.place(client, try orders.body()).deliveries[0]
            try await orders.assign("mira", placed.id, client)
            let at = placed.promise.end.addingTimeInterval(600)
            try await orders.messages.handle(
                EstimateChanged(
                    delivery: placed.id, version: 2, step: 1,
                    estimate: Estimate(arrivesAt: at, earliest: at, latest: at, madeAt: placed.promise.start),
                    courier: try #require(CourierID(rawValue: "mira")), lastFixAt: nil, missProbability: 0.9))
            #expect(try await Self.board("", orders, client).first?.risk == .late)
            _ = try await orders.send(
                client, .put, "/v1/deliveries/\(placed.id)/courier", as: .store, "nordhavn", AssignBody(courier: nil))
            let row = try #require(try await Self.board("", orders, client).first)
            #expect(row.risk == .onTime && row.estimate == nil && row.courierName == nil)
        }
    }

    @Test("At the door nothing is expected any more: a delivery is late once its promise has passed, and not before")
    func atTheDoor() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await orders.place(client, try orders.body()).deliveries[0]
            try await orders.set([.accepted, .picking], placed.id, client)
            try await orders.assign("mira", placed.id, client)
            try await orders.set([.staged, .pickedUp, .enRoute], placed.id, client)
            let at = placed.promise.end.addingTimeInterval(600)
            try await orders.messages.handle(
                EstimateChanged(
                    delivery: placed.id, version: 7, step: 1,
                    estimate: Estimate(arrivesAt: at, earliest: at, latest: at, madeAt: orders.clock.now),
                    courier: try #require(CourierID(rawValue: "mira")), lastFixAt: nil, missProbability: 0.9))
            #expect(try await Self.board("", orders, client).first?.risk == .late)
            try await orders.set(.atDoor, placed.id, client)
            let there = try #require(try await Self.board("", orders, client).first)
            #expect(there.risk == .onTime && there.lateMinutes == nil)
            #expect(there.estimate == nil && there.missProbability == nil)
            orders.clock.advance(by: placed.promise.end.timeIntervalSince(orders.clock.now) + 30)
            let late = try #require(try await Self.board("", orders, client).first)
            #expect(late.risk == .late && late.lateMinutes == 1 && late.missProbability == 1)
        }
    }

    @Test(
        "A delivery that was handed over, by word or without its proof, is late where that was after its promise alone",
        arguments: [-60.0, 90], [true, false])
    func handedOver(seconds: Double, isReported: Bool) async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await GiveProofTests.atDoor(requiring: [.pin], orders, client)
            let end = try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery.promise.end
            orders.clock.advance(by: end.timeIntervalSince(orders.clock.now) + seconds)
            if isReported {
                let report = ProviderReport(
                    source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: "claim",
                    kind: "delivered", status: .delivered, occurredAt: orders.clock.now,
                    receivedAt: orders.clock.now.addingTimeInterval(120))
                _ = try await orders.change([.report(report, of: id)])[0].get()
            } else {
                let mira = Principal(.courier(try #require(CourierID(rawValue: "mira"))))
                _ = try await orders.change(id, .handedOverUnconfirmed, by: mira)
            }
            orders.clock.advance(by: 1_200)
            let isLate = seconds > 0
            let row = try #require(try await Self.board("", orders, client).first)
            #expect(row.need == .unproven && row.risk == (isLate ? .late : .onTime))
            #expect(row.lateMinutes == (isLate ? 2 : nil) && row.missProbability == (isLate ? 1 : nil))
            #expect(try await Self.board("?late=true", orders, client).isEmpty != isLate)
        }
    }

    @Test("What a provider reports as handed over on the way, without its proof, is expected nowhere any more")
    func handedOverOnTheWay() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            body.requires = [.photo]
            let placed = try await orders.place(client, body).deliveries[0]
            try await orders.set([.accepted, .picking], placed.id, client)
            try await orders.assign("mira", placed.id, client)
            try await orders.set([.staged, .pickedUp, .enRoute], placed.id, client)
            let at = placed.promise.end.addingTimeInterval(600)
            try await orders.messages.handle(
                EstimateChanged(
                    delivery: placed.id, version: 7, step: 1,
                    estimate: Estimate(arrivesAt: at, earliest: at, latest: at, madeAt: orders.clock.now),
                    courier: try #require(CourierID(rawValue: "mira")), lastFixAt: nil, missProbability: 0.9))
            #expect(try await Self.board("", orders, client).first?.risk == .late)
            let report = ProviderReport(
                source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: "claim", kind: "delivered",
                status: .delivered, occurredAt: orders.clock.now, receivedAt: orders.clock.now)
            _ = try await orders.change([.report(report, of: placed.id)])[0].get()
            let row = try #require(try await Self.board("", orders, client).first)
            #expect(row.need == .unproven && row.risk == .onTime && row.lateMinutes == nil)
        }
    }

    @Test("Of those in trouble an attempt comes first, page by page, and what was estimated before the door is gone")
    func afterTheDoor() async throws {
        try await OrdersUnderTest.run { orders, client in
            var ids: [String: DeliveryID] = [:]
            for name in ["attempted", "fine", "silent"] {
                let placed = try await orders.place(client, try orders.body(reference: name)).deliveries[0]
                ids[name] = placed.id
                try await orders.set([.accepted, .picking], placed.id, client)
                try await orders.assign("mira", placed.id, client)
                try await orders.set([.staged, .pickedUp, .enRoute], placed.id, client)
                let at = placed.promise.end.addingTimeInterval(-600)
                try await orders.messages.handle(
                    EstimateChanged(
                        delivery: placed.id, version: 7, step: 1,
                        estimate: Estimate(arrivesAt: at, earliest: at, latest: at, madeAt: orders.clock.now),
                        courier: try #require(CourierID(rawValue: "mira")), lastFixAt: nil, missProbability: 0.04))
            }
            let attempted = try #require(ids["attempted"])
            #expect(try await Self.board("", orders, client).allSatisfy { $0.risk == .onTime && $0.estimate != nil })
            try await orders.set(.atDoor, attempted, client)
            try await orders.set(.attempted, attempted, client)
            _ = try await orders.change(
                try #require(ids["silent"]), .milestone(.silent, assignmentEpoch: 1), by: Principal(.system("test")))
            let rows = try await Self.board("", orders, client)
            #expect(rows.map(\.reference) == ["attempted", "silent", "fine"])
            #expect(rows[0].risk == .atRisk && rows[0].estimate == nil && rows[0].missProbability == nil)
            #expect(rows[1].risk == .onTime && rows[1].estimate != nil, "its window is not over")
            #expect(rows.map(\.need) == [.attempted, .silent, nil])
            orders.clock.advance(by: rows[1].promise.end.timeIntervalSince(orders.clock.now) - 300)
            let later = try await Self.board("", orders, client)
            #expect(later[1].estimate == nil && later[2].estimate != nil)
            var seen: [String] = []
            var query = "?limit=1"
            while true {
                let page = try await orders.send(client, .get, "/v1/deliveries\(query)", as: .operator, "ada").decode(
                    BoardBody.self)
                seen += page.deliveries.map(\.reference)
                guard let next = page.next else { break }
                query = "?limit=1&cursor=\(next.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
            }
            #expect(seen == ["attempted", "silent", "fine"])
        }
    }

    @Test("With another courier the former one's arrival is in no list and on no previewed card")
    func anotherCourier() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await orders.place(client, try orders.body()).deliveries[0]
            try await orders.set([.accepted, .picking], placed.id, client)
            try await orders.assign("mira", placed.id, client)
            try await orders.set([.staged, .pickedUp, .enRoute], placed.id, client)
            let at = placed.promise.end.addingTimeInterval(-600)
            func estimate(_ version: Int, of courier: String) async throws {
                try await orders.messages.handle(
                    EstimateChanged(
                        delivery: placed.id, version: version, step: 1,
                        estimate: Estimate(arrivesAt: at, earliest: at, latest: at, madeAt: orders.clock.now),
                        courier: try #require(CourierID(rawValue: courier)), lastFixAt: nil, missProbability: 0.04))
            }
            try await estimate(7, of: "mira")
            try await orders.set(.arriving, placed.id, client)
            let before = try #require(try await Self.board("", orders, client).first)
            #expect(before.estimate != nil, "a change of status keeps it")
            let noah = AssignBody(
                courier: .described(
                    CourierBody(
                        id: try #require(CourierID(rawValue: "noah")), name: "Noah", vehicle: .car, phone: nil)))
            func preview() async throws -> PreviewBody {
                try await orders.send(
                    client, .put, "/v1/deliveries/\(placed.id)/courier?preview=true", as: .store, "nordhavn", noah
                ).decode()
            }
            #expect(try await preview().activity.content.arrival == nil)
            try await orders.assign("noah", placed.id, client)
            try await estimate(before.version, of: "mira")
            let after = try #require(try await Self.board("", orders, client).first)
            #expect(after.courier?.rawValue == "noah" && after.estimate == nil && after.missProbability == nil)
            try await estimate(after.version, of: "noah")
            #expect(try await Self.board("", orders, client).first?.estimate != nil)
        }
    }

    @Test("The board's SQL ranks needs as the domain does, in every status and with every flag")
    func needs() async throws {
        try await OrdersUnderTest.run { orders, _ in
            let cases = DeliveryStatus.all.flatMap { status in
                [false, true].map { isTrue in
                    (status, isDisputed: status.isEnded && isTrue, isDue: !status.isEnded && isTrue)
                }
            }
            for (status, isDisputed, isDue) in cases {
                let (endedAt, disputedAt) = (
                    status.isEnded ? orders.clock.now : nil, isDisputed ? orders.clock.now : nil
                )
                for (flags, isUnproven) in (Flag.allCases.map({ [$0] }) + [[], Flag.allCases]).flatMap({ flags in
                    [(flags, false), (flags, true)]
                }) {
                    let undecidedSince = isUnproven ? orders.clock.now : nil
                    let row = try await orders.pool.query(
                        """
                        SELECT \(sql: BoardRepository.need) AS need FROM (SELECT \(endedAt)::timestamptz AS ended_at,
                            \(disputedAt)::timestamptz AS disputed_at,
                            \(undecidedSince)::timestamptz AS undecided_since, \(status.code.rawValue)::text AS status,
                            \(status.courierStatus?.rawValue)::text AS courier_status,
                            \(flags.map(\.rawValue))::text[] AS flags,
                            \(isDue ? "true" : "false")::text::boolean AS correction_due) AS one
                        """)[0]
                    let need: Int = try row.decode("need")
                    let expected = OperatorNeed(
                        status, flags: Set(flags), hasOpenDispute: isDisputed, isUnproven: isUnproven,
                        isCorrectionDue: isDue)
                    #expect(need == OperatorNeed.rank(expected), "\(status) \(flags)")
                }
            }
        }
    }

    @Test("A delivered row says how late it was, and the newest end comes first")
    func delivered() async throws {
        try await OrdersUnderTest.run { orders, client in
            for (reference, minutes) in [("in time", -5.0), ("late", 7)] {
                let placed = try await orders.place(client, try orders.body(reference: reference)).deliveries[0]
                try await orders.set([.accepted, .picking], placed.id, client)
                try await orders.assign("mira", placed.id, client)
                try await orders.set(.pickedUp, placed.id, client)
                let end = placed.promise.end.addingTimeInterval(minutes * 60)
                orders.clock.advance(by: max(0, end.timeIntervalSince(orders.clock.now)))
                try await orders.set(.delivered, placed.id, client)
            }
            let rows = try await Self.board("?status=delivered", orders, client)
            #expect(rows.map(\.reference) == ["late", "in time"])
            #expect(rows.map(\.lateMinutes) == [7, nil])
            #expect(rows.allSatisfy { $0.risk == .ended && $0.endedAt != nil })
        }
    }
}
