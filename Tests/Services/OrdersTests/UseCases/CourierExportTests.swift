import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite("Couriers that are exported", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct CourierExportTests {
    @Test(
        "A courier's archive has everything of the courier and nothing of a customer, and a customer's only the name",
        arguments: StoredForm.allCases)
    func canaries(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let (own, former) = try await ExportedCourier.rode(orders, client)
            let accepted = try await ExportedCourier.request(orders, client)
            #expect(accepted.status == .accepted)
            let running: PersonRequestBody = try accepted.decode()
            #expect(running.kind == .export && running.person == .courier && running.customer == nil)
            #expect(running.courier?.rawValue == ExportedCourier.id)
            let ofCustomer: PersonRequestBody = try await ExportedCustomer.request(orders, client).decode()
            let services = ExportingServicesByTest()
            #expect(try await orders.continueExports(asking: services.client)() == nil)
            for service in ErasingService.allCases {
                let asked = services[service].filter { $0.courier == running.courier }
                #expect(asked.map(\.isLast) == [true] && asked[0].deliveries.isEmpty)
            }

            let done = try await ExportedCustomer.status(running.id, orders, client)
            let finishedAt = try #require(done.finishedAt)
            #expect(done.expiries?.map(\.what) == ["the archive"])
            #expect(done.expiries?.first?.until == finishedAt.addingTimeInterval(7 * 86_400))
            let answer = try await ExportedCustomer.archive(running.id, orders, client)
            let bytes = Data(answer.body.readableBytesView)
            #expect(try await ArchiveChecker.faults(of: bytes) == [])
            let text = String(decoding: bytes, as: UTF8.self)
            for own in ExportedCourier.texts { #expect(text.contains(own), "\(own)") }
            for other in ExportedCustomer.texts + [
                "CANARY-1043", "Other Rider", "other-rider", "+4511111111", "all_right",
            ] {
                #expect(!text.contains(other), "\(other)")
            }
            let archive = try WireJSON.decode(ExportedCourier.Archive.self, from: bytes)
            #expect(archive.person.courier == ExportedCourier.id)
            #expect(archive.descriptions.map(\.name) == ["Rider Holm", "Rider at Nordhavn"])
            #expect(archive.rides.map(\.delivery) == [own])
            #expect(archive.actions.map(\.delivery) == [own, own, own, own, former])
            #expect(archive.courierPresses.map(\.delivery) == [own])
            let html = String(
                buffer: try await ExportedCustomer.archive(running.id, orders, client, format: "html").body)
            #expect(html.contains("Your deliveries") && html.contains("Rider Holm"))
            #expect(!html.contains("Baskets") && !html.contains("Canary"))

            let customers = String(buffer: try await ExportedCustomer.archive(ofCustomer.id, orders, client).body)
            for canary in ExportedCustomer.texts where canary != "Canary oats" {
                #expect(customers.contains(canary), "\(canary)")
            }
            #expect(customers.contains("Rider Holm"))
            for other in [ExportedCourier.id, ExportedCourier.phone, "Rider at Nordhavn", "+4511111111"] {
                #expect(!customers.contains(other), "\(other)")
            }
            try await orders.reads.flush()
            let reads = try await orders.reads.log.list(.init()).reads.filter { $0.operation == "getArchive" }
            #expect(reads.contains { $0.couriers == [ExportedCourier.id] && $0.customers.isEmpty })
            // No table has the number in clear where numbers are sealed.
            try await orders.pool.execute("DELETE FROM outbox")
            let clear = try await tablesWith("99887766", on: orders.pool)
            #expect((clear == []) == (form == .sealed))
        }
    }

    @Test("A store exports its own deliveries and its own description of a courier, and knows no other courier")
    func stores() async throws {
        try await OrdersUnderTest.run { orders, client in
            let (own, former) = try await ExportedCourier.rode(orders, client)
            let other = try await ExportedCourier.place("VALBY-7", orders, client)
            try await ExportedCourier.assign(other, orders, client)
            try await ExportedCourier.move(other, to: .pickedUp, orders, client)
            try await orders.pool.batch([
                "UPDATE deliveries SET store_id = 'valby' WHERE delivery_id = \(other.rawValue)",
                """
                INSERT INTO store_couriers (store_id, courier_id, snapshot)
                SELECT 'valby', courier_id, jsonb_set(snapshot, '{name}', '"Rider at Valby"') FROM store_couriers
                """,
            ])
            #expect(try await ExportedCourier.request(by: "vanlose", orders, client).status == .notFound)
            let ids = [
                try await ExportedCourier.request(by: "nordhavn", orders, client),
                try await ExportedCourier.request(orders, client),
            ].map { try? $0.decode(PersonRequestBody.self).id }  // The next line fails without one.
            let (store, shop) = (try #require(ids[0]), try #require(ids[1]))
            #expect(store != shop)
            _ = try await orders.continueExports(asking: ExportingServicesByTest().client)()
            func archive(_ id: String) async throws -> ExportedCourier.Archive {
                let bytes = Data(try await ExportedCustomer.archive(id, orders, client).body.readableBytesView)
                #expect(try await ArchiveChecker.faults(of: bytes) == [])
                return try WireJSON.decode(ExportedCourier.Archive.self, from: bytes)
            }
            let stores = try await archive(store)
            #expect(stores.descriptions.map(\.name) == ["Rider at Nordhavn"])
            #expect(stores.rides.map(\.delivery) == [own] && !stores.actions.map(\.delivery).contains(other))
            #expect(stores.actions.map(\.delivery).contains(former))
            let shops = try await archive(shop)
            #expect(shops.descriptions.map(\.name) == ["Rider Holm", "Rider at Nordhavn", "Rider at Valby"])
            #expect(Set(shops.rides.map(\.delivery)) == [own, other])
            #expect(shops.actions.map(\.delivery).contains(other))
            let token = try await orders.token(.store, "valby", store: "valby")
            for path in ["/v1/person-requests/\(store)", "/v1/person-requests/\(store)/archive"] {
                let refused = try await orders.send(client, .get, path, token: token)
                #expect(refused.status == .notFound)
            }
        }
    }

    @Test("An erasure of the courier deletes archives at once, also one that is being made, and refuses an export")
    func erased() async throws {
        try await OrdersUnderTest.run { orders, client in
            let (_, former) = try await ExportedCourier.rode(orders, client)
            try await orders.set(.delivered, former, client)
            let id = try await ExportedCourier.request(orders, client).decode(PersonRequestBody.self).id
            let customers: PersonRequestBody = try await ExportedCustomer.request(orders, client).decode()
            _ = try await orders.continueExports(asking: ExportingServicesByTest().client)()
            orders.clock.advance(by: 3_601)
            let next = try await ExportedCourier.request(orders, client).decode(PersonRequestBody.self).id
            #expect(next != id)
            let services = ExportingServicesByTest()
            services.answer { service, request in
                if service == .courierETA, request.courier != nil {
                    let erased = try await CourierErasureTests.erase(of: ExportedCourier.id, orders, client)
                    #expect(erased.status == .accepted, "\(String(buffer: erased.body))")
                }
                return ExportChunk(
                    section: .duties, records: [#"{"beganAt":"2026-11-21T18:24:00Z"}"#], next: nil)
            }
            #expect(try await orders.continueExports(asking: services.client)() == nil)
            for gone in [id, next] {
                let request = try await orders.send(
                    client, .get, "/v1/person-requests/\(gone)", as: .operator, "ada")
                #expect(request.status == .notFound)
                #expect(try await ExportedCustomer.archive(gone, orders, client).status == .notFound)
            }
            let left = try await orders.pool.query("SELECT customer_id, courier_id FROM person_exports")
            #expect(try left.map { try $0.decode("customer_id", as: String?.self) } == [ExportedCustomer.id])
            // The customer's has the name for its seven days, and the certificate names that.
            let archive = try await ExportedCustomer.archive(customers.id, orders, client)
            #expect(String(buffer: archive.body).contains("Rider Holm"))
            let refused = try await ExportedCourier.request(orders, client)
            #expect(try refused.problem().type == "https://doorstep.dev/problems/courier-being-erased")
            let erasing = try await orders.pool.query("SELECT person_request_id FROM person_requests")[0]
            let erasure: UUID = try erasing.decode("person_request_id")
            _ = try await orders.continueErasures(asking: ErasingServicesByTest().client)()
            let done = try await ExportedCustomer.status(erasure.uuidString, orders, client)
            #expect(
                done.state == .done && done.expiries?.contains { $0.what.contains("archives of customers") } == true)
        }
    }

    @Test("A number whose key is missing is in no archive: the request waits, names the service, and ends with the key")
    func lostKey() async throws {
        let former = try SealedPersonalDataTests.box([1], sealing: 1)
        try await OrdersUnderTest.run(personalData: former) { orders, client in
            try await orders.assign("jonas", try await ExportedCourier.place("G-1", orders, client), client)
        }
        for (box, isReadable) in [(try SealedPersonalDataTests.box([2], sealing: 2), false), (former, true)] {
            try await OrdersUnderTest.run(personalData: box) { orders, client in
                let id = try await ExportedCourier.request(of: "jonas", orders, client)
                    .decode(PersonRequestBody.self).id
                try await orders.pool.execute("UPDATE person_exports SET leased_until = now() - interval '1 s'")
                let next = try await orders.continueExports(asking: ExportingServicesByTest().client)()
                let request = try await ExportedCustomer.status(id, orders, client)
                #expect((next == nil) == isReadable && (request.state == .done) == isReadable)
                let failures = request.services.compactMap { one in one.failure.map { "\(one.service): \($0)" } }
                #expect(failures == (isReadable ? [] : ["orders: its records cannot be read"]))
            }
        }
    }

    @Test("What the courier did is found in a timeline of many entries of others, each entry once")
    func longTimeline() async throws {
        try await OrdersUnderTest.run { orders, client in
            let (own, former) = try await ExportedCourier.rode(orders, client)
            let entries = CourierErasureRepository.timelineMax + 10
            try await orders.pool.batch([
                """
                INSERT INTO timeline (delivery_id, at, version, kind, what, changed_by)
                SELECT \(former.rawValue), \(orders.clock.now)::timestamptz, 1, 'status', 'theirs', 'store nordhavn'
                FROM generate_series(1, \(entries))
                """,
                """
                INSERT INTO timeline (delivery_id, at, version, kind, what, changed_by)
                SELECT \(own.rawValue), \(orders.clock.now)::timestamptz, 1, 'status', 'own', 'courier rider-jonas'
                FROM generate_series(1, 450)
                """,
            ])
            let id = try await ExportedCourier.request(orders, client).decode(PersonRequestBody.self).id
            #expect(try await orders.continueExports(asking: ExportingServicesByTest().client)() == nil)
            let bytes = Data(try await ExportedCustomer.archive(id, orders, client).body.readableBytesView)
            let archive = try WireJSON.decode(ExportedCourier.Archive.self, from: bytes)
            #expect(archive.actions.count == 5 + 450)
            #expect(!String(decoding: bytes, as: UTF8.self).contains("theirs"))
        }
    }

    @Test(
        "A repeat returns the courier's export, a customer with the same id has another, and an unknown one leaves none"
    )
    func repeats() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await ExportedCourier.rode(orders, client)
            func ask() async throws -> String {
                try await ExportedCourier.request(orders, client).decode(PersonRequestBody.self).id
            }
            let first = try await ask()
            #expect(try await ask() == first)
            let customer = try await ExportedCustomer.request(orders, client, customer: ExportedCourier.id)
            #expect(try customer.decode(PersonRequestBody.self).id != first)
            let unknown = try await ExportedCourier.request(of: "unknown-rider", orders, client)
            let id = try unknown.decode(PersonRequestBody.self).id
            _ = try await orders.continueExports(asking: ExportingServicesByTest().client)()
            #expect(try await ask() == first)
            let gone = try await orders.send(client, .get, "/v1/person-requests/\(id)", as: .operator, "ada")
            #expect(gone.status == .notFound)
            #expect(try await tablesWith("unknown-rider", on: orders.pool) == [])
            orders.clock.advance(by: 3_601)
            #expect(try await ask() != first)
        }
    }
}
