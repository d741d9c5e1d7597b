import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite("Correcting a placed order", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct CorrectDeliveryTests {
    private static let formerStreet = "Markergade 40"
    private static let elsewhere = Coordinate(clampingLatitude: 55.6761, longitude: 12.5683)
    private static let moved = DropOffBody(
        door: elsewhere,
        address: .init(street: .text("Strandgade 2"), floor: .removed, doorCode: .text("kode-4712")),
        note: .text("by the lift"), reason: "the customer called")

    private func place(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol, corrections: CorrectionLimits? = nil
    ) async throws -> DeliveryBody {
        var body = try orders.body()
        let store = body.store
        body.store = Store(
            id: store.id, name: store.name, location: store.location, timeZone: store.timeZone,
            currency: store.currency, tracksCouriers: store.tracksCouriers, corrections: corrections)
        body.recipient = Recipient(name: "Mette Holm", phone: "+45 20 12 34 56")
        body.address = Address(
            street: Self.formerStreet, floor: "3. tv", postalCode: "2200", city: "København N", doorCode: "kode-4711")
        return try await orders.place(client, body).deliveries[0]
    }

    private func send(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol, _ delivery: DeliveryID, _ part: String,
        _ body: some Encodable, as role: Role = .store, version: String? = nil
    ) async throws -> TestResponse {
        try await orders.send(
            client, .patch, "/v1/deliveries/\(delivery)/\(part)", as: role, role == .store ? "nordhavn" : "ada", body,
            version.map { ["If-Match": $0] } ?? [:])
    }

    @Test(
        "The delivery has the new values, at its next version; its courier reads them and what was corrected",
        arguments: StoredForm.allCases)
    func corrects(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let placed = try await place(orders, client)
            try await orders.assign("jonas", placed.id, client)
            let response = try await send(orders, client, placed.id, "drop-off", Self.moved)
            #expect(response.status == .ok && response.headers[.eTag] == "\"v3\"")
            let renamed = try await send(
                orders, client, placed.id, "recipient", RecipientBody(name: .text("Ole Holm"), phone: .removed))
            #expect(renamed.status == .ok)
            let seen: DeliveryBody = try await orders.send(
                client, .get, "/v1/deliveries/\(placed.id)", as: .courier, "jonas"
            ).decode()
            #expect(seen.door == Self.elsewhere && seen.note == "by the lift" && seen.version == 4)
            #expect(
                seen.address
                    == Address(street: "Strandgade 2", postalCode: "2200", city: "København N", doorCode: "kode-4712"))
            #expect(seen.recipient == Recipient(name: "Ole Holm"))
            #expect(
                seen.correction?.fields == [
                    .door, .doorCode, .floor, .note, .recipientName, .recipientPhone, .street,
                ])
            let again = try await send(orders, client, placed.id, "drop-off", Self.moved)
            #expect(again.status == .ok && again.headers[.eTag] == "\"v4\"", "it is so already")
        }
    }

    @Test(
        "The timeline, the messages and the log name the fields and have neither the former values nor the new ones",
        arguments: StoredForm.allCases)
    func personalData(form: StoredForm) async throws {
        let log = LogLines()
        try await OrdersUnderTest.run(personalData: try form.box, logger: log.logger) { orders, client in
            let placed = try await place(orders, client)
            _ = try await send(orders, client, placed.id, "drop-off", Self.moved)
            let timeline: TimelineBody = try await orders.send(
                client, .get, "/v1/deliveries/\(placed.id)/timeline", as: .store, "nordhavn"
            ).decode()
            let entry = try #require(timeline.entries.last)
            #expect(entry.kind == "correction" && entry.reason == "the customer called" && entry.version == 2)
            #expect(entry.what == "corrected: door, door code, floor, note, street")
            let snapshot = try #require(try await orders.snapshots(of: placed.id).last).message
            #expect(snapshot.cause == "correction" && snapshot.delivery.door == Self.elsewhere)
            let event = try WireJSON.encode(WebhookEventBody.Content(snapshot.delivery))
            #expect(String(decoding: event, as: UTF8.self).contains(#""fields":["door","door_code""#))
            var texts = try await orders.outbox().map { String(decoding: $0.payload, as: UTF8.self) }
            texts += try await orders.pool.query(
                "SELECT what || coalesce(reversal::text, '') AS text FROM timeline"
            ).map { try $0.decode("text", as: String.self) }
            texts += log.all + [String(decoding: event, as: UTF8.self)]
            for text in texts {
                for value in [Self.formerStreet, "Strandgade", "kode-4711", "kode-4712", "by the lift"] {
                    #expect(!text.contains(value), "\(value)")
                }
            }
            let reversals = try await orders.pool.query("SELECT reversal::text AS text FROM timeline WHERE version = 2")
            #expect(try !reversals[0].decode("text", as: String.self).contains("latitude"))
        }
    }

    @Test("An operator names the version that they saw; a preview changes nothing", arguments: StoredForm.allCases)
    func versions(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let placed = try await place(orders, client)
            for part in ["drop-off", "recipient"] {
                let blind = try await send(orders, client, placed.id, part, RecipientBody(), as: .operator)
                #expect(blind.status == .preconditionRequired)
            }
            let preview: PreviewBody = try await send(
                orders, client, placed.id, "drop-off?preview=true", Self.moved, as: .operator, version: "\"v1\""
            ).decode()
            #expect(preview.changes && preview.delivery.address?.street == "Strandgade 2")
            let before = try #require(
                try await OrderRepository.delivery(
                    placed.id, opening: OrdersUnderTest.personalData, on: orders.pool))
            #expect(before.delivery.version == 1 && before.dropOff?.address?.street == Self.formerStreet)
            let good = try await send(
                orders, client, placed.id, "drop-off", Self.moved, as: .operator, version: "\"v1\"")
            #expect(good.status == .ok)
            let stale = try await send(
                orders, client, placed.id, "drop-off", Self.moved, as: .operator, version: "\"v1\"")
            #expect(stale.status == .preconditionFailed)
        }
    }

    @Test("What cannot be is refused by its place, and leaves everything as it is", arguments: StoredForm.allCases)
    func refusals(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let placed = try await place(orders, client)
            func refused(_ part: String, _ body: some Encodable) async throws -> [String] {
                let problem = try await send(orders, client, placed.id, part, body).problem()
                return [problem.type.split(separator: "/").last.map(String.init) ?? ""]
                    + (problem.errors ?? []).map(\.path).sorted()
            }
            let far = try await refused(
                "drop-off", DropOffBody(door: Coordinate(clampingLatitude: 48.1, longitude: 11.6)))
            #expect(far == ["malformed", "door"])
            let unplaced = try await refused("drop-off", DropOffBody(address: .init(city: .text("Valby"))))
            #expect(unplaced == ["door-missing", "door"])
            let streetless = try await refused(
                "drop-off", DropOffBody(door: Self.elsewhere, address: .init(street: .removed)))
            #expect(streetless == ["incomplete-drop-off", "address.street"])
            let nameless = try await refused("recipient", RecipientBody(name: .removed))
            #expect(nameless == ["incomplete-drop-off", "name"])
            let long = try await refused(
                "drop-off",
                DropOffBody(address: .init(floor: .text(String(repeating: "x", count: 41))), note: .text("")))
            #expect(long == ["malformed", "address.floor", "note"])
            #expect(try await refused("recipient", ["names": "Ole"]) == ["malformed", "names"])
            let kept = try #require(
                try await OrderRepository.delivery(
                    placed.id, opening: OrdersUnderTest.personalData, on: orders.pool))
            #expect(kept.delivery.version == 1 && kept.dropOff?.address?.street == Self.formerStreet)
        }
    }

    @Test("From the store's limit on it is too late, and so is it after the end", arguments: StoredForm.allCases)
    func limits(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let placed = try await place(
                orders, client, corrections: CorrectionLimits(dropOffUntil: .picking, recipientUntil: .delivered))
            try await orders.set(.accepted, placed.id, client)
            #expect(try await send(orders, client, placed.id, "drop-off", DropOffBody(note: .text("1"))).status == .ok)
            try await orders.set(.picking, placed.id, client)
            let late = try await send(orders, client, placed.id, "drop-off", DropOffBody(note: .text("2")))
            #expect(late.status == .conflict)
            #expect(try late.problem().type.hasSuffix("/too-late"))
            let rename = RecipientBody(name: .text("Ole"))
            #expect(try await send(orders, client, placed.id, "recipient", rename).status == .ok)
            try await orders.set(.cancelled, placed.id, client)
            let over = try await send(orders, client, placed.id, "recipient", RecipientBody(name: .text("Ida")))
            #expect(over.status == .conflict)
            var body = try orders.body(reference: "G-2")
            body.store = Store(
                id: body.store.id, name: body.store.name, location: body.store.location, timeZone: body.store.timeZone,
                corrections: CorrectionLimits(itemsUntil: .assigned))
            let wrong = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": "limit"])
            #expect(try wrong.problem().errors?.map(\.path) == ["store.corrections.itemsUntil"])
        }
    }

    @Test(
        "With another door the estimate of the former one goes, and none of an earlier version comes back",
        arguments: StoredForm.allCases)
    func estimate(form: StoredForm) async throws {
        try await OrdersUnderTest.run(personalData: try form.box) { orders, client in
            let placed = try await place(orders, client)
            try await orders.assign("jonas", placed.id, client)
            func estimated(_ version: Int, _ step: Int) throws -> EstimateChanged {
                let at = orders.clock.now
                return EstimateChanged(
                    delivery: placed.id, version: version, step: step,
                    estimate: Estimate(arrivesAt: at + 600, earliest: at + 500, latest: at + 700, madeAt: at),
                    courier: try #require(CourierID(rawValue: "jonas")), lastFixAt: at)
            }
            func known() async throws -> Estimate? {
                try await OrderRepository.delivery(placed.id, on: orders.pool)?.estimate
            }
            try await UpdateBoard(pool: orders.pool)([try estimated(2, 1)])
            #expect(try await known() != nil)
            _ = try await send(orders, client, placed.id, "drop-off", DropOffBody(note: .text("by the lift")))
            #expect(try await known() != nil, "the door is where it was")
            _ = try await send(orders, client, placed.id, "drop-off", Self.moved)
            #expect(try await known() == nil)
            try await UpdateBoard(pool: orders.pool)([try estimated(3, 9)])
            #expect(try await known() == nil, "it is of the former door")
            try await UpdateBoard(pool: orders.pool)([try estimated(4, 1)])
            #expect(try await known() != nil)
        }
    }

    @Test("Further items are in the basket, and a basket has at most 200")
    func items() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await place(orders, client)
            func add(_ ids: [String], _ quantity: Int = 1) async throws -> TestResponse {
                let lines = try ids.map {
                    PlaceOrderBody.Line(
                        id: try #require(ItemID(rawValue: $0)), name: $0.capitalized, quantity: quantity)
                }
                return try await orders.send(
                    client, .post, "/v1/deliveries/\(placed.id)/items", as: .store, "nordhavn",
                    AddItemsBody(items: lines, reason: "the customer called"))
            }
            let added: DeliveryBody = try await add(["butter"]).decode()
            #expect(added.items.map(\.id.rawValue) == ["milk", "butter"] && added.correction?.fields == [.items])
            #expect(try await add(["butter"], 2).problem().type.hasSuffix("/item-exists"))
            let many = try await add((1...199).map { "item-\($0)" })
            #expect(try many.problem().type.hasSuffix("/too-many-items"))
            // Of a repeat only what is not there counts.
            for _ in 1...2 { #expect(try await add(["butter"] + (1...197).map { "item-\($0)" }).status == .ok) }
            try await orders.set([.accepted, .picking, .staged], placed.id, client)
            #expect(try await add(["bread"]).problem().type.hasSuffix("/too-late"))
        }
    }

    @Test("Further items require what their class does, and the first that requires a PIN gets the customer one")
    func itemsOfClass() async throws {
        let rules = try #require(ProofRules("*/alcohol=age+pin"))
        try await OrdersUnderTest.run(proofRules: rules) { orders, client in
            let placed = try await place(orders, client)
            #expect(placed.proofs == nil)
            let wine = PlaceOrderBody.Line(id: try #require(ItemID(rawValue: "wine")), name: "Wine", class: "alcohol")
            func read() async throws -> DeliveryBody {
                try await orders.send(client, .get, "/v1/deliveries/\(placed.id)", as: .customer, "mette").decode()
            }
            #expect(try await read().pin == nil)
            let added: DeliveryBody = try await orders.send(
                client, .post, "/v1/deliveries/\(placed.id)/items", as: .store, "nordhavn", AddItemsBody(items: [wine])
            ).decode()
            #expect(added.proofs?.map(\.kind) == [.age, .pin] && added.items.last?.requires == [.age, .pin])
            #expect(try await read().pin != nil)
        }
    }

    @Test("Where the goods are left at the door no item is added that a person there has to prove for")
    func itemsLeftAtDoor() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            body.handoff = Handoff(method: .leaveAtDoor, verification: .none)
            let placed = try await orders.place(client, body).deliveries[0]
            let wine = PlaceOrderBody.Line(
                id: try #require(ItemID(rawValue: "wine")), name: "Wine", requires: [.age])
            let refused = try await orders.send(
                client, .post, "/v1/deliveries/\(placed.id)/items", as: .store, "nordhavn", AddItemsBody(items: [wine]))
            #expect(refused.status == .conflict)
            #expect(try refused.problem().type.hasSuffix("/cannot-leave-at-door"))
        }
    }

    @Test("A provider's corrected delivery needs an operator, until one has informed the provider")
    func provider() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await place(orders, client)
            let report = ProviderReport(
                source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: "1", kind: "pickup",
                status: .assigned, occurredAt: orders.clock.now, receivedAt: orders.clock.now)
            for outcome in await orders.change([.report(report, of: placed.id)]) { _ = try outcome.get() }
            func listed() async throws -> [BoardBody.Row] {
                let board: BoardBody = try await orders.send(
                    client, .get, "/v1/deliveries", as: .operator, "ada"
                ).decode()
                return board.deliveries
            }
            #expect(try await listed().map(\.need) == [nil])
            _ = try await send(orders, client, placed.id, "drop-off", Self.moved)
            #expect(try await listed().map(\.need) == [.correction])
            #expect(try await listed()[0].correctionsDue == [.provider])
            let settled = try await orders.send(
                client, .post, "/v1/deliveries/\(placed.id)/correction-due", as: .operator, "ada",
                SettleCorrectionBody(settled: .provider, reason: "changed in the portal"))
            #expect(settled.status == .ok)
            #expect(try await listed().map(\.need) == [nil])
        }
    }
}
