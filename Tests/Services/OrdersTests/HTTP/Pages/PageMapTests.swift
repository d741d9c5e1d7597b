import ArrivalEstimate
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
import WebPages

@testable import Orders

@Suite("The map of a customer's page", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PageMapTests {
    /// A delivery that mira brings, and its customer's page.
    private struct Ride {
        let orders: OrdersUnderTest
        let client: any TestClientProtocol
        let delivery: DeliveryID
        let reference: String

        var path: String { path(of: .details(of: delivery, promiseEnd: OrdersUnderTest.start + 3_600)) }
        static let mira = CourierID(rawValue: "mira").unsafelyUnwrapped

        func path(of link: Link) -> String { "/l/\(orders.pressLink.signer.token(of: link))" }

        func html(_ path: String? = nil, cookie: String? = nil) async throws -> String {
            let response = try await orders.page(client, path ?? self.path, cookie: cookie)
            #expect(response.status == .ok)
            return String(buffer: response.body)
        }

        func stream(slot: StreamSlot, lastRevision: PageStream.CardRevision? = nil) -> PageStream {
            PageStream(
                token: String(path.dropFirst(3)), proof: { _ in nil }, words: Words(locale: "en"),
                show: orders.showPage, slot: slot, lastRevision: lastRevision)
        }

        /// A fix of mira's now, so many metres north of the door.
        func fix(north: Double) throws {
            let door = try Delivery.sample().door
            let place = Coordinate(
                clampingLatitude: door.latitude + north / 111_195, longitude: door.longitude + 0.0004)
            orders.places.set(place, of: Self.mira, at: orders.clock.now)
        }

        func change(_ change: DeliveryChange) async throws {
            _ = try await orders.change(delivery, change, by: Principal(.system("test")))
        }
    }

    private func ride(
        customers: String? = "nordhavn", forwarded: String? = nil, bags: Int = 1,
        _ body: @escaping @Sendable (Ride) async throws -> Void
    ) async throws {
        let visibility = try customers.map {
            try #require(CourierVisibility(customers: $0, forwarded: forwarded))
        }
        try await OrdersUnderTest.run(courierVisibility: visibility ?? CourierVisibility()) { orders, client in
            let placed = try await orders.place(
                client, try orders.body(bags: bags, reference: "G-\(UUID().uuidString.prefix(8))"))
            for delivery in placed.deliveries {
                try await orders.assign("mira", delivery.id, client)
                try await orders.set([.accepted, .picking, .pickedUp, .enRoute], delivery.id, client)
            }
            try await body(
                Ride(
                    orders: orders, client: client, delivery: placed.deliveries[0].id, reference: placed.reference))
        }
    }

    private static let door = "data-door=\""
    private static let courier = "data-courier=\""

    @Test("A page says where the courier is, in words and for its script, rounded and with a rounded door")
    func page() async throws {
        try await ride { ride in
            let first = try await ride.html()
            #expect(first.contains("id=\"map-title\">Your courier on the map"))
            #expect(first.contains("not known just now") && !first.contains(Self.courier))
            #expect(first.contains(PageAsset.courierMap.path))
            ride.orders.clock.advance(by: 10)
            try ride.fix(north: 612)
            try await ride.orders.mapUpdates.update()
            let second = try await ride.html()
            #expect(second.contains("About 600 m away<"))
            let exact = try Delivery.sample().door
            let rounded = CourierOnMap.rounded(exact)
            #expect(second.contains("\(Self.door)\(rounded.latitude) \(rounded.longitude)\""))
            #expect(!second.contains("\(exact.latitude) \(exact.longitude)"))
            ride.orders.clock.advance(by: 10)
            try ride.fix(north: 410)
            try await ride.orders.mapUpdates.update()
            #expect(try await ride.html().contains("About 300 m away, towards you<"))
            ride.orders.clock.advance(by: 10)
            try ride.fix(north: 1_510)
            try await ride.orders.mapUpdates.update()
            #expect(try await ride.html().contains("About 1.4 km away, not towards you just now<"))
        }
    }

    @Test("After the order's number the door is exact")
    func proven() async throws {
        try await ride { ride in
            let proof = try await ride.orders.post(
                ride.client, "\(ride.path)/proof", "reference=\(ride.reference)")
            let cookie = try #require(proof.headers[.setCookie]?.split(separator: ";").first)
            let exact = try Delivery.sample().door
            let html = try await ride.html(cookie: String(cookie))
            #expect(html.contains("\(Self.door)\(exact.latitude) \(exact.longitude)\""))
        }
    }

    @Test("An open page gets a place from memory when the courier is elsewhere, and nothing otherwise")
    func stream() async throws {
        try await ride { ride in
            let slot = try #require(ride.orders.pages.open(ride.delivery, for: .unproven))
            var stream = ride.stream(slot: slot)
            #expect(try await stream.next()?.compactMap(\.event) == ["card", "order", "map"])
            ride.orders.clock.advance(by: 5)
            try ride.fix(north: 600)
            try await ride.orders.mapUpdates.update()
            #expect(await slot.signal.next() == .update)
            let events = stream.nextUpdate()
            #expect(events.map(\.event) == ["map"] && events[0].data.contains("About 600 m away"))
            // The same square of the grid, and nothing new.
            for _ in 0..<2 {
                ride.orders.clock.advance(by: 5)
                try ride.fix(north: 601)
                try await ride.orders.mapUpdates.update()
                slot.signal.heartbeat()
                #expect(await slot.signal.next() == .heartbeat)
                #expect(stream.nextUpdate().isEmpty)
            }
            // Two minutes without a fix.
            ride.orders.clock.advance(by: 126)
            try await ride.orders.mapUpdates.update()
            #expect(await slot.signal.next() == .update)
            #expect(stream.nextUpdate().first?.data.contains("not known just now") == true)
        }
    }

    @Test("On hold, and after the hand-over, the map is gone, nothing is asked, and what comes late is not shown")
    func ends() async throws {
        for change in [DeliveryChange.hold(reason: "rain"), .status(.delivered, reason: nil)] {
            try await ride { ride in
                let slot = try #require(ride.orders.pages.open(ride.delivery, for: .unproven))
                var stream = ride.stream(slot: slot)
                _ = try await stream.next()
                ride.orders.clock.advance(by: 5)
                try ride.fix(north: 600)
                try await ride.orders.mapUpdates.update()
                #expect(await slot.signal.next() == .update)
                #expect(stream.nextUpdate().count == 1)
                // Another replica makes the change: this one notices it before it shows the next place.
                ride.orders.clock.advance(by: 5)
                try await ride.change(change)
                try ride.fix(north: 300)
                try await ride.orders.mapUpdates.update()
                #expect(await slot.signal.next() == .events)
                #expect(stream.nextUpdate().isEmpty)
                let map = try #require(try await stream.next()?.first { $0.event == "map" })
                #expect(map.data == "")
                let asked = ride.orders.places.asked.count
                try await ride.orders.mapUpdates.update()
                #expect(ride.orders.places.asked.count == asked)
                #expect(try await !ride.html().contains(Self.courier))
            }
        }
    }

    @Test("A page loses the map when it is connected after the end, for the first time too")
    func endsWhileAway() async throws {
        try await ride { ride in
            let slot = try #require(ride.orders.pages.open(ride.delivery, for: .unproven))
            try await ride.change(.status(.delivered, reason: nil))
            let before = try #require(PageStream.CardRevision("1.0.0.0"))
            var stream = ride.stream(slot: slot, lastRevision: before)
            #expect(try await stream.next()?.first { $0.event == "map" }?.data == "")
            var new = ride.stream(slot: slot)
            #expect(try await new.next()?.first { $0.event == "map" }?.data == "", "it may have been read before")
        }
    }

    @Test("A fix from before the hold, or from an earlier stop, is not shown after it")
    func since() async throws {
        try await ride { ride in
            _ = try await ride.html()
            ride.orders.clock.advance(by: 5)
            try ride.fix(north: 600)
            try await ride.change(.hold(reason: "rain"))
            _ = try await ride.html()
            ride.orders.clock.advance(by: 10)
            try await ride.change(.release)
            _ = try await ride.html()
            try await ride.orders.mapUpdates.update()
            #expect(try await ride.html().contains("not known just now"))
            ride.orders.clock.advance(by: 10)
            try ride.fix(north: 500)
            try await ride.orders.mapUpdates.update()
            #expect(try await ride.html().contains("About 500 m away"))
        }
    }

    @Test("A store that shows nothing has no map on its pages, and a forwarded link one where the store wants it")
    func settings() async throws {
        for (customers, forwarded, own, shared) in [
            (nil, nil, false, false), ("valby", nil, false, false), ("nordhavn", nil, true, false),
            ("*", "nordhavn", true, true),
        ] as [(String?, String?, Bool, Bool)] {
            try await ride(customers: customers, forwarded: forwarded) { ride in
                let link: ViewLinkBody = try await ride.orders.send(
                    ride.client, .post, "/v1/deliveries/\(ride.delivery)/view-link", as: .store, "nordhavn"
                ).decode()
                for (path, hasMap) in [(ride.path, own), (ride.path(of: .view(of: ride.delivery, number: 1)), shared)] {
                    let html = try await ride.html(path)
                    #expect(html.contains("id=\"map\"") == hasMap, "\(link.url)")
                    #expect(html.contains(PageAsset.courierMap.path) == hasMap)
                }
            }
        }
    }

    @Test("All maps of the replica are one question, and no position is in what the service stores or publishes")
    func question() async throws {
        try await ride(bags: 3) { ride in
            let all = try await ride.orders.pool.query("SELECT delivery_id FROM deliveries").map { row in
                try #require(DeliveryID(rawValue: try row.decode("delivery_id")))
            }
            #expect(all.count == 3)
            for delivery in all {
                _ = try await ride.html(
                    ride.path(of: .details(of: delivery, promiseEnd: OrdersUnderTest.start + 3_600)))
            }
            ride.orders.clock.advance(by: 5)
            try ride.fix(north: 600)
            try await ride.orders.mapUpdates.update()
            #expect(ride.orders.places.asked.map { $0.couriers.map(\.courier) } == [[Ride.mira]])
            let html = try await ride.html()
            let place = try #require(html.firstMatch(of: #/data-courier="([0-9.]+) /#)?.output.1)
            for (_, payload) in try await ride.orders.outbox() {
                #expect(!String(decoding: payload, as: UTF8.self).contains(place))
            }
            ride.orders.places.goAway()
            await #expect(throws: (any Error).self) { try await ride.orders.mapUpdates.update() }
            #expect(try await ride.html().contains(Self.courier), "it is still fresh")
        }
    }

    @Test("An image of the map's file is served to anyone, and a page's policy names a tile server alone")
    func images() async throws {
        let server = try #require(MapImages.Server(url: "https://tiles.example.com/{z}/{x}/{y}.png"))
        let all = [try OrdersUnderTest.mapImages, MapImages(.server(server), attribution: "© Them"), MapImages()]
        for images in all {
            try await OrdersUnderTest.run(
                courierVisibility: try #require(CourierVisibility(customers: "*")), mapImages: images
            ) { orders, client in
                let body = try orders.body(reference: "G-\(UUID().uuidString.prefix(8))")
                let placed = try await orders.place(client, body).deliveries[0]
                let link = Link.details(of: placed.id, promiseEnd: OrdersUnderTest.start + 3_600)
                let page = try await orders.page(client, "/l/\(orders.pressLink.signer.token(of: link))")
                let policy = try #require(page.headers[.contentSecurityPolicy])
                let wanted = images.origin.map { "img-src 'self' \($0);" } ?? "img-src 'self';"
                #expect(policy.contains(wanted) && policy.contains("script-src 'self'; style-src 'self'"))
                let tile = try await client.execute(uri: "/assets/tiles/0/0/0", method: .get)
                #expect(tile.status == (images.archive == nil ? .notFound : .ok))
                if images.archive != nil { #expect(tile.headers[.contentType] == "image/png") }
            }
        }
    }
}
