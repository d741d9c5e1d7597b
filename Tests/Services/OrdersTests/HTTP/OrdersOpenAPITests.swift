import DomainTime
import Foundation
import HummingbirdTesting
import ServiceRuntime
import TestSupport
import Testing
import Yams

@testable import Orders

@Suite("The OpenAPI document of orders", .postgresSchema, .timeLimit(.minutes(10)))
struct OrdersOpenAPITests {
    @Test("Every route is described, and nothing else is")
    func routes() async throws {
        try await OrdersUnderTest.run { orders, _ in
            let text = String(decoding: PackageResources.openapi_yaml, as: UTF8.self)
            let document = try #require(try Yams.load(yaml: text) as? [String: Any])
            let paths = try #require(document["paths"] as? [String: [String: Any]])
            let described = paths.flatMap { path, methods in methods.keys.map { "\($0.uppercased()) \(path)" } }
            #expect(described.sorted() == orders.http.routes)
        }
    }
}
