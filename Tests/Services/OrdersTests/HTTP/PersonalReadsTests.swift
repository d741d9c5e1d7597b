import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OpenAPITesting
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Who read personal data in orders", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PersonalReadsTests {
    private static func rows(_ orders: OrdersUnderTest) async throws -> [PersonalReadBody] {
        try await orders.reads.flush()
        return try await orders.reads.log.list(.init()).reads
    }

    @Test("Every operation of the document is a recorded read, or a change, or has no data of another person")
    func declared() throws {
        let document = try OpenAPIDocument(yaml: PackageResources.openapi_yaml)
        let recorded = OrdersHTTP.personalReads.adding(PersonalReads.ofOperatorRoutes).operations.mapValues(\.name)
        let faults = document.faults(
            ofRecorded: recorded,
            unrecorded: OpenAPIDocument.readsOfEveryService.union(OpenAPIDocument.changesOfOperatorRoutes).union([
                // Customers' and couriers' own pages.
                "showLink", "followLink", "showLinkImage", "showCourierPage", "pressOnCourierPage", "enterPIN",
                "giveImageOnPage", "undoCourierPress", "pressLink", "proveOrder", "answerFeedback", "correctOnPage",
                "setAlerts",
                "getFace", "getFaceFile", "getAsset", "getMapTile", "setFace", "setLogo", "removeLogo",
                // Changes whose callers have sent what they are answered, or whose actor is in the timeline.
                "placeOrder", "revokeViewLinks", "revokeCourierLinks", "erasePerson", "exportPerson", "eraseCourier",
                "exportCourier", "republishDeliveries",
            ]))
        #expect(faults == [])
    }

    @Test("A read by an operator or a store has its reader, operation, kind and persons")
    func reads() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await orders.place(client, try orders.body())
            let delivery = order.deliveries[0].id
            try await orders.assign("jonas", delivery, client)
            #expect(try await Self.rows(orders).isEmpty)

            let ada = try #require(DisplayName(rawValue: "Ada Lovelace"))
            let token = try await orders.token(.operator, "u1", scope: "viewer", name: ada)
            let seen = try await orders.send(client, .get, "/v1/deliveries/\(delivery)", token: token)
            #expect(seen.status == .ok)
            let row = try #require(try await Self.rows(orders).first)
            #expect(row.role == "operator" && row.by == "Ada Lovelace (u1)" && row.store == nil)
            #expect(row.operation == "getDelivery" && row.kind == "drop_off")
            #expect(row.customers == ["mette"] && row.deliveries == [delivery.rawValue] && row.couriers == ["jonas"])

            let paths = [
                "/v1/orders", "/v1/orders/\(order.id)", "/v1/deliveries", "/v1/deliveries/\(delivery)/timeline",
                "/v1/timeline",
            ]
            for path in paths {
                _ = try await orders.send(client, .get, path, as: .store, "nordhavn")
            }
            let operations = try await Self.rows(orders).filter { $0.role == "store" }.map(\.operation)
            #expect(
                Set(operations) == [
                    "listOrders", "getOrder", "listDeliveries", "getDeliveryTimeline", "listTimeline",
                ])
            _ = try await orders.send(client, .get, "/v1/contacts?ids=\(delivery)", as: .operator, "ada")
            let contact = try #require(try await Self.rows(orders).first { $0.operation == "getContacts" })
            #expect(contact.kind == "contact" && contact.deliveries == [delivery.rawValue])
            #expect(contact.customers == ["mette"] && contact.couriers == ["jonas"] && contact.objects == 1)
            let timeline = try #require(try await Self.rows(orders).first { $0.operation == "getDeliveryTimeline" })
            #expect(timeline.customers == ["mette"] && timeline.couriers == ["jonas"] && timeline.objects == 1)
        }
    }

    @Test("A read of numbers during a hand-over between couriers has the carrier, beside the courier or alone")
    func carrier() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            try await orders.set([.accepted, .picking, .staged], delivery, client)
            try await orders.assign("mira", delivery, client)
            try await orders.set(.pickedUp, delivery, client)
            try await orders.assign("finn", delivery, client)
            for (reader, query) in [("ada", "&of=carrier"), ("bo", "")] {
                let path = "/v1/contacts?ids=\(delivery)\(query)"
                #expect(try await orders.send(client, .get, path, as: .operator, reader).status == .ok)
            }
            let rows = try await Self.rows(orders).filter { $0.operation == "getContacts" }
            let couriers = Dictionary(rows.map { ($0.by, Set($0.couriers)) }) { $0.union($1) }
            #expect(couriers == ["ada": ["mira"], "bo": ["finn", "mira"]])
        }
    }

    @Test("Customers, couriers, refusals, empty answers and changes are not recorded; a preview is")
    func unrecorded() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await orders.place(client, try orders.body())
            let delivery = order.deliveries[0].id
            let path = "/v1/deliveries/\(delivery)"
            try await orders.assign("jonas", delivery, client)
            for (role, subject) in [(Role.customer, "mette"), (.courier, "jonas")] {
                #expect(try await orders.send(client, .get, path, as: role, subject).status == .ok)
            }
            _ = try await orders.send(client, .get, "/v1/deliveries/\(DeliveryID(UUID()))", as: .operator, "ada")
            _ = try await orders.send(client, .get, "/v1/orders?search=none-has-this", as: .operator, "ada")
            try await orders.set(.accepted, delivery, client)
            #expect(try await Self.rows(orders).isEmpty)

            let preview = try await orders.send(
                client, .post, "\(path)/status?preview=true", as: .store, "nordhavn", StatusBody(status: .picking))
            #expect(preview.status == .ok)
            #expect(try await Self.rows(orders).map(\.operation) == ["setDeliveryStatus"])
        }
    }

    @Test("What gives access is a read of the persons that it shows")
    func access() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            let mette = try #require(CustomerID(rawValue: "mette"))
            for path in ["/v1/deliveries/\(delivery)/view-link", "/v1/couriers/jonas/link"] {
                #expect(try await orders.send(client, .post, path, as: .operator, "ada").status == .created)
            }
            let token = try await orders.send(
                client, .post, "/v1/tokens", as: .store, "nordhavn",
                IssueTokenBody(customer: mette, lifetimeSeconds: 60))
            #expect(token.status == .created)
            let rows = Dictionary(
                grouping: try await Self.rows(orders), by: \.operation
            ).mapValues { $0.map { [$0.customers, $0.deliveries, $0.couriers] } }
            #expect(
                rows == [
                    "makeViewLink": [[["mette"], [delivery.rawValue], []]],
                    "makeCourierLink": [[[], [], ["jonas"]]],
                    "issueToken": [[["mette"], [], []]],
                ])
            // A courier's own link is the courier's.
            _ = try await orders.send(client, .post, "/v1/couriers/jonas/link", as: .courier, "jonas")
            #expect(try await Self.rows(orders).count == 3)
        }
    }

    @Test("A change is no read, and one that changes nothing is")
    func unchanged() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            try await orders.set(.accepted, delivery, client)
            #expect(try await Self.rows(orders).isEmpty)
            let repeated = try await orders.send(
                client, .post, "/v1/deliveries/\(delivery)/status", as: .store, "nordhavn",
                StatusBody(status: .accepted))
            #expect(repeated.status == .ok)
            let row = try #require(try await Self.rows(orders).first)
            #expect(row.operation == "setDeliveryStatus" && row.by == "nordhavn" && row.customers == ["mette"])
        }
    }

    @Test("A proof and a customer's word are no reads, and those that change nothing are")
    func unchangedAtDoor() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            body.requires = [.age, .barcode, .photo, .pin]
            body.deliveries[0].barcode = "NH-1042-1"
            let delivery = try await orders.place(client, body).deliveries[0].id
            try await orders.set([.accepted, .picking, .staged], delivery, client)
            try await orders.assign("mira", delivery, client)
            try await orders.set([.pickedUp, .enRoute, .atDoor], delivery, client)
            let path = "/v1/deliveries/\(delivery)"
            let token = try await orders.token(.store, "nordhavn")
            func give(_ proof: GiveProofBody) async throws {
                let given = try await orders.send(client, .post, "\(path)/proofs", as: .store, "nordhavn", proof)
                #expect(given.status == .ok, "\(String(buffer: given.body))")
            }
            func givePhoto() async throws {
                let given = try await client.execute(
                    uri: "\(path)/proofs/photo", method: .put,
                    headers: [.contentType: "application/octet-stream", .authorization: "Bearer \(token)"],
                    body: ByteBuffer(bytes: SampleImage.jpeg()))
                #expect(given.status == .ok, "\(String(buffer: given.body))")
            }
            func giveWord() async throws {
                let given = try await orders.send(
                    client, .put, "\(path)/feedback", as: .store, "nordhavn",
                    GiveFeedbackBody(kind: .allRight, items: nil))
                #expect(given.status == .ok, "\(String(buffer: given.body))")
            }
            func reads() async throws -> [String: Int] {
                let rows = try await Self.rows(orders)
                #expect(rows.allSatisfy { $0.by == "nordhavn" && $0.customers == ["mette"] })
                return Dictionary(rows.map { ($0.operation, $0.reads) }) { $0 + $1 }
            }
            let seen: DeliveryBody = try await orders.send(client, .get, path, as: .customer, "mette").decode()
            try await give(GiveProofBody(age: .passed))
            try await give(GiveProofBody(barcode: "NH-1042-1"))
            try await give(GiveProofBody(pin: seen.pin))
            try await givePhoto()
            #expect(try await reads() == [:])
            try await give(GiveProofBody(age: .passed))
            try await give(GiveProofBody(barcode: "another"))
            try await give(GiveProofBody(pin: "0000"))
            try await givePhoto()
            #expect(try await reads() == ["giveProof": 3, "giveImage": 1])
            try await orders.set(.delivered, delivery, client)
            try await giveWord()
            #expect(try await reads() == ["giveProof": 3, "giveImage": 1])
            try await giveWord()
            #expect(try await reads() == ["giveProof": 3, "giveImage": 1, "giveFeedback": 1])
        }
    }

    @Test("A read that cannot be recorded is refused to an operator, and answered to a store")
    func unwritable() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            try await orders.pool.execute("ALTER TABLE personal_reads RENAME TO hidden")
            let path = "/v1/deliveries/\(delivery)"
            let refused = try await orders.send(client, .get, path, as: .operator, "ada")
            #expect(refused.status == .serviceUnavailable)
            #expect(try refused.problem().type == "https://doorstep.dev/problems/unrecorded")
            #expect(try await orders.send(client, .get, path, as: .store, "nordhavn").status == .ok)
            // No change waits for the log.
            try await orders.set(.accepted, delivery, client)
            try await orders.pool.execute("ALTER TABLE hidden RENAME TO personal_reads")
            #expect(try await orders.send(client, .get, path, as: .operator, "ada").status == .ok)
            // The store's read was left to the next flush; the refused one was none.
            let rows = try await Self.rows(orders)
            #expect(rows.map(\.by).sorted() == ["ada", "nordhavn"] && rows.allSatisfy { $0.reads == 1 })
        }
    }

    @Test("A supervisor reads the log by person and reader, and reading it is recorded")
    func list() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            for reader in ["ada", "bo"] {
                _ = try await orders.send(client, .get, "/v1/deliveries/\(delivery)", as: .operator, reader)
            }
            let bo: PersonalReadsBody = try await orders.send(
                client, .get, "/v1/personal-reads?customer=mette&by=bo", as: .operator, "ida"
            ).decode()
            #expect(bo.reads.map(\.by) == ["bo"] && bo.next == nil)
            let ida: PersonalReadsBody = try await orders.send(
                client, .get, "/v1/personal-reads?by=ida", as: .operator, "ada"
            ).decode()
            #expect(ida.reads.map(\.operation) == ["listPersonalReads"])
            let faulty = ["customer=%20", "delivery=a%2Fb", "from=yesterday", "cursor=1", "who=ada"]
            for query in faulty {
                let answer = try await orders.send(client, .get, "/v1/personal-reads?\(query)", as: .operator, "ida")
                #expect(answer.status == .badRequest, "\(query)")
            }
        }
    }
}
