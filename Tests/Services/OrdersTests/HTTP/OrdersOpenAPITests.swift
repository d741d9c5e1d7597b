import DomainTime
import Foundation
import HummingbirdTesting
import OpenAPITesting
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("The OpenAPI document of orders", .postgresSchema, .timeLimit(.minutes(10)))
struct OrdersOpenAPITests {
    @Test("Every route is described, and nothing else is")
    func routes() async throws {
        try await OrdersUnderTest.run { orders, _ in
            let document = try OpenAPIDocument(yaml: PackageResources.openapi_yaml)
            #expect(document.routes == orders.http.routes)
            #expect(document.queryFaults { orders.http.queryParameters.names(of: $0, $1) } == [])
        }
    }
}
