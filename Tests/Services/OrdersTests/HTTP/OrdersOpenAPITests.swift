import DomainTime
import Foundation
import HummingbirdTesting
import OpenAPITesting
import OrderDomain
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

    @Test("The list of deliveries is described with each need of an operator, the most urgent first")
    func needs() throws {
        let document = try OpenAPIDocument(yaml: PackageResources.openapi_yaml)
        let operation = document.root["paths"]?["/v1/deliveries"]?["get"]
        let description = try #require(operation?["description"]?.string)
        let beginning = try #require(description.range(of: "by need:"))
        let needs = description[beginning.upperBound...]
        let places = try OperatorNeed.allCases.map { need in
            let place = needs.range(of: Self.words(for: need))
            return try #require(place, "\(need)").lowerBound
        }
        #expect(places == places.sorted())
    }

    private static func words(for need: OperatorNeed) -> String {
        switch need {
        case .unproven: "missing proof"
        case .attempted: "attempted"
        case .returning: "returning"
        case .held: "on hold"
        case .correction: "correction"
        case .silent: "silent courier"
        case .unassigned: "without a courier"
        case .disputed: "disputed"
        }
    }
}
