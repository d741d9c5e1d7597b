import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import NatsClient
import OpenAPITesting
import OrderDomain
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import WebPages

@testable import Orders

@Suite("Operations of orders", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct EveryOperationTests {
    @Test("Every operation of the OpenAPI document succeeds, with the body that the document describes")
    func succeeds() async throws {
        let visibility = try #require(ImageVisibility("*"))
        try await OrdersUnderTest.run(imageVisibility: visibility, mapImages: try OrdersUnderTest.mapImages) {
            orders, client in
            let documented = try #require(client as? DocumentedClient)
            try await Self.probes(orders, client)
            let delivery = try await Self.deliver(orders, client)
            try await Self.prove(orders, client)
            try await Self.useFace(orders, client)
            try await Self.administer(orders, client)
            _ = try await orders.send(
                client, .post, "/v1/tokens", as: .store, "nordhavn",
                IssueTokenBody(customer: try #require(delivery.customer), lifetimeSeconds: 60))
            let ids = Set(try OpenAPIDocument(yaml: PackageResources.openapi_yaml).operations.map(\.id))
            #expect(ids.subtracting(documented.succeeded) == [])
        }
    }

    private static func probes(_ orders: OrdersUnderTest, _ client: any TestClientProtocol) async throws {
        for path in ["/health/live", "/health/ready", "/metrics", "/openapi.yaml", "/assets/tiles/0/0/0"] {
            _ = try await orders.send(client, .get, path, as: nil)
        }
    }

    private static func deliver(_ orders: OrdersUnderTest, _ client: any TestClientProtocol) async throws
        -> DeliveryBody
    {
        let order = try await orders.place(
            client, try orders.body(corrections: CorrectionLimits(byCustomer: [.note])))
        let delivery = try #require(order.deliveries.first)
        let path = "/v1/deliveries/\(delivery.id)"
        try await orders.set(.accepted, delivery.id, client)
        try await orders.set(.picking, delivery.id, client)
        try await orders.assign("jonas", delivery.id, client)
        func change(_ method: HTTPRequest.Method, _ part: String, _ body: some Encodable) async throws {
            _ = try await orders.send(
                client, method, "\(path)/\(part)", as: .operator, "ada", body, ["If-Match": "*"])
        }
        try await change(.post, "items", AddItemsBody.example)
        try await change(.patch, "drop-off", DropOffBody.example)
        try await change(.patch, "recipient", RecipientBody.example)
        try await change(.post, "correction-due", SettleCorrectionBody.example)
        try await change(
            .patch, "items/milk",
            ItemBody(status: .substituteProposed, substitute: .init(name: "Oat milk", quantity: 2), answerSeconds: 60))
        try await change(.put, "trip", TripBody(stopsBefore: 2))
        try await change(.put, "hold", HoldBody(reason: "the address is being checked"))
        try await change(.delete, "hold", HoldBody(reason: "it is right"))
        try await change(
            .put, "promise",
            PromiseBody(start: OrdersUnderTest.start + 7_200, end: OrdersUnderTest.start + 10_800, reason: "asked for"))
        let link = try await orders.viewLink(of: delivery.id, client)
        _ = try await orders.send(client, .get, link, as: nil)
        // A stream's body has no end.
        _ = try await orders.send(client, .head, "\(link)/events", as: nil)
        let proof = try await orders.post(client, "\(link)/proof", "reference=\(order.reference)")
        let cookie = try #require(proof.headers[.setCookie])
        _ = try await orders.post(
            client, "\(link)/drop-off", "part=note&note=by+the+lift", cookie: String(cookie.prefix { $0 != ";" }))
        try await Self.useAlerts(of: link, cookie: cookie, orders, client)
        try await Self.useCourierPage(of: order.deliveries[0].id, orders, client)
        for asset in PageAsset.all { _ = try await client.execute(uri: asset.path, method: .get) }
        _ = try await orders.send(client, .delete, "\(path)/view-link", as: .store, "nordhavn")
        #expect(try await orders.send(client, .get, link, as: nil).status == .gone)
        for role in [Role.customer, .store, .operator] {
            let subject = role == .customer ? "mette" : "nordhavn"
            for uri in ["/v1/orders", "/v1/orders/\(order.id)", path, "\(path)/timeline", "/v1/deliveries"] {
                _ = try await orders.send(client, .get, uri, as: role, subject)
            }
        }
        for uri in ["/v1/timeline", "/v1/report"] { _ = try await orders.send(client, .get, uri, as: .operator, "ada") }
        _ = try await orders.send(client, .get, "/v1/contacts?ids=\(delivery.id)", as: .operator, "ada")
        let seen: DeliveryBody = try await orders.send(client, .get, path, as: .customer, "mette").decode()
        let pressed = seen.links.filter { $0.verb == "details" || $0.verb == "approve-substitution" }
        #expect(pressed.count == 2)
        for link in pressed.map({ OrdersUnderTest.path(of: $0.url) }) {
            for type in ["application/json", "text/html"] {
                _ = try await orders.send(client, .get, link, as: nil, "", NoBody?.none, ["Accept": type])
            }
            _ = try await orders.send(client, .post, link, as: .customer, "mette")
        }
        try await orders.set([.pickedUp, .delivered], delivery.id, client)
        _ = try await orders.send(
            client, .put, "\(path)/feedback", as: .customer, "mette",
            GiveFeedbackBody(kind: .missing, items: [try #require(delivery.items.first).id]))
        let details = OrdersUnderTest.path(of: try #require(pressed.first).url)
        _ = try await orders.post(
            client, "\(details)/feedback", "feedback=all_right&reference=\(order.reference)")
        return delivery
    }

    private static func prove(_ orders: OrdersUnderTest, _ client: any TestClientProtocol) async throws {
        var body = try orders.body(reference: "G-2000")
        body.requires = [.pin, .age, .photo]
        let delivery = try await orders.place(client, body).deliveries[0].id
        try await orders.set([.accepted, .picking], delivery, client)
        try await orders.assign("jonas", delivery, client)
        try await orders.set(.pickedUp, delivery, client)
        let path = "/v1/deliveries/\(delivery)"
        let checked = try await orders.send(
            client, .post, "\(path)/proofs", as: .courier, "jonas", GiveProofBody(age: .passed))
        #expect(checked.status == .ok)
        let photo = ByteBuffer(bytes: SampleImage.jpeg())
        let taken = try await client.execute(
            uri: "\(path)/proofs/photo", method: .put,
            headers: [
                .contentType: "image/jpeg", .authorization: "Bearer \(try await orders.token(.courier, "jonas"))",
            ], body: photo)
        #expect(taken.status == .ok)
        let image = try ProofImage(SampleImage.jpeg()).hash
        _ = try await orders.send(client, .get, "\(path)/images/\(image)", as: .operator, "ada")
        let link = try await orders.viewLink(of: delivery, client)
        let proof = try await orders.post(client, "\(link)/proof", "reference=G-2000")
        let cookie = String(try #require(proof.headers[.setCookie]).prefix { $0 != ";" })
        let html = try await orders.page(client, link, cookie: cookie)
        #expect(String(buffer: html.body).contains("src=\"\(link)/images/\(image)\""))
        for (cookie, status) in [(cookie, HTTPResponse.Status.ok), ("order-0=none", .notFound)] {
            let shown = try await orders.send(
                client, .get, "\(link)/images/\(image)", as: nil, "", NoBody?.none, ["Cookie": cookie])
            #expect(shown.status == status)
        }
        let seen: DeliveryBody = try await orders.send(client, .get, path, as: .customer, "mette").decode()
        let page = try await orders.courierLink(of: "jonas", client)
        let entered = try await orders.post(
            client, "\(page)/proofs", "delivery=\(delivery)&pin=\(try #require(seen.pin))")
        #expect(entered.status == .noContent)
        let again = try await client.execute(
            uri: "\(page)/proofs/\(delivery)/photo", method: .post, headers: [.contentType: "image/jpeg"], body: photo)
        #expect(again.status == .noContent)
    }

    private static func administer(_ orders: OrdersUnderTest, _ client: any TestClientProtocol) async throws {
        let deadLetters = DeadLetters(pool: orders.pool)
        for sequence in 1...2 as ClosedRange<UInt64> {
            let message = StreamMessage(
                subject: "couriers.estimate-changed.nowhere", payload: Array("{}".utf8), stream: "COURIERS",
                streamSequence: sequence)
            try await deadLetters.record(message, of: "orders", error: "delivery is missing")
        }
        let page: DeadLettersBody =
            try await orders.send(client, .get, "/v1/admin/dead-letters", as: .operator, "ada").decode()
        #expect(page.deadLetters.count == 2)
        let paths = page.deadLetters.map { "/v1/admin/dead-letters/\($0.id)" }
        _ = try await orders.send(client, .get, paths[0], as: .operator, "ada")
        _ = try await orders.send(client, .get, "/v1/personal-reads?by=ada", as: .operator, "ada")
        _ = try await orders.send(client, .post, "\(paths[0])/retry", as: .operator, "ada")
        _ = try await orders.send(
            client, .post, "\(paths[1])/drop", as: .operator, "ada", ReasonBody(reason: "it is of a test"))
        let again = try await orders.send(
            client, .post, "\(paths[1])/drop", as: .operator, "ada", ReasonBody(reason: "it is of a test"))
        #expect(again.status == .conflict)
        _ = try await orders.send(client, .post, "/v1/admin/republish", as: .operator, "ada")
        let erased: PersonRequestBody = try await orders.send(
            client, .post, "/v1/customers/anna/erase", as: .operator, "ada", ErasePersonBody.example
        ).decode()
        let courier: PersonRequestBody = try await orders.send(
            client, .post, "/v1/couriers/anna/erase", as: .operator, "ada", ErasePersonBody.example
        ).decode()
        _ = try await orders.continueErasures(asking: ErasingServicesByTest().client)()
        for id in [erased.id, courier.id] {
            _ = try await orders.send(client, .get, "/v1/person-requests/\(id)", as: .operator, "ada")
        }
        let exported: PersonRequestBody = try await orders.send(
            client, .post, "/v1/customers/mette/export", as: .operator, "ada"
        ).decode()
        let rider: PersonRequestBody = try await orders.send(
            client, .post, "/v1/couriers/jonas/export", as: .operator, "ada"
        ).decode()
        let archive = "/v1/person-requests/\(exported.id)/archive"
        #expect(try await orders.send(client, .get, archive, as: .operator, "ada").status == .conflict)
        _ = try await orders.continueExports(asking: ExportingServicesByTest().client)()
        for format in ["json", "html"] {
            for id in [exported.id, rider.id] {
                let path = "/v1/person-requests/\(id)/archive?format=\(format)"
                #expect(try await orders.send(client, .get, path, as: .operator, "ada").status == .ok)
            }
        }
    }

    private static func useFace(_ orders: OrdersUnderTest, _ client: any TestClientProtocol) async throws {
        let path = "/v1/stores/nordhavn/face"
        for role in [Role.store, .operator] {
            _ = try await orders.send(
                client, .put, path, as: role, "nordhavn", PutFaceBody.example, ["If-Match": "*"])
        }
        let logo = try await client.execute(
            uri: "\(path)/logo", method: .put,
            headers: [
                .contentType: "image/png", .authorization: "Bearer \(try await orders.token(.store, "nordhavn"))",
            ], body: ByteBuffer(bytes: SampleImage.png()))
        let face: FaceBody = try logo.decode()
        let url = try #require(face.logo?.url)
        let logoPath = OrdersUnderTest.path(of: url)
        for file in [logoPath, "/faces/nordhavn/0a6b70-5fd0d6.css"] {
            _ = try await orders.send(client, .get, file, as: nil)
        }
        _ = try await orders.send(client, .get, path, as: .store, "nordhavn")
        _ = try await orders.send(client, .delete, "\(path)/logo", as: .store, "nordhavn")
    }

    private static func useAlerts(
        of link: String, cookie: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws {
        let body = AlertSubscriptionBody(
            endpoint: "https://push.example/abc", keys: .init(p256dh: "BCVx", auth: "BTBZ"))
        #expect(try await orders.send(client, .put, "\(link)/alerts", as: nil, "", body).status == .forbidden)
        let proven = ["Cookie": String(cookie.prefix { $0 != ";" })]
        #expect(try await orders.send(client, .put, "\(link)/alerts", as: nil, "", body, proven).status == .noContent)
    }

    private static func useCourierPage(
        of delivery: DeliveryID, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws {
        let page = try await orders.courierLink(of: "jonas", client)
        _ = try await orders.send(client, .get, page, as: nil)
        let press = UUID()
        for (path, fields) in [
            ("presses", "press=\(press)&delivery=\(delivery)&action=problem%3Avehicle"), ("presses/\(press)/undo", ""),
        ] {
            _ = try await orders.post(client, "\(page)/\(path)", fields)
        }
        _ = try await orders.send(client, .delete, "/v1/couriers/jonas/link", as: .operator, "ada")
    }
}
