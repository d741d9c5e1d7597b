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

@testable import Orders

@Suite("Links that only show a delivery", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ShareDeliveryTests {
    private static func path(of body: ViewLinkBody) -> String {
        OrdersUnderTest.path(of: body.url)
    }

    private static func share(
        _ delivery: DeliveryID, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> ViewLinkBody {
        let answer = try await orders.send(
            client, .post, "/v1/deliveries/\(delivery)/view-link", as: .store, "nordhavn")
        #expect(answer.status == .created)
        return try answer.decode()
    }

    @Test("It fits a text message, is the same each time, and shows the card without anything to press")
    func shows() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let link = try await Self.share(id, orders, client)
            let again = try await Self.share(id, orders, client)
            #expect(link == again)
            #expect(link.url.count <= LinkSigner.urlCharactersMax)
            #expect(link.expiresAt == nil, "while it is live")
            let shown: LinkBody = try await orders.send(client, .get, Self.path(of: link), as: nil).decode()
            #expect(shown.delivery == id && shown.verb == .details && !shown.isPressable)
            #expect(shown.content.buttons.isEmpty && shown.phone == nil)
            let own: DeliveryBody =
                try await orders.send(client, .get, "/v1/deliveries/\(id)", as: .customer, "mette").decode()
            #expect(!own.links.map(\.url).contains(link.url))
            let pressed = try await orders.send(client, .post, Self.path(of: link), as: .customer, "mette")
            let version = try await OrderRepository.delivery(id, on: orders.pool)?.delivery.version
            #expect(pressed.status == .ok && version == 1)
        }
    }

    @Test("Once revoked it shows nothing, whoever asks; the next one is another, and the customer's own links are good")
    func revoked() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let route = "/v1/deliveries/\(id)/view-link"
            let none = try await orders.send(client, .delete, route, as: .store, "nordhavn")
            #expect(none.status == .ok && String(buffer: none.body) == #"{"revoked":false}"#)
            let first = try await Self.share(id, orders, client)
            let revoking = try await orders.send(client, .delete, route, as: .store, "nordhavn")
            #expect(revoking.status == .ok && String(buffer: revoking.body) == #"{"revoked":true}"#)
            for method in [HTTPRequest.Method.get, .post] {
                let answer = try await orders.send(client, method, Self.path(of: first), as: .customer, "mette")
                #expect(answer.status == .gone && String(buffer: answer.body).contains("link-revoked"))
            }
            let second = try await Self.share(id, orders, client)
            #expect(second.url != first.url)
            let shown = try await orders.send(client, .get, Self.path(of: second), as: nil)
            #expect(shown.status == .ok)
            let own: DeliveryBody =
                try await orders.send(client, .get, "/v1/deliveries/\(id)", as: .customer, "mette").decode()
            for link in own.links {
                let answer = try await orders.send(
                    client, .get, OrdersUnderTest.path(of: link.url), as: nil)
                #expect(answer.status == .ok)
            }
        }
    }

    @Test("A link with a number that was never given out shows nothing; after its end it has expired")
    func numbers() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let signer = try LinkSigner(
                origin: "https://go.nordhavn.example", keys: [1: Array(repeating: 7, count: 32)], signing: 1)
            let early = signer.token(of: .view(of: id, number: 1))
            #expect(try await orders.send(client, .get, "/l/\(early)", as: nil).status == .gone)
            let link = try await Self.share(id, orders, client)
            #expect(Self.path(of: link) == "/l/\(early)")
            let other = signer.token(of: .view(of: id, number: 300))
            #expect(try await orders.send(client, .get, "/l/\(other)", as: nil).status == .gone)
            #expect(signer.link(from: other)?.target == .view(number: 300))
            // However late a delivery is, its customer sees it.
            orders.clock.advance(by: 72 * 3_600)
            let live = try await orders.page(client, Self.path(of: link))
            #expect(live.status == .ok && !String(buffer: live.body).contains("doorstep open"))
            try await orders.set(.cancelled, id, client)
            let end = orders.clock.now.addingTimeInterval(24 * 3_600)
            let ended = try await Self.share(id, orders, client)
            #expect(ended.url == link.url && ended.expiresAt == end)
            orders.clock.advance(by: 24 * 3_600 - 1)
            let before = try await orders.send(client, .get, Self.path(of: link), as: nil)
            #expect(before.status == .ok)
            orders.clock.advance(by: 1)
            let late = try await orders.send(client, .get, Self.path(of: link), as: nil)
            #expect(late.status == .gone && String(buffer: late.body).contains("link-expired"))
        }
    }

    @Test("A link that a restored database does not know is shut once it is revoked again, whatever is made then")
    func restored() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            let route = "/v1/deliveries/\(delivery)/view-link"
            func revoke() async throws -> Bool {
                try await orders.send(client, .delete, route, as: .store, "nordhavn")
                    .decode(RevokedViewLinksBody.self).revoked
            }
            let stolen = try await Self.share(delivery, orders, client)
            #expect(try await revoke())
            try await orders.pool.execute("UPDATE deliveries SET view_links = NULL")
            #expect(try await !revoke(), "the back-up is from before the link")
            let next = try await Self.share(delivery, orders, client)
            let shut = try await orders.send(client, .get, Self.path(of: stolen), as: nil)
            #expect(shut.status == .gone)
            let shown = try await orders.send(client, .get, Self.path(of: next), as: nil)
            #expect(shown.status == .ok)
        }
    }

    @Test(
        "A revocation in a restored database does not open a link that was made after the back-up",
        arguments: [Int?.none, 1])
    func madeAfterBackUp(known: Int?) async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            // As versions before 0.33 numbered the links after the first revocation.
            try await orders.pool.execute("UPDATE deliveries SET view_links = 2")
            let stolen = try await Self.share(delivery, orders, client)
            #expect(try await orders.send(client, .get, Self.path(of: stolen), as: nil).status == .ok)
            try await orders.pool.execute("UPDATE deliveries SET view_links = \(known)::integer")
            let route = "/v1/deliveries/\(delivery)/view-link"
            #expect(try await orders.send(client, .delete, route, as: .store, "nordhavn").status == .ok)
            #expect(try await orders.send(client, .get, Self.path(of: stolen), as: nil).status == .gone)
            let next = try await Self.share(delivery, orders, client)
            #expect(try await orders.send(client, .get, Self.path(of: next), as: nil).status == .ok)
        }
    }

    @Test("When there is no number left it cannot be revoked again, and says so")
    func exhausted() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            let route = "/v1/deliveries/\(delivery)/view-link"
            try await orders.pool.execute(
                "UPDATE deliveries SET view_links = \(Link.viewNumberMax) WHERE delivery_id = \(delivery.rawValue)"
            )
            let link = try await Self.share(delivery, orders, client)
            let revoking = try await orders.send(client, .delete, route, as: .store, "nordhavn")
            #expect(revoking.status == .conflict)
            let shown = try await orders.send(client, .get, Self.path(of: link), as: nil)
            #expect(shown.status == .ok)
        }
    }
}
