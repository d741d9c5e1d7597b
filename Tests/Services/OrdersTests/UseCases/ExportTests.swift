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
import Synchronization
import TestSupport
import Testing
import TextCoding
import WireCoding

@testable import Orders

@Suite("Customers that are exported", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ExportTests {
    @Test("An archive has every text that the customer gave, no credential, and nothing of another customer")
    func canaries() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await ExportedCustomer.delivered(orders, client)
            _ = try await orders.place(client, try orders.body(customer: "ole", reference: "OLES-1"))
            let accepted = try await ExportedCustomer.request(orders, client)
            #expect(accepted.status == .accepted)
            let running: PersonRequestBody = try accepted.decode()
            #expect(running.kind == .export && running.state == .running && running.archive == nil)
            #expect(try await ExportedCustomer.archive(running.id, orders, client).status == .conflict)
            // A running export may find that the customer was erased: an id in the access log would stay.
            #expect(try await ExportedCustomer.status(running.id, orders, client).state == .running)
            let log = PersonalReadLog(pool: orders.pool)
            #expect(try await log.list(.init()).reads.allSatisfy(\.customers.isEmpty))
            #expect(try await orders.continueExports(asking: ExportingServicesByTest().client)() == nil)

            let done = try await ExportedCustomer.status(running.id, orders, client)
            #expect(try await log.list(.init()).reads.contains { $0.customers == [ExportedCustomer.id] })
            #expect(done.state == .done && done.archive == "/v1/person-requests/\(running.id)/archive")
            let counts = try #require(done.services.first { $0.service == "orders" }).tables
            #expect(counts.first { $0.table == "deliveries" }?.rows == 1)
            let answer = try await ExportedCustomer.archive(running.id, orders, client)
            #expect(answer.headers[.cacheControl] == "no-store")
            let bytes = Data(answer.body.readableBytesView)
            #expect(try await ArchiveChecker.faults(of: bytes) == [])
            let text = String(decoding: bytes, as: UTF8.self)
            for canary in ExportedCustomer.texts { #expect(text.contains(canary), "\(canary)") }
            for secret in ["OLES-1", "ole\"", "adalovelace", "staff secret", "/l/", "go.nordhavn.example"] {
                #expect(!text.contains(secret), "\(secret)")
            }
            // No table has the texts in clear.
            try await orders.pool.execute("DELETE FROM outbox")
            #expect(try await tablesWith("canary-code", on: orders.pool) == [])

            let page = try await ExportedCustomer.archive(running.id, orders, client, format: "html")
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            let html = String(buffer: page.body)
            #expect(html.contains("canary &lt;script&gt;note") && !html.contains("<script"))
            #expect(html.contains(" UTC+01:00") || html.contains(" UTC+02:00"))
            #expect(html.contains(order.deliveries[0].id.rawValue))
            let policy = try #require(page.headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'") && !policy.contains("script-src"))
        }
    }

    @Test("The checker of archives finds what the schema does not allow")
    func checks() async throws {
        let faults = try await ArchiveChecker.faults(of: [
            .notes: [#"{"delivery":"one","changedAt":"yesterday","owner":"ada"}"#]
        ])
        #expect(faults.count == 2, "\(faults)")
    }

    @Test("A request goes on where it was when answers are lost and processes restart, and has each record once")
    func resumed() async throws {
        try await OrdersUnderTest.run { orders, client in
            let deliveries = 120
            let body = try orders.body(bags: 10, customer: ExportedCustomer.id)
            for number in 0..<(deliveries / 10) {
                var body = body
                body.reference = "G-\(number)"
                let order = try await orders.place(client, body)
                for delivery in order.deliveries { try await orders.set(.cancelled, delivery.id, client) }
            }
            let id = try await ExportedCustomer.request(orders, client).decode(PersonRequestBody.self).id
            let services = ExportingServicesByTest()
            let answers = Mutex(0)
            // Each part has two chunks; every other answer is lost, and some find their process killed.
            services.answer { service, request in
                let count = answers.withLock { count in
                    count += 1
                    return count
                }
                if count.isMultiple(of: 2) { throw ExportingServicesByTest.Away() }
                if count.isMultiple(of: 5) { withUnsafeCurrentTask { $0?.cancel() } }
                let ids = request.deliveryIDs
                guard service == .desk, !ids.isEmpty else { return ExportChunk(section: nil, records: [], next: nil) }
                let half = ids.count / 2
                let mine = request.cursor == nil ? ids.prefix(half) : ids.suffix(from: half)
                let records = mine.map { "{\"delivery\":\"\($0)\",\"changedAt\":\"2026-11-21T18:24:00Z\"}" }
                return ExportChunk(section: .notes, records: Array(records), next: request.cursor == nil ? "half" : nil)
            }
            var rounds = 0
            while try await ExportedCustomer.status(id, orders, client).state == .running, rounds < 200 {
                rounds += 1
                // A killed round fails, and the next one goes on.
                _ = await Task { try await orders.continueExports(asking: services.client)() }.result
                // The end of the lease, or of the pause before the services are asked again.
                try await orders.pool.execute("UPDATE person_exports SET leased_until = now() - interval '1 s'")
            }
            #expect(rounds > 1 && rounds < 200)
            let done = try await ExportedCustomer.status(id, orders, client)
            #expect(done.state == .done && !done.services.contains { $0.failure != nil })
            let archive = Data(try await ExportedCustomer.archive(id, orders, client).body.readableBytesView)
            #expect(try await ArchiveChecker.faults(of: archive) == [])
            struct Read: Decodable {
                struct One: Decodable { let delivery: String }
                let deliveries: [One]
                let notes: [One]
            }
            let read = try WireJSON.decode(Read.self, from: archive)
            for list in [read.deliveries, read.notes] {
                #expect(list.count == deliveries && Set(list.map(\.delivery)).count == deliveries)
            }
            // No reading, answer or row has more than a chunk.
            for service in ErasingService.allCases {
                #expect(services[service].allSatisfy { $0.deliveries.count <= ExportRequest.deliveriesMax })
            }
            let longest = try await orders.pool.query(
                "SELECT max(octet_length(sealed)) AS bytes FROM person_archives"
            )[0].decode("bytes", as: Int.self)
            #expect(longest < 2 * ExportChunk.bytesMax)
        }
    }

    @Test("A process that another has relieved stores nothing more")
    func relieved() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await orders.place(client, try ExportedCustomer.body(orders))
            let id = try await ExportedCustomer.request(orders, client).decode(PersonRequestBody.self).id
            let services = ExportingServicesByTest()
            services.answer { [pool = orders.pool] _, _ in
                try await pool.execute("UPDATE person_exports SET lease = gen_random_uuid()")
                return ExportChunk(section: .notes, records: [#"{"delivery":"a"}"#], next: nil)
            }
            _ = try await orders.continueExports(asking: services.client)()
            #expect(try await ExportedCustomer.status(id, orders, client).state == .running)
            let stored = try await orders.pool.query("SELECT section FROM person_archives WHERE section = 'notes'")
            #expect(stored.isEmpty)
        }
    }

    @Test("A repeat returns the running export, then the one of the last hour, and later makes another")
    func repeats() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await orders.place(client, try ExportedCustomer.body(orders))
            func ask() async throws -> String {
                try await ExportedCustomer.request(orders, client).decode(PersonRequestBody.self).id
            }
            let first = try await ask()
            #expect(try await ask() == first)
            _ = try await orders.continueExports(asking: ExportingServicesByTest().client)()
            #expect(try await ask() == first)
            orders.clock.advance(by: 3_601)
            #expect(try await ask() != first)
        }
    }

    @Test(
        "An erasure deletes archives at once, one that is being made too, and refuses an export meanwhile",
        arguments: ErasingService.allCases)
    func erased(during asked: ErasingService) async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await ExportedCustomer.delivered(orders, client)
            let id = try await ExportedCustomer.request(orders, client).decode(PersonRequestBody.self).id
            let services = ExportingServicesByTest()
            services.answer { service, _ in
                if service == asked {
                    let erased = try await orders.send(
                        client, .post, "/v1/customers/\(ExportedCustomer.id)/erase", as: .operator, "ada",
                        ErasePersonBody())
                    #expect(erased.status == .accepted)
                }
                return ExportChunk(section: .notes, records: [#"{"delivery":"a"}"#], next: nil)
            }
            #expect(try await orders.continueExports(asking: services.client)() == nil)
            for table in ["person_exports", "person_archives"] {
                let rows = try await orders.pool.query("SELECT 1 FROM \(raw: table)")
                #expect(rows.isEmpty, "\(table)")
            }
            let gone = try await orders.send(client, .get, "/v1/person-requests/\(id)", as: .operator, "ada")
            #expect(gone.status == .notFound)
            #expect(try await ExportedCustomer.archive(id, orders, client).status == .notFound)
            let refused = try await ExportedCustomer.request(orders, client)
            #expect(try refused.problem().type == "https://doorstep.dev/problems/customer-being-erased")
        }
    }
}
