import DoorstepAPI
import HTTPTypes
import HummingbirdTesting
import NIOCore
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Links to couriers' pages", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ShareCourierPageTests {
    private static let route = "/v1/couriers/mira/link"

    private static func revoke(_ orders: OrdersUnderTest, _ client: any TestClientProtocol) async throws -> Bool {
        try await orders.send(client, .delete, route, as: .operator, "ada").decode(RevokedViewLinksBody.self).revoked
    }

    private static func status(
        of page: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> HTTPResponse.Status {
        try await orders.page(client, page).status
    }

    @Test("A link that a restored database does not know is shut once it is revoked again, whatever is made then")
    func revokedAgain() async throws {
        try await OrdersUnderTest.run { orders, client in
            let stolen = try await orders.courierLink(of: "mira", client)
            #expect(try await Self.revoke(orders, client))
            try await orders.pool.execute("DELETE FROM courier_links")
            #expect(try await !Self.revoke(orders, client), "the back-up is from before the link")
            let next = try await orders.courierLink(of: "mira", client)
            #expect(try await Self.status(of: stolen, orders, client) == .gone)
            #expect(try await Self.status(of: next, orders, client) == .ok)
        }
    }

    @Test("The page of a revoked link has the script that removes what was not sent, and that of no link has none")
    func script() async throws {
        try await OrdersUnderTest.run { orders, client in
            let revoked = try await orders.courierLink(of: "mira", client)
            #expect(try await Self.revoke(orders, client))
            for (page, hasScript) in [(revoked, true), ("/c/none", false)] {
                let answer = try await orders.page(client, page)
                #expect(answer.status == (hasScript ? .gone : .notFound))
                #expect(String(buffer: answer.body).contains("/assets/courier-revoked.") == hasScript)
            }
        }
    }

    @Test("The first link of a restored database is none that was given out before")
    func made() async throws {
        try await OrdersUnderTest.run { orders, client in
            // As versions before 0.33 began.
            try await orders.pool.execute("INSERT INTO courier_links (courier_id, number) VALUES ('mira', 1)")
            let former = try await orders.courierLink(of: "mira", client)
            #expect(try await Self.status(of: former, orders, client) == .ok)
            try await orders.pool.execute("DELETE FROM courier_links")
            let next = try await orders.courierLink(of: "mira", client)
            #expect(next != former)
            #expect(try await Self.status(of: former, orders, client) == .gone)
        }
    }
}
