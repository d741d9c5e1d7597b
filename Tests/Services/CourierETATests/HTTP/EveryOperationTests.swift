import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OpenAPITesting
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import CourierETA

@Suite("Operations of tracker apps", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct EveryOperationTests {
    @Test("Every operation that takes a phone's own token succeeds, with the body that the document describes")
    func succeeds() async throws {
        try await Port.run { harness, port, client in
            let documented = try #require(client as? DocumentedClient)
            try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 90)
            try await Self.sendPositions(try await port.enrol("mira", client).token, client)
            let ofApps = try OpenAPIDocument(yaml: CourierETA.openAPI).operations.filter {
                $0.name.contains(" /ingest/")
            }
            #expect(!ofApps.isEmpty && Set(ofApps.map(\.id)).subtracting(documented.succeeded) == [])
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
