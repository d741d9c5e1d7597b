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
import TextCoding
import WireCoding

@testable import Orders

@Suite("Archives of customers", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ArchiveTests {
    @Test("The photo that counts is in the archive where the store shows it to customers, and others are named")
    func images() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await ExportedCustomer.delivered(orders, client)
            let delivery = order.deliveries[0].id
            let photos = ["first": "a neighbour's door", "abc": "a photo"].mapValues { Array($0.utf8) }
            for (hash, bytes) in photos {
                let sealed = try OrdersUnderTest.proofKeys.seal(bytes: bytes, of: "image \(delivery) \(hash)")
                try await orders.pool.execute(
                    ProofImageRepository.insert(.init(format: .jpeg, sealed: sealed), hash: hash, of: delivery))
            }
            try await orders.pool.execute(
                """
                UPDATE deliveries SET snapshot = jsonb_set(
                    jsonb_set(snapshot, '{proof,required}', '["age", "photo", "signature"]'), '{proof,given}',
                    '[{"kind": "photo", "outcome": "passed", "at": "2026-11-21T18:23:00.000Z", "image": "first"},
                      {"kind": "photo", "outcome": "passed", "at": "2026-11-21T18:24:00.000Z", "image": "abc"},
                      {"kind": "signature", "outcome": "passed", "at": "2026-11-21T18:24:00.000Z", "image": "gone"},
                      {"kind": "age", "outcome": "waived", "at": "2026-11-21T18:25:00.000Z", "reason": "staff secret"}]')
                """)
            var texts: [String] = []
            for visibility in [ImageVisibility(), try #require(ImageVisibility("*"))] {
                try await orders.pool.execute("DELETE FROM person_exports")
                let id = try await ExportedCustomer.request(orders, client).decode(PersonRequestBody.self).id
                _ = try await orders.continueExports(
                    asking: ExportingServicesByTest().client, imageVisibility: visibility)()
                let archive = try await ExportedCustomer.archive(id, orders, client)
                #expect(try await ArchiveChecker.faults(of: Data(archive.body.readableBytesView)) == [])
                texts.append(String(buffer: archive.body))
                #expect(texts.last?.contains(#""kind":"age""#) == true)
                let html = String(buffer: try await ExportedCustomer.archive(id, orders, client, format: "html").body)
                #expect(html.contains("data:image/jpeg;base64,") == (texts.count == 2))
            }
            let base64 = photos.mapValues { Data($0).base64EncodedString() }
            let (shown, hidden) = (try #require(base64["abc"]), try #require(base64["first"]))
            #expect(!texts[0].contains(shown) && texts[0].contains("does not show it to customers"))
            #expect(!texts[0].contains("expired"))
            #expect(texts[1].contains(shown) && texts[1].contains("does not count") && texts[1].contains("expired"))
            for text in texts { #expect(!text.contains(hidden) && !text.contains("staff secret")) }
        }
    }

    @Test("An archive that is deleted while it is read does not end as a whole one")
    func interrupted() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await orders.place(client, try ExportedCustomer.body(orders))
            let id = try await ExportedCustomer.request(orders, client).decode(PersonRequestBody.self).id
            _ = try await orders.continueExports(asking: ExportingServicesByTest().client)()
            let uuid = try #require(UUID(uuidString: id))
            let export = try #require(try await ExportRepository.export(uuid, on: orders.pool))
            let read = ReadArchive(pool: orders.pool, box: ArchiveBox(try OrdersUnderTest.proofKeys))
            var text = ""
            await #expect(throws: ReadArchive.Interruption.deleted) {
                try await read(export, as: ArchiveDocument(of: export.person)) { piece in
                    if text.isEmpty { try await orders.pool.execute("DELETE FROM person_exports") }
                    text += piece
                }
            }
            #expect(WireJSON.formFault(in: Data(text.utf8)) != nil)
        }
    }

    @Test("A store exports its own deliveries alone, and reads its own archives alone")
    func stores() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await orders.place(client, try ExportedCustomer.body(orders))
            orders.clock.advance(by: 60)
            let other = try await orders.place(
                client, try orders.body(customer: ExportedCustomer.id, reference: "VALBY-7"))
            let id = other.deliveries[0].id.rawValue
            try await orders.pool.execute(
                """
                UPDATE deliveries SET store_id = 'valby',
                    snapshot = jsonb_set(snapshot, '{store,timeZone}', '"America/New_York"')
                WHERE delivery_id = \(id)
                """)
            #expect(try await ExportedCustomer.request(orders, client, store: "vanlose").status == .notFound)
            let accepted = try await ExportedCustomer.request(orders, client, store: "nordhavn")
            #expect(accepted.status == .accepted)
            let own = try accepted.decode(PersonRequestBody.self).id
            let whole = try await ExportedCustomer.request(orders, client).decode(PersonRequestBody.self).id
            #expect(whole != own)
            _ = try await orders.continueExports(asking: ExportingServicesByTest().client)()
            for (store, status) in [("nordhavn", HTTPResponse.Status.ok), ("valby", .notFound)] {
                let token = try await orders.token(.store, store, store: store)
                let archive = try await orders.send(
                    client, .get, "/v1/person-requests/\(own)/archive", token: token)
                #expect(archive.status == status)
                for word in ["VALBY-7", "America/New_York"] {
                    #expect(!String(buffer: archive.body).contains(word), "\(word)")
                }
            }
            let archive = try await ExportedCustomer.archive(whole, orders, client)
            #expect(String(buffer: archive.body).contains("America/New_York"))
        }
    }

    @Test("Archives are deleted after seven days, and within the hour where every delivery in them was deleted")
    func expired() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await orders.place(client, try ExportedCustomer.body(orders))
            _ = try await orders.place(client, try orders.body(customer: "ole", reference: "G-2"))
            // Of the last one a service knows a device alone.
            for customer in [ExportedCustomer.id, "ole", "phone-only"] {
                _ = try await ExportedCustomer.request(orders, client, customer: customer)
            }
            let services = ExportingServicesByTest()
            services.answer { _, request in
                guard request.deliveries.isEmpty else { return ExportChunk(section: nil, records: [], next: nil) }
                return ExportChunk(section: .devices, records: [#"{"device":"a"}"#], next: nil)
            }
            _ = try await orders.continueExports(asking: services.client)()
            func left() async throws -> [String] {
                try await ExportRepository.deleteExpired(on: orders.pool, at: orders.clock.now)
                return try await orders.pool.query("SELECT customer_id FROM person_exports ORDER BY 1")
                    .map { try $0.decode("customer_id") }
            }
            try await orders.pool.execute("UPDATE deliveries SET customer_id = 'erased-1' WHERE customer_id = 'ole'")
            #expect(try await left() == [ExportedCustomer.id, "ole", "phone-only"])
            orders.clock.advance(by: 3_601)
            #expect(try await left() == [ExportedCustomer.id, "phone-only"])
            orders.clock.advance(by: 7 * 86_400 - 3_602)
            #expect(try await left() == [ExportedCustomer.id, "phone-only"])
            orders.clock.advance(by: 2)
            #expect(try await left() == [])
            let chunks = try await orders.pool.query("SELECT 1 FROM person_archives")
            #expect(chunks.isEmpty)
        }
    }

    @Test("A request about a customer of whom nothing is known leaves nothing of them")
    func unknown() async throws {
        try await OrdersUnderTest.run { orders, client in
            let accepted = try await ExportedCustomer.request(orders, client, customer: "nobody-known")
            #expect(accepted.status == .accepted)
            let id = try accepted.decode(PersonRequestBody.self).id
            _ = try await orders.continueExports(asking: ExportingServicesByTest().client)()
            let gone = try await orders.send(client, .get, "/v1/person-requests/\(id)", as: .operator, "ada")
            #expect(gone.status == .notFound)
            #expect(try await tablesWith("nobody-known", on: orders.pool) == [])
        }
    }

    @Test("Without keys no data are exported")
    func withoutKeys() async throws {
        try await OrdersUnderTest.run(makesPINs: false) { orders, client in
            let refused = try await ExportedCustomer.request(orders, client)
            #expect(try refused.problem().type == "https://doorstep.dev/problems/exports-not-configured")
        }
    }
}
