import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import InterfaceTexts
import LiveActivity
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("A store's face on pages and cards", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct FacePageTests {
    private static let face = PutFaceBody(
        name: "Nordhavn <Market>", colours: .init(light: "#0a6b70", dark: "#5fd0d6"),
        contact: StoreContact(phone: "+4533999999", email: "help@nordhavn.example"),
        words: ["en": ["page.items": "Packed by us"], "fi": ["page.footer": "Sivu päivittyy itse."]])

    private func setFace(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol, _ body: PutFaceBody = face, hasLogo: Bool = true
    ) async throws {
        let path = "/v1/stores/nordhavn/face"
        #expect(try await orders.send(client, .put, path, as: .store, "nordhavn", body).status == .ok)
        guard hasLogo else { return }
        let logo = try await client.execute(
            uri: "\(path)/logo", method: .put,
            headers: [
                .contentType: "image/png", .authorization: "Bearer \(try await orders.token(.store, "nordhavn"))",
            ], body: ByteBuffer(bytes: SampleImage.png()))
        #expect(logo.status == .ok)
    }

    /// The path of the page of a new delivery, whose order has a recipient, an address and a note.
    private func newPage(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol, contact: StoreContact? = nil
    ) async throws -> (path: String, delivery: DeliveryBody) {
        var body = try orders.body(reference: "G-\(UUID().uuidString.prefix(8))", contact: contact)
        body.recipient = Recipient(name: "Mette Holm", phone: "+4520123456")
        body.address = Address(street: "Kajen 7")
        body.note = "by the lift"
        let placed = try await orders.place(client, body).deliveries[0]
        return (try await orders.viewLink(of: placed.id, client), placed)
    }

    private func html(
        _ path: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol, language: String = "en"
    ) async throws -> (html: String, headers: HTTPFields) {
        let answer = try await orders.page(client, path, language: language)
        return (String(buffer: answer.body), answer.headers)
    }

    @Test("A page has the store's name, logo, colours, contact and words, under the same policy as without")
    func page() async throws {
        try await OrdersUnderTest.run { orders, client in
            let contact = StoreContact(phone: "+4533111111", url: "https://nordhavn.example/chat")
            let (path, _) = try await newPage(orders, client, contact: contact)
            let before = try await html(path, orders, client)
            #expect(!before.html.contains("/faces/") && !before.html.contains("class=\"shop\""))
            try await setFace(orders, client)
            let (page, headers) = try await html(path, orders, client)
            let hash = try ProofImage(SampleImage.png()).hash
            let name = "Nordhavn &lt;Market&gt;"
            #expect(page.contains(#"<img src="/faces/nordhavn/\#(hash).png" width="64" height="48" alt="">"#))
            #expect(page.contains("<p class=\"name\"><bdi>\(name)</bdi></p>"))
            #expect(page.contains("<bdi class=\"store\">\(name)</bdi>"))
            let style = #"<link rel="stylesheet" href="/faces/nordhavn/0a6b70-5fd0d6.css">"#
            let place = try #require(page.range(of: style))
            #expect(place.lowerBound > (try #require(page.range(of: "/assets/pages.")).lowerBound))
            #expect(page.contains("href=\"tel:+4533999999\"") && !page.contains("4533111111"))
            #expect(page.contains("href=\"mailto:help@nordhavn.example\""))
            #expect(page.contains("href=\"https://nordhavn.example/chat\""))
            #expect(page.contains("Packed by us") && !page.contains("Your items"))
            #expect(headers[.contentSecurityPolicy] == before.headers[.contentSecurityPolicy])
            #expect(!page.contains("style=") && !page.contains("<style"))
            let finnish = try await html(path, orders, client, language: "fi").html
            #expect(finnish.contains("<html lang=\"fi\"") && finnish.contains("Sivu päivittyy itse."))
        }
    }

    @Test("A store's own words come before those of the folder, which come before those that are compiled in")
    func words() async throws {
        let texts = try InstallationTexts(files: [
            "en.json": Data(#"{"page.items": "From the folder", "page.about": "The folder's"}"#.utf8),
            "stores/nordhavn/en.json": Data(#"{"page.footer": "From the store's folder"}"#.utf8),
        ])
        try await OrdersUnderTest.run(texts: texts) { orders, client in
            let (path, _) = try await newPage(orders, client)
            try await setFace(orders, client, hasLogo: false)
            let page = try await html(path, orders, client).html
            for text in ["Packed by us", "The folder&#39;s", "From the store&#39;s folder"] {
                #expect(page.contains(text), "\(text)")
            }
            #expect(!page.contains("From the folder"))
        }
    }

    @Test("A link's preview has the store's name and logo, and nothing of the delivery, its people or its times")
    func preview() async throws {
        try await OrdersUnderTest.run { orders, client in
            let (path, delivery) = try await newPage(orders, client)
            let usual = Self.meta(try await html(path, orders, client).html)
            #expect(usual["og:title"] == "Your groceries, live to the door" && usual["og:site_name"] == nil)
            #expect(usual["twitter:card"] == "summary_large_image" && usual["og:image:width"] == "1200")
            try await setFace(orders, client)
            try await orders.assign("jonas", delivery.id, client)
            let own = Self.meta(try await html(path, orders, client).html)
            let hash = try ProofImage(SampleImage.png()).hash
            #expect(
                own == [
                    "og:type": "website", "og:title": "A delivery from Nordhavn &lt;Market&gt;",
                    "og:site_name": "Nordhavn &lt;Market&gt;",
                    "og:image": "\(OrdersUnderTest.origin)/faces/nordhavn/\(hash).png", "og:image:width": "64",
                    "og:image:height": "48", "twitter:card": "summary",
                ])
            let danish = Self.meta(try await html(path, orders, client, language: "da").html)
            #expect(danish["og:title"] == "En levering fra Nordhavn &lt;Market&gt;")
        }
    }

    @Test("A preview's request of a page that would press changes nothing")
    func safe() async throws {
        try await OrdersUnderTest.run { orders, client in
            let (_, delivery) = try await newPage(orders, client)
            try await setFace(orders, client)
            let seen: DeliveryBody = try await orders.send(
                client, .get, "/v1/deliveries/\(delivery.id)", as: .customer, "mette"
            ).decode()
            #expect(seen.links.contains { $0.verb == "cancel" })
            for link in seen.links {
                let page = try await html(OrdersUnderTest.path(of: link.url), orders, client).html
                #expect(Self.meta(page)["og:title"] == "A delivery from Nordhavn &lt;Market&gt;")
            }
            let after: DeliveryBody = try await orders.send(
                client, .get, "/v1/deliveries/\(delivery.id)", as: .customer, "mette"
            ).decode()
            #expect(after.version == seen.version)
        }
    }

    @Test("A card has the name and the colours of the time of its order; a page and a link's answer have those of now")
    func cards() async throws {
        try await OrdersUnderTest.run { orders, client in
            let (_, plain) = try await newPage(orders, client)
            try await setFace(orders, client, hasLogo: false)
            var body = try orders.body(reference: "G-2000")
            body.customer = OrdersUnderTest.customer
            let placed = try await orders.place(client, body)
            let (path, _) = try await newPage(orders, client)
            let delivery = placed.deliveries[0].id
            let steps = try await orders.intents().filter { $0.activity.rawValue.hasPrefix(delivery.rawValue) }.map(
                \.step)
            let attributes = try #require(steps.last).attributes
            #expect(attributes.store == "Nordhavn <Market>")
            #expect(attributes.shop == .init(light: "#0a6b70", dark: "#5fd0d6"))
            let former = try await orders.intents().filter { $0.activity.rawValue.hasPrefix(plain.id.rawValue) }.map(
                \.step)
            #expect(try #require(former.last).attributes.shop == nil)
            // What the shop has sent about its store is as it was.
            #expect(placed.store.name != attributes.store)
            let message = try #require(try await orders.snapshots(of: delivery).last?.message)
            #expect(message.delivery.brand?.name == attributes.store && message.delivery.store == placed.store)
            try await setFace(orders, client, PutFaceBody(name: "Havnen"), hasLogo: false)
            let json: LinkBody = try await orders.send(client, .get, path, as: nil).decode()
            #expect(json.attributes.store == "Havnen" && json.attributes.shop == nil)
            #expect(try await html(path, orders, client).html.contains("<bdi class=\"store\">Havnen</bdi>"))
            let later = try await orders.intents().filter { $0.activity.rawValue.hasPrefix(delivery.rawValue) }.map(
                \.step)
            #expect(try #require(later.last).attributes == attributes)
        }
    }

    @Test("A link that is pressed before any page was read answers with the store's face")
    func press() async throws {
        try await OrdersUnderTest.run { orders, client in
            let (_, delivery) = try await newPage(orders, client)
            try await setFace(orders, client, hasLogo: false)
            let link = try await orders.link("cancel", of: delivery.id, client)
            let pressed: LinkBody = try await orders.send(client, .post, link, as: .customer, "mette").decode()
            #expect(pressed.attributes.store == "Nordhavn <Market>")
        }
    }

    @Test("A courier's page has the face of the day's only store, and of several stores none")
    func courier() async throws {
        try await OrdersUnderTest.run { orders, client in
            try await setFace(orders, client)
            let placed = try await orders.place(client, try orders.body()).deliveries[0].id
            try await orders.assign("jonas", placed, client)
            let path = try await orders.courierLink(of: "jonas", client)
            let page = try await html(path, orders, client).html
            #expect(page.contains("/faces/nordhavn/0a6b70-5fd0d6.css") && page.contains("<header class=\"shop\">"))
            #expect(page.contains("tel:+4533999999") && page.contains("Nordhavn &lt;Market&gt;"))
            var other = try orders.body(reference: "V-1")
            let valby = try #require(StoreID(rawValue: "valby"))
            other.store = Store(
                id: valby, name: "Valby", location: other.store.location, timeZone: other.store.timeZone)
            try await orders.assign("jonas", try await orders.place(client, other).deliveries[0].id, client)
            #expect(try await !html(path, orders, client).html.contains("/faces/"))
        }
    }

    @Test("A courier's page is sent again once its store's face has another number, and not before")
    func courierAgain() async throws {
        try await OrdersUnderTest.run { orders, client in
            try await setFace(orders, client, hasLogo: false)
            try await orders.assign("jonas", try await orders.place(client, try orders.body()).deliveries[0].id, client)
            let path = try await orders.courierLink(of: "jonas", client)
            let page = try await html(path, orders, client).html
            let shown = try #require(page.components(separatedBy: "?shown=").last).prefix { $0 != "\"" }
            func again() async throws -> TestResponse {
                try await orders.page(client, "\(path)?shown=\(shown)")
            }
            #expect(try await again().status == .noContent)
            var face = Self.face
            face.contact = StoreContact(phone: "+4533888888")
            try await setFace(orders, client, face, hasLogo: false)
            let changed = try await again()
            #expect(changed.status == .ok && String(buffer: changed.body).contains("tel:+4533888888"))
        }
    }

    @Test("A page reads a face once for each of its versions, which are read once for all stores in two seconds")
    func cached() async throws {
        try await OrdersUnderTest.run { orders, client in
            let store = try #require(StoreID(rawValue: "nordhavn"))
            let faces = StoreFaces(pool: orders.pool, texts: .builtIn, ageMax: .seconds(600))
            #expect(try await faces(store).face == nil)
            try await setFace(orders, client, hasLogo: false)
            #expect(try await faces(store).face == nil)
            let later = StoreFaces(pool: orders.pool, texts: .builtIn, ageMax: .zero)
            #expect(try await later(store).face?.version == 1)
            // The same version is not read again, whatever the row has.
            try await orders.pool.execute("UPDATE store_faces SET face = jsonb_set(face, '{name}', '\"Other\"')")
            #expect(try await later(store).face?.name == Self.face.name)
            try await setFace(orders, client, PutFaceBody(name: "Third"), hasLogo: false)
            #expect(try await later(store).face?.name == "Third")
            #expect(later.known(store)?.face?.name == "Third")
        }
    }

    /// The preview's properties.
    private static func meta(_ html: String) -> [String: String] {
        html.matches(of: /<meta (?:property|name)="((?:og|twitter):[^"]*)" content="([^"]*)">/).reduce(into: [:]) {
            $0[String($1.1)] = String($1.2)
        }
    }
}
