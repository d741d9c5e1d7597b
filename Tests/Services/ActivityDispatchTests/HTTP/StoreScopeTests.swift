import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("What a store's token is good for", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct StoreScopeTests {
    let delivery = DeliveryID(UUID())

    @Test("A customer's token that another store issued does not show an activity")
    func activity() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await DispatchHTTPTests().server(service)
            try await service.show(1, of: delivery)
            try await server.http.application.test(.router) { client in
                let path = "/v1/activities/\(DispatchUnderTest.activity(delivery))"
                for role in [Role.customer, .operator] {
                    let other = try await server.headers(role, "mira", store: "valby")
                    #expect(try await client.execute(uri: path, method: .get, headers: other).status == .notFound)
                }
            }
        }
    }
}
