import ArrivalEstimate
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LiveActivity
import Logging
import Messages
import OpenAPITesting
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import CourierETA

@Suite("Routes", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct RouteTests {
    private func run(_ body: @escaping @Sendable (Harness, Port, any TestClientProtocol) async throws -> Void)
        async throws
    {
        try await Harness.run { harness in
            let port = try await Port(pool: harness.pool, clock: harness.wall.domain, parts: harness.parts)
            try await port.test { client in try await body(harness, port, client) }
        }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ response: TestResponse) throws -> Value {
        try WireJSON.decode(type, from: Data(response.body.readableBytesView))
    }

    @Test("Fixes are answered 200 with counts, times in ISO 8601 or seconds, garbage counted")
    func fixes() async throws {
        try await run { harness, port, client in
            harness.move(to: 100)
            let body = """
                {"fixes": [
                    {"time": "\(WireJSON.text(of: seconds(90)))", "latitude": 55.70, "longitude": 12.59, "accuracy": 8},
                    {"time": \(seconds(95).timeIntervalSince1970), "latitude": 55.70, "longitude": 12.59, "speed": -1},
                    {"time": "yesterday", "latitude": 55.70, "longitude": 12.59},
                    {"time": 1, "latitude": 55.70, "longitude": 12.59}, null, {"latitude": "north"},
                    {"time": \(seconds(95).timeIntervalSince1970), "latitude": 0, "longitude": 0}
                ]}
                """
            let courier = try await port.token(.courier, "mira")
            let response = try await client.execute(
                uri: "/v1/fixes", method: .post, headers: courier, body: ByteBuffer(string: body))
            #expect(response.status == .ok)
            #expect(
                try Self.decode(FixesAnswer.self, response)
                    == FixesAnswer(accepted: 2, ignored: ["malformed": 3, "old": 1, "zero": 1]))
            let empty = try await client.execute(
                uri: "/v1/fixes", method: .post, headers: courier, body: ByteBuffer(string: #"{"fixes":[]}"#))
            #expect(try Self.decode(FixesAnswer.self, empty) == FixesAnswer(accepted: 0, ignored: [:]))
        }
    }

    @Test("What is no body of fixes is a 400 that says so", arguments: ["", "[]", "{}", #"{"fixes":7}"#, "{"])
    func unreadable(body: String) async throws {
        try await run { _, port, client in
            let courier = try await port.token(.courier, "mira")
            let response = try await client.execute(
                uri: "/v1/fixes", method: .post, headers: courier, body: ByteBuffer(string: body))
            #expect(response.status == .badRequest)
            #expect(response.headers[.contentType] == "application/problem+json")
        }
    }

    @Test("Without a token it is 401, with somebody else's 404")
    func uncachedCouriers() async throws {
        try await run { harness, port, client in
            let delivery = try await harness.learnDelivery(in: .enRoute)
            let estimate = "/v1/estimates/\(delivery.id)"
            let cases: [(String, HTTPRequest.Method, HTTPFields, Int)] = [
                ("/v1/fixes", .post, [:], 401), ("/v1/couriers/mira", .get, [:], 401), (estimate, .get, [:], 401),
                ("/v1/fixes", .post, try await port.token(.customer, "mette"), 404),
                ("/v1/couriers/mira", .get, try await port.token(.courier, "noah"), 404),
                ("/v1/couriers/mira", .get, try await port.token(.customer, "mette"), 404),
                ("/v1/couriers/mira", .get, try await port.token(.operator, "ada", store: "nordhavn"), 404),
                ("/v1/couriers/mira/phones", .get, try await port.token(.operator, "ada", store: "nordhavn"), 404),
                ("/v1/admin/republish", .post, try await port.token(.operator, "ada", store: "nordhavn"), 404),
                ("/v1/admin/dead-letters", .get, try await port.token(.operator, "ada", store: "nordhavn"), 404),
                ("/v1/couriers/nobody", .get, try await port.token(.operator, "ada"), 404),
                (estimate, .get, try await port.token(.customer, "ole"), 404),
                (estimate, .get, try await port.token(.customer, "mette", delivery: UUID().uuidString), 404),
                (estimate, .get, try await port.token(.customer, "mette", store: "elsewhere"), 404),
                (estimate, .get, try await port.token(.operator, "ada", store: "elsewhere"), 404),
                (estimate, .get, try await port.token(.customer, "mette", store: "nordhavn"), 200),
                (
                    estimate, .get,
                    try await port.token(.customer, "mette", delivery: delivery.id.rawValue.uppercased()), 200
                ),
                (estimate, .get, try await port.token(.courier, "mira"), 404),
                ("/v1/estimates/\(UUID().uuidString)", .get, try await port.token(.operator, "ada"), 404),
                ("/v1/estimates/nonsense", .get, try await port.token(.operator, "ada"), 404),
                ("/v1/admin/republish", .post, try await port.token(.courier, "mira"), 404),
                (estimate, .get, try await port.token(.customer, "mette"), 200),
                ("/v1/couriers/mira", .get, try await port.token(.courier, "mira"), 200),
                ("/v1/admin/republish", .post, try await port.token(.operator, "ada"), 202),
            ]
            for (uri, method, headers, status) in cases {
                let response = try await client.execute(uri: uri, method: method, headers: headers)
                #expect(response.status.code == status, "\(method) \(uri)")
            }
        }
    }

    @Test("A customer gets what the screens show, an operator the newest estimate as well")
    func estimates() async throws {
        try await run { harness, port, client in
            var delivery = try await harness.learnDelivery(in: .enRoute)
            // Written every 15 s, and with news.
            for fix in ride(from: 0, until: 0.1) {
                harness.move(to: fix.time.timeIntervalSince(seconds(0)))
                _ = try await harness.parts.ingestFixes([fix], of: mira.id)
            }
            let uri = "/v1/estimates/\(delivery.id)"
            let operators = try Self.decode(
                EstimateBody.self,
                try await client.execute(uri: uri, method: .get, headers: try await port.token(.operator, "ada")))
            let customers = try Self.decode(
                EstimateBody.self,
                try await client.execute(uri: uri, method: .get, headers: try await port.token(.customer, "mette")))
            #expect(operators.published == customers.published && customers.estimate == customers.published)
            #expect(operators.estimate?.madeAt == seconds(90))
            #expect(operators.lastFixAt == seconds(90) && operators.version == delivery.version)
            let position = try Self.decode(
                CourierPositionBody.self,
                try await client.execute(
                    uri: "/v1/couriers/mira", method: .get, headers: try await port.token(.operator, "ada")))
            #expect(position.latest?.time == seconds(90) && position.deliveries == [delivery.id] && !position.isSilent)
            // Screens show no arrival on hold, nor at the door.
            let changes: [DeliveryChange] = [
                .hold(reason: "the fridge broke"), .release, .status(.atDoor, reason: nil),
            ]
            for (index, change) in changes.enumerated() {
                try delivery.change(change, at: 91 + Double(index))
                try await harness.parts.applyDeliveryChange(delivery.changed(at: 91 + Double(index)))
                let shown = try Self.decode(
                    EstimateBody.self,
                    try await client.execute(uri: uri, method: .get, headers: try await port.token(.customer, "mette")))
                #expect((shown.published != nil) == (index == 1) && shown.estimate == shown.published)
            }
            for change in [nil, DeliveryChange.status(.attempted, reason: "nobody")] {
                if let change {
                    try delivery.change(change, at: 96)
                    try await harness.parts.applyDeliveryChange(delivery.changed(at: 96))
                }
                let there = try Self.decode(
                    EstimateBody.self,
                    try await client.execute(uri: uri, method: .get, headers: try await port.token(.operator, "ada")))
                #expect(there.estimate == nil && there.published == nil, "it was of the way to the door")
            }
        }
    }
}

@Suite("OpenAPI")
struct OpenAPITests {
    @Test("The document that is served has every route and no other")
    func routes() async throws {
        let pool = PostgresPool(PostgresConfiguration(), logger: Logger(label: "test"))
        let clock = ManualClock(start).domain
        let parts = CourierETA.Parts(
            pool: pool, clock: clock, partitions: FixPartitions(pool: pool), outbox: UnreadOutbox())
        let port = try await Port(pool: pool, clock: clock, parts: parts)
        let document = try OpenAPIDocument(yaml: CourierETA.openAPI)
        let documented = document.routes
        let served = port.http.routes.filter { !$0.hasPrefix("HEAD ") }
        #expect(Set(documented).subtracting(served) == [])
        #expect(Set(served).subtracting(documented) == [])
        #expect(document.queryFaults { port.http.queryParameters.names(of: $0, $1) } == [])
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../docs/openapi/courier-eta.yaml")
        #expect(try Array(Data(contentsOf: file)) == CourierETA.openAPI)
    }
}
