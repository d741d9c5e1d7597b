import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import ServiceRuntime
import TestSupport
import Testing

@testable import CourierETA

@Suite("Ids in ingest bodies", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct IngestBodyIDTests {
    private static let apps = IngestTests.App.all.filter { $0.body.contains("TOKEN") }

    private static func send(
        _ app: IngestTests.App, _ id: String, _ client: any TestClientProtocol, headers: HTTPFields
    ) async throws -> HTTPResponse.Status {
        var fields = headers
        for (name, value) in app.headers { fields[name] = value }
        let body = ByteBuffer(string: app.body.replacing("TOKEN", with: id))
        return try await client.execute(uri: app.uri, method: .post, headers: fields, body: body).status
    }

    /// The headers of a gateway, and of an app that is no courier's.
    private static func headers(of port: Port) async throws -> [HTTPFields] {
        let basic = Data("gateway:secret".utf8).base64EncodedString()
        return [
            [.authorization: "Bearer a.gateways.own"], [.authorization: "Basic \(basic)"],
            try await port.token(.customer, "mette"),
        ]
    }

    @Test("An app's id in the body counts beside another's token in a header, and a refusal is counted once")
    func besideHeader() async throws {
        #expect(Set(Self.apps.map(\.uri)) == ["/ingest/traccar", "/ingest/osmand"])
        try await Port.run { _, port, client in
            let token = try await port.enrol("mira", client).token
            var random = SystemRandomNumberGenerator()
            let unknown = PhoneToken.generate(using: &random).text
            func refused() -> Int {
                ["missing", "unknown", "revoked", "role"].reduce(0) { sum, reason in
                    sum + port.counter("doorstep_phones_refused_total", "reason=\"\(reason)\"")
                }
            }
            for app in Self.apps {
                for header in try await Self.headers(of: port) {
                    let good = try await Self.send(app, token, client, headers: header)
                    #expect(good == .ok, "\(app.uri) \(header)")
                    let before = refused()
                    let bad = try await Self.send(app, unknown, client, headers: header)
                    #expect(bad == .unauthorized || bad == .notFound, "\(app.uri) \(header)")
                    #expect(refused() == before + 1, "\(app.uri) \(header)")
                }
            }
        }
    }

    @Test("A body above the limit of strangers is read of a courier's own token, and not searched for an id of others")
    func largeBody() async throws {
        try await Port.run { _, port, client in
            let token = try await port.enrol("mira", client).token
            let padding = String(repeating: " ", count: IngestHTTP.unauthenticatedBytesMax)
            let app = try #require(Self.apps.first)
            let body = ByteBuffer(string: padding + app.body.replacing("TOKEN", with: token))
            let own = try await client.execute(
                uri: app.uri, method: .post, headers: try await port.token(.courier, "mira"), body: body)
            #expect(own.status == .ok)
            let gateway = try await client.execute(
                uri: app.uri, method: .post, headers: [.authorization: "Bearer a.gateways.own"], body: body)
            #expect(gateway.status == .unauthorized)
        }
    }
}
