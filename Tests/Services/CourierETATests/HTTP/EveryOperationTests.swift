import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NatsClient
import OpenAPITesting
import OrderDomain
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import CourierETA

@Suite("Operations of courier-eta", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct EveryOperationTests {
    @Test("Every operation of the OpenAPI document succeeds, with the body that the document describes")
    func succeeds() async throws {
        try await Port.run { harness, port, client in
            let documented = try #require(client as? DocumentedClient)
            let delivery = try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 90)
            for fix in ride(from: 0, until: 0.1) { _ = try await harness.parts.ingestFixes([fix], of: mira.id) }
            let headers = try await port.token(.operator, "ada")
            func send(_ method: HTTPRequest.Method, _ uri: String, _ body: String = "") async throws -> TestResponse {
                try await client.execute(
                    uri: uri, method: method, headers: headers,
                    body: body.isEmpty ? nil : ByteBuffer(string: body))
            }
            for path in ["/health/live", "/health/ready", "/metrics", "/openapi.yaml"] {
                _ = try await send(.get, path)
            }
            _ = try await send(.options, "/v1/fixes")
            _ = try await send(.get, "/v1/couriers")
            _ = try await send(.get, "/v1/couriers/mira")
            _ = try await send(.get, "/v1/courier-positions")
            _ = try await send(.get, "/v1/couriers/noah/trip?adding=\(delivery.id)")
            _ = try await send(.get, "/v1/estimates/\(delivery.id)")
            _ = try await send(.put, "/v1/couriers/mira/map", #"{"isShown":false}"#)
            _ = try await send(.get, "/v1/couriers/mira/map")
            _ = try await send(.put, "/v1/couriers/mira/duty", "{}")
            _ = try await send(.get, "/v1/couriers/mira/duty")
            let phone = try await port.enrol("mira", client)
            try await Self.sendPositions(phone.token, client)
            _ = try await send(.get, "/v1/couriers/mira/phones")
            _ = try await send(.delete, "/v1/couriers/mira/phones/\(phone.phone.phone)")
            _ = try await send(.delete, "/v1/couriers/mira/duty")
            _ = try await send(.post, "/v1/admin/republish")

            for sequence in 1...2 as ClosedRange<UInt64> {
                let message = StreamMessage(
                    subject: "orders.delivery-changed.nowhere", payload: Array("{}".utf8), stream: "ORDERS",
                    streamSequence: sequence)
                try await DeadLetters(pool: harness.pool).record(
                    message, of: "courier-eta", error: "delivery is missing")
            }
            let page = try WireJSON.decode(
                DeadLettersBody.self,
                from: Data(try await send(.get, "/v1/admin/dead-letters").body.readableBytesView))
            let paths = page.deadLetters.map { "/v1/admin/dead-letters/\($0.id)" }
            _ = try await send(.get, paths[0])
            _ = try await send(.get, "/v1/personal-reads?courier=mira")
            _ = try await send(.post, "\(paths[0])/retry")
            _ = try await send(.post, "\(paths[1])/drop", #"{"reason":"it is of a test"}"#)

            let ids = Set(try OpenAPIDocument(yaml: CourierETA.openAPI).operations.map(\.id))
            #expect(ids.subtracting(documented.succeeded) == [])
        }
    }

    /// By every app, with the token where the app carries it.
    private static func sendPositions(_ token: String, _ client: any TestClientProtocol) async throws {
        let form = AppBodies.traccarEight.replacing("DEVICE", with: token)
        let traccar = AppBodies.traccar.replacing("DEVICE", with: token)
        let requests: [(HTTPRequest.Method, String, String)] = [
            (.post, "/v1/fixes", AppBodies.own), (.post, "/ingest/owntracks", AppBodies.ownTracksIOS),
            (.post, "/ingest/overland", AppBodies.overland), (.post, "/ingest/traccar", traccar),
            (.post, "/ingest/traccar/\(token)", traccar), (.get, "/ingest/osmand?\(form)", ""),
            (.post, "/ingest/osmand?\(form)", ""), (.get, "/ingest/osmand/\(token)?\(AppBodies.osmAnd)", ""),
            (.post, "/ingest/osmand/\(token)?\(AppBodies.osmAnd)", ""),
            (.post, "/ingest/gpslogger", AppBodies.gpsLogger),
            (.get, "/ingest/gpslogger/\(token)?\(AppBodies.gpsLogger)", ""),
            (.post, "/ingest/gpslogger/\(token)", AppBodies.gpsLogger),
        ]
        for (method, uri, body) in requests {
            let response = try await client.execute(
                uri: uri, method: method, headers: [.authorization: "Bearer \(token)"],
                body: body.isEmpty ? nil : ByteBuffer(string: body))
            #expect(response.status == .ok, "\(method) \(uri)")
        }
        _ = try await client.execute(uri: "/ingest/gpslogger/\(token)/doorstep.properties", method: .get)
    }
}
