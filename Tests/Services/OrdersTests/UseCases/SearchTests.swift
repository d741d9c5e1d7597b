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

@testable import Orders

@Suite("Finding deliveries by what people know", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct SearchTests {
    /// References that a search answers with, in the order of the list.
    private static func found(
        _ text: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol, as role: Role = .operator,
        _ subject: String = "ada"
    ) async throws -> [String] {
        let query = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
        let answer = try await orders.send(client, .get, "/v1/deliveries?search=\(query)", as: role, subject)
        #expect(answer.status == .ok, "\(String(buffer: answer.body))")
        return try answer.decode(BoardBody.self).deliveries.map(\.reference)
    }

    @Test(
        "Reference, customer, courier's name and id, and ids find a delivery by their beginning, in any case",
        arguments: StoredForm.allCases)
    func beginnings(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let wanted = try await orders.place(client, try orders.body(customer: "mette", reference: "Kurv 77"))
            let delivery = wanted.deliveries[0].id
            _ = try await orders.place(client, try orders.body(customer: "ole", reference: "B-1"))
            let named = CourierBody(
                id: try #require(CourierID(rawValue: "C-9")), name: "Anna Sofie Holm", vehicle: .bicycle, phone: nil)
            let assigned = try await orders.send(
                client, .put, "/v1/deliveries/\(delivery)/courier", as: .store, "nordhavn",
                AssignBody(courier: .described(named)))
            #expect(assigned.status == .ok)
            for text in [
                "kurv", "KURV 77", "met", "Mette", "c-9", "anna", "Sofie", "sofie holm",
                String(delivery.rawValue.prefix(6)).uppercased(), String(wanted.id.rawValue.prefix(6)),
            ] {
                #expect(try await Self.found(text, orders, client) == ["Kurv 77"], "\(text)")
            }
            for text in ["urv", "ofie", "ette", "nobody", "%", "_", "-"] {
                #expect(try await Self.found(text, orders, client) == [], "\(text)")
            }
            let empty = try await orders.send(
                client, .get, "/v1/deliveries?search=\(String(repeating: "a", count: 65))", as: .operator, "ada")
            #expect(empty.status == .badRequest)
            #expect(try empty.problem().errors?.map(\.path) == ["query search"])
        }
    }

    @Test(
        "The recipient's name, the end of their number and the street find a delivery, for who may read them",
        arguments: StoredForm.allCases)
    func dropOff(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            var body = try orders.body(customer: "c-1", reference: "A-1")
            body.recipient = Recipient(name: "Mette Holm", phone: "+45 20 12 34-56")
            body.address = Address(street: "Nørrebrogade 40", postalCode: "2200", city: "København N")
            let id = try await orders.place(client, body).deliveries[0].id
            _ = try await orders.place(client, try orders.body(customer: "c-2", reference: "A-2"))
            try await orders.assign("mira", id, client)
            let known = ["holm", "METTE H", "20123456", "+45 20 12 34 56", "123456", "nørrebrogade 4", "Norrebro"]
            for text in known {
                #expect(try await Self.found(text, orders, client) == ["A-1"], "\(text)")
                #expect(try await Self.found(text, orders, client, as: .store, "nordhavn") == ["A-1"], "\(text)")
                #expect(try await Self.found(text, orders, client, as: .courier, "mira") == [], "\(text)")
                #expect(try await Self.found(text, orders, client, as: .customer, "c-2") == [], "\(text)")
            }
            for text in ["olm", "201234", "34-56", "brogade", "+", "2012345_"] {
                #expect(try await Self.found(text, orders, client) == [], "\(text)")
            }
        }
    }

    @Test("A phone number is found however it and the search are written", arguments: StoredForm.allCases)
    func phones(form: StoredForm) async throws {
        let pairs = [
            ("+44 20 7946 0958", "020 7946 0958"), ("+45 20 12 34 56", "0045 20123456"),
            ("020 7946 0123", "+44 20 7946 0123"), ("+49 (0)30 23125 123", "+49 30 23125123"),
            ("030 23125 456", "+49 (0)30 23125456"), ("+45 12345678 ext. 12", "12345678"),
            ("+45 87654321, 12", "87 65 43 21"), ("+45 \u{663}\u{663} \u{661}\u{662} \u{664}\u{664} 55", "33124455"),
            ("\u{FF0B}\u{FF14}\u{FF15} \u{FF13}\u{FF13} 99 88 77", "33998877"),
            ("+45 44 55 66 77", "44/55 66\u{A0}77"), ("Tlf. 70 10 20 30", "+4570102030"), ("+45 80 01 23 45", "012345"),
        ]
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            for (index, (stored, _)) in pairs.enumerated() {
                var body = try orders.body(customer: "c-\(index)", reference: "P-\(index)")
                body.recipient = Recipient(name: "Mette Holm", phone: stored)
                _ = try await orders.place(client, body)
            }
            for (index, (stored, text)) in pairs.enumerated() {
                #expect(try await Self.found(text, orders, client) == ["P-\(index)"], "\(stored) by \(text)")
            }
            for text in ["0000000", "345678 12", "7946 09", "+46 20 12 34 56"] {
                #expect(try await Self.found(text, orders, client) == [], "\(text)")
            }
        }
    }

    @Test("Names and streets are found with and without the marks on their letters", arguments: StoredForm.allCases)
    func marks(form: StoredForm) async throws {
        let wanted = [
            ("Tomáš Novák", "Świętego Jana 3", ["novak", "TOMAS", "novák", "tomas\u{30C}", "swietego"]),
            ("Işık Çağlar", "Łódzka 7", ["isik", "ışık", "caglar", "lodzka", "ŁÓDZKA 7"]),
            ("Ærø Đorđević", "Gheorghe Șincai 2", ["aero", "dordevic", "gheorghe sincai"]),
        ]
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            for (index, (name, street, _)) in wanted.enumerated() {
                var body = try orders.body(customer: "c-\(index)", reference: "M-\(index)")
                body.recipient = Recipient(name: name, phone: "+45 20 12 34 56")
                body.address = Address(street: street, postalCode: "2200", city: "København N")
                _ = try await orders.place(client, body)
            }
            for (index, (_, _, texts)) in wanted.enumerated() {
                for text in texts {
                    #expect(try await Self.found(text, orders, client) == ["M-\(index)"], "\(text)")
                }
            }
        }
    }

    @Test("Sealed and readable drop-offs are found together, of live deliveries and of those that ended lately")
    func mixed() async throws {
        func place(_ references: [String], _ form: StoredForm) async throws {
            try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
                for reference in references {
                    var body = try orders.body(customer: "c-\(reference)", reference: reference)
                    body.recipient = Recipient(name: "Mette Holm", phone: "+45 20 12 34-56")
                    let id = try await orders.place(client, body).deliveries[0].id
                    if reference.hasSuffix("ended") { try await orders.set(.cancelled, id, client) }
                }
            }
        }
        try await place(["R-live", "R-ended"], .readable)
        try await place(["S-live", "S-ended"], .sealed)
        for form in StoredForm.allCases {
            try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
                let found = try await Self.found("holm", orders, client)
                #expect(Set(found) == ["R-live", "R-ended", "S-live", "S-ended"])
            }
        }
    }

    @Test("What is live comes before what ended, and of that the newest first")
    func order() async throws {
        try await OrdersUnderTest.run { orders, client in
            for number in 1...3 {
                let order = try await orders.place(client, try orders.body(reference: "G-\(number)"))
                if number == 2 { continue }
                orders.clock.advance(by: 60)
                try await orders.set(.cancelled, order.deliveries[0].id, client)
            }
            #expect(try await Self.found("mette", orders, client) == ["G-2", "G-3", "G-1"])
        }
    }

    @Test("After two days whole words and long beginnings of an id still find a delivery, short beginnings do not")
    func history() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await orders.place(client, try orders.body(reference: "G-1042"))
            let delivery = order.deliveries[0].id.rawValue
            try await orders.set(.cancelled, order.deliveries[0].id, client)
            for text in ["G-10", "g1042", "G10-4"] {
                #expect(try await Self.found(text, orders, client) == ["G-1042"], "\(text)")
            }
            orders.clock.advance(by: 49 * 3_600)
            for text in ["g-1042", "METTE", String(delivery.prefix(8)), delivery, String(order.id.rawValue.prefix(8))] {
                #expect(try await Self.found(text, orders, client) == ["G-1042"], "\(text)")
            }
            for text in ["G-10", "met", String(delivery.prefix(7))] {
                #expect(try await Self.found(text, orders, client) == [], "\(text)")
            }
        }
    }

    @Test("A search reads no table from end to end")
    func plan() async throws {
        try await OrdersUnderTest.run { orders, _ in
            let term = try #require(SearchTerm(rawValue: "7f3c2a10-5b"))
            let search = DeliverySearch.ids(
                term, restrictions: FilterRestrictions(), scope: "TRUE", asOf: OrdersUnderTest.start)
            var filter = OrderFilter()
            filter.changedSince = OrdersUnderTest.start
            filter.search = term
            let list = OrderListRepository.statement(filter, after: nil, asOf: OrdersUnderTest.start, limit: 50)
            try await orders.pool.withTransaction { transaction in
                // On a small table the planner reads it from end to end unless that costs more than any index.
                try await transaction.execute("SET LOCAL enable_seqscan = off")
                let sealed = DeliverySearch.Searched.allCases.map {
                    $0.page(after: (place: "-infinity", id: ""), scope: "TRUE", asOf: OrdersUnderTest.start)
                }
                for statement in [search, list] + sealed {
                    let plan = try await transaction.query("EXPLAIN \(sql: statement)").map {
                        try $0.decode("QUERY PLAN", as: String.self)
                    }
                    #expect(!plan.contains { $0.contains("Seq Scan") }, "\(plan.joined(separator: "\n"))")
                }
                // Few rows are sorted as well as read in order.
                try await transaction.execute("SET LOCAL enable_bitmapscan = off")
                for (statement, index) in zip(sealed, ["deliveries_live_by_promise", "deliveries_ended_by_end"]) {
                    let plan = try await transaction.query("EXPLAIN \(sql: statement)").map {
                        try $0.decode("QUERY PLAN", as: String.self)
                    }
                    #expect(plan.contains { $0.contains("Index Scan using \(index) ") }, "\(plan)")
                    #expect(!plan.contains { $0.contains("Sort") }, "\(plan)")
                }
            }
        }
    }

    @Test("A customer finds deliveries by their courier from pickup on, by filter and by search")
    func courierBeforePickup() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.assign("mira", id, client)
            func counts(_ role: Role, _ subject: String) async throws -> [Int] {
                var counts: [Int] = []
                for query in ["courier=mira", "search=mira", "search=mi"] {
                    let board: BoardBody = try await orders.send(
                        client, .get, "/v1/deliveries?\(query)", as: role, subject
                    ).decode()
                    counts.append(board.deliveries.count)
                    if query.hasPrefix("courier") { counts.append(board.counts.live) }
                    let list: OrdersBody? =
                        query.hasPrefix("search")
                        ? try await orders.send(client, .get, "/v1/orders?\(query)", as: role, subject).decode() : nil
                    if let list { counts.append(list.orders.count) }
                }
                return counts
            }
            #expect(try await counts(.customer, "mette") == [0, 0, 0, 0, 0, 0])
            #expect(try await counts(.operator, "ada") == [1, 1, 1, 1, 1, 1])
            // What never left the store was brought by nobody.
            try await orders.set([.accepted, .picking, .pickedUp], id, client)
            #expect(try await counts(.customer, "mette") == [1, 1, 1, 1, 1, 1])
        }
    }

    @Test(
        "A courier does not find an ended delivery by its customer, and nobody finds what is another's",
        arguments: StoredForm.allCases)
    func restrictions(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let order = try await orders.place(client, try orders.body())
            let id = order.deliveries[0].id
            try await orders.assign("mira", id, client)
            #expect(try await Self.found("mette", orders, client, as: .courier, "mira") == ["G-1042"])
            #expect(try await Self.found("G-1042", orders, client, as: .courier, "jonas") == [])
            #expect(try await Self.found(id.rawValue, orders, client, as: .customer, "ole") == [])
            try await orders.set([.accepted, .picking, .pickedUp, .delivered], id, client)
            #expect(try await Self.found("mette", orders, client, as: .courier, "mira") == [])
            #expect(try await Self.found("G-1042", orders, client, as: .courier, "mira") == ["G-1042"])
            #expect(try await Self.found("mette", orders, client, as: .customer, "mette") == ["G-1042"])
        }
    }
}
