import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite("What happened, and a day in numbers", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct TimelinesTests {
    private static func get<Body: Decodable>(
        _ path: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol, token: String? = nil
    ) async throws -> Body {
        var token = token
        if token == nil { token = try await orders.token(.operator, "ada") }
        let answer = try await orders.send(client, .get, path, token: token)
        #expect(answer.status == .ok, "\(String(buffer: answer.body))")
        return try answer.decode()
    }

    /// Every entry of a query, page by page.
    private static func all(
        _ query: String, limit: Int = 2, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> (rows: [TimelinePageBody.Row], until: Date) {
        var rows: [TimelinePageBody.Row] = []
        var cursor = ""
        while true {
            let page: TimelinePageBody = try await get("/v1/timeline?limit=\(limit)\(query)\(cursor)", orders, client)
            rows += page.rows
            guard let next = page.next else { return (rows, page.until) }
            cursor = "&cursor=\(next.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
    }

    private static func summaries(_ rows: [TimelinePageBody.Row]) -> [String] {
        rows.map { "\($0.reference) \($0.entry.kind)" }
    }

    @Test("Entries of all deliveries are listed by time, with the names that people know, filtered as asked")
    func timeline() async throws {
        try await OrdersUnderTest.run { orders, client in
            let first = try await orders.place(client, try orders.body(reference: "G-1")).deliveries[0].id
            orders.clock.advance(by: 60)
            let second = try await orders.place(client, try orders.body(reference: "G-2")).deliveries[0].id
            orders.clock.advance(by: 60)
            try await orders.set(.accepted, first, client)
            try await orders.assign("mira", second, client)

            let everything = try await Self.all("", orders, client)
            #expect(Self.summaries(everything.rows) == ["G-1 placed", "G-2 placed", "G-1 status", "G-2 courier"])
            let assigned = try #require(everything.rows.last)
            #expect(assigned.storeName == "Nordhavn" && assigned.timeZone == "Europe/Copenhagen")
            #expect(assigned.courier?.rawValue == "mira" && assigned.courierName == "Mira")
            #expect(Set(everything.rows.map(\.id)).count == 4)

            func found(_ query: String) async throws -> [String] {
                Self.summaries(try await Self.all("&" + query, orders, client).rows)
            }
            #expect(try await found("order=newest").first == "G-2 courier")
            #expect(try await found("kind=placed") == ["G-1 placed", "G-2 placed"])
            #expect(try await found("courier=mira") == ["G-2 placed", "G-2 courier"])
            #expect(try await found("reference=g-1") == ["G-1 placed", "G-1 status"])
            #expect(try await found("delivery=\(second)") == ["G-2 placed", "G-2 courier"])
            #expect(try await found("store=valby") == [])
            let since = WireJSON.text(of: OrdersUnderTest.start + 90)
            #expect(try await found("since=\(since)") == ["G-1 status", "G-2 courier"])
        }
    }

    @Test("A reader may leave notices out, but not a milestone that moved the status")
    func notices() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await orders.place(client, try orders.body(reference: "G-1")).deliveries[0].id
            try await orders.pool.execute(
                """
                INSERT INTO timeline (delivery_id, at, version, kind, what, changed_by)
                SELECT \(id.rawValue), \(OrdersUnderTest.start)::timestamptz + number * interval '1 second', 1,
                    (ARRAY['trip', 'contact', 'milestone', 'milestone', 'hold'])[number],
                    (ARRAY['2 stops before this one', 'saw the number', 'silent', 'arriving: en_route → arriving',
                        'on hold'])[number], 'system'
                    FROM generate_series(1, 5) AS number
                """)
            let everything = try await Self.all("", orders, client)
            #expect(everything.rows.count == 6, "the default is everything")
            let changes = try await Self.all("&notices=false", orders, client)
            #expect(Self.summaries(changes.rows) == ["G-1 placed", "G-1 milestone", "G-1 hold"])
        }
    }

    @Test("A reader that asks with until gets every later entry, and knows a repeat by its id")
    func following() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            orders.clock.advance(by: 60)
            let before = try await Self.all("", orders, client)
            try await orders.set(.accepted, id, client)
            orders.clock.advance(by: 60)
            let after = try await Self.all("&since=\(WireJSON.text(of: before.until))", orders, client)
            let known = Set(before.rows.map(\.id))
            #expect(after.rows.filter { !known.contains($0.id) }.map(\.entry.kind) == ["status"])
            #expect(after.until > before.until)
        }
    }

    @Test("A request reads a bounded number of entries, and the next page goes on where it stopped")
    func bounded() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let readMax = TimelineRepository.readMax
            try await orders.pool.execute(
                """
                INSERT INTO timeline (delivery_id, at, version, kind, what, changed_by)
                SELECT \(id.rawValue), \(OrdersUnderTest.start)::timestamptz + number * interval '1 millisecond', 1, 'item',
                    'x', 'store nordhavn' FROM generate_series(1, \(readMax + 10)::integer) AS number
                """)
            orders.clock.advance(by: 600)
            try await orders.set(.accepted, id, client)
            let page: TimelinePageBody = try await Self.get("/v1/timeline?kind=status", orders, client)
            #expect(page.rows.isEmpty && page.next != nil)
            let whole = try await Self.all("&kind=status", orders, client)
            #expect(Self.summaries(whole.rows) == ["G-1042 status"])
        }
    }

    @Test("A token of one store reads that store's entries and day alone")
    func scopes() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await orders.place(client, try orders.body(bags: 2))
            func read(_ token: String) async throws -> Int {
                let page: TimelinePageBody = try await Self.get(
                    "/v1/timeline?store=nordhavn", orders, client, token: token)
                return page.rows.count
            }
            #expect(try await read(orders.token(.store, "shop", store: "nordhavn")) == 2)
            #expect(try await read(orders.token(.store, "shop", store: "valby")) == 0)
            let bags = order.deliveries.map(\.id)
            let ofSecond = try await orders.token(.operator, "ada", delivery: bags[1].rawValue)
            #expect(try await read(ofSecond) == 1)
            let asked: TimelinePageBody = try await Self.get(
                "/v1/timeline?delivery=\(bags[0])", orders, client, token: ofSecond)
            #expect(asked.rows.map(\.delivery) == [bags[1]])
            let valby = try await orders.token(.operator, "ada", store: "valby")
            let report: DayReportBody = try await Self.get("/v1/report?store=nordhavn", orders, client, token: valby)
            #expect(report.placed == 0 && report.stores.isEmpty)
        }
    }

    @Test("A store's report names couriers as its own deliveries do, whatever another store calls them")
    func couriersOfStore() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, own in
            var body = try orders.body(reference: "G-2")
            body.store = Store(
                id: try #require(StoreID(rawValue: "valby")), name: "Valby", location: body.store.location,
                timeZone: body.store.timeZone)
            let other = try await orders.place(client, body).deliveries[0].id
            let mira = try #require(CourierID(rawValue: "mira"))
            for (id, name) in [(other, "M. Lund"), (own, "Mira")] {
                let courier = CourierBody(id: mira, name: name, vehicle: .bicycle, phone: nil)
                let answer = try await orders.send(
                    client, .put, "/v1/deliveries/\(id)/courier", as: .store, "nordhavn",
                    AssignBody(courier: .described(courier)))
                #expect(answer.status == .ok, "\(String(buffer: answer.body))")
                try await orders.set(.cancelled, id, client)
            }
            for (store, name) in [("nordhavn", "Mira"), ("valby", "M. Lund")] {
                let token = try await orders.token(.store, "shop", store: store)
                let report: DayReportBody = try await Self.get("/v1/report", orders, client, token: token)
                #expect(report.couriers.map(\.name) == [name])
            }
        }
    }

    @Test("A day's report agrees with the counters of the service")
    func report() async throws {
        try await OrdersUnderTest.run { orders, client in
            var ids: [DeliveryID] = []
            for number in 1...4 {
                ids.append(try await orders.place(client, try orders.body(reference: "G-\(number)")).deliveries[0].id)
            }
            for id in ids.prefix(3) {
                try await orders.assign("mira", id, client)
                try await orders.set([.accepted, .picking, .staged, .pickedUp, .enRoute], id, client)
            }
            // The promise is from 30 to 60 minutes after the order.
            orders.clock.advance(by: 1_200)
            try await orders.set(.delivered, ids[0], client)
            orders.clock.advance(by: 1_200)
            try await orders.set(.delivered, ids[1], client)
            try await orders.set([.atDoor, .attempted], ids[2], client)
            orders.clock.advance(by: 1_800)
            try await orders.set([.atDoor, .delivered], ids[2], client)
            let cancelled = try await orders.send(
                client, .post, "/v1/deliveries/\(ids[3])/status", as: .store, "nordhavn",
                StatusBody(status: .cancelled, reason: "=SUM(A1)"))
            #expect(cancelled.status == .ok, "\(String(buffer: cancelled.body))")

            let report: DayReportBody = try await Self.get("/v1/report", orders, client)
            #expect(report.day == "today" && report.placed == 4)
            let figures = report.figures
            #expect(figures.delivered == 3 && figures.early == 1 && figures.inWindow == 1)
            #expect(figures.late.upTo15Minutes == 1 && figures.late.count == 1)
            #expect(figures.attempts == 1 && figures.cancelled == 1)
            #expect(report.cancellations.map(\.reason) == ["=SUM(A1)"])
            #expect(report.couriers.map(\.name) == ["Mira"] && report.couriers.first?.figures.delivered == 3)
            #expect(report.stores.map(\.store.rawValue) == ["nordhavn"] && report.stores.first?.placed == 4)

            let exposed = orders.metrics.exposition()
            func counted(_ status: String, _ window: String) -> String {
                #"doorstep_deliveries_ended_total{status="\#(status)",window="\#(window)"} "#
            }
            #expect(exposed.contains("doorstep_deliveries_placed_total \(report.placed)\n"))
            #expect(exposed.contains(counted("delivered", "early") + "\(figures.early)\n"))
            #expect(exposed.contains(counted("delivered", "in_window") + "\(figures.inWindow)\n"))
            #expect(exposed.contains(counted("delivered", "late") + "\(figures.late.count)\n"))
            #expect(exposed.contains(counted("cancelled", "none") + "\(figures.cancelled)\n"))

            orders.clock.advance(by: 86_400)
            let next: DayReportBody = try await Self.get("/v1/report?day=today", orders, client)
            #expect(next.placed == 0 && next.figures.delivered == 0)
            let former: DayReportBody = try await Self.get("/v1/report?day=yesterday", orders, client)
            #expect(former.placed == 4 && former.figures == figures)
        }
    }

    @Test("A notice about an attempt, and goods fetched after it, are no other one, nor once the customer is erased")
    func oneAttempt() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.assign("mira", id, client)
            try await orders.set([.accepted, .picking, .staged, .pickedUp, .enRoute, .atDoor, .attempted], id, client)
            let notice = try await orders.send(
                client, .post, "/v1/deliveries/\(id)/status", as: .store, "nordhavn",
                StatusBody(status: .attempted, nextStep: .redelivery))
            #expect(notice.status == .ok, "\(String(buffer: notice.body))")
            try await orders.assign("jonas", id, client)
            try await orders.set(.pickedUp, id, client)
            let entries = try await OrderRepository.timeline(id, on: orders.pool)
            #expect(entries.filter { $0.summary.hasPrefix("attempted → attempted") }.count == 2)
            func attempts() async throws -> Int {
                let report: DayReportBody = try await Self.get("/v1/report", orders, client)
                return report.figures.attempts
            }
            #expect(try await attempts() == 1)
            try await orders.set([.atDoor, .delivered], id, client)
            #expect(try await ErasureTests.erase("mette", orders, client).status == .accepted)
            #expect(try await orders.continueErasures(asking: ErasingServicesByTest().client)() == nil)
            #expect(try await attempts() == 1)
        }
    }

    @Test("A day is read page by page, and each event counts once")
    func pages() async throws {
        try await OrdersUnderTest.run { orders, client in
            for number in 1...5 {
                _ = try await orders.place(client, try orders.body(bags: 2, reference: "G-\(number)"))
            }
            let span = DayReportRepository.Span(
                start: OrdersUnderTest.start - 60, end: OrdersUnderTest.start + 60, store: nil)
            var (count, position): (Int, DayReportRepository.Position<Int>?) = (0, nil)
            repeat {
                let page = try await DayReportRepository.entries(span, after: position, limit: 3, on: orders.pool)
                count += page.events.count
                position = page.next
            } while position != nil
            #expect(count == 10)
        }
    }

    @Test("A day whose first hours in the store's zone are older than the timelines is refused")
    func oldestDay() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await orders.place(client, try orders.body())
            // The clock begins at 00:46:40 UTC on 21 November; Copenhagen is an hour ahead.
            orders.clock.advance(by: 30 * 86_400 + 23 * 3_600)
            func status(of day: String) async throws -> HTTPResponse.Status {
                try await orders.send(client, .get, "/v1/report?day=\(day)", as: .operator, "ada").status
            }
            #expect(try await status(of: "2026-11-22") == .badRequest)
            #expect(try await status(of: "2026-11-23") == .ok)
        }
    }

    @Test("A day that is none, and one older than the timelines, are refused", arguments: ["no", "2026-01-01"])
    func refused(day: String) async throws {
        try await OrdersUnderTest.run { orders, client in
            let answer = try await orders.send(client, .get, "/v1/report?day=\(day)", as: .operator, "ada")
            #expect(answer.status == .badRequest)
            #expect(try answer.problem().errors?.map(\.path) == ["query day"])
        }
    }
}
