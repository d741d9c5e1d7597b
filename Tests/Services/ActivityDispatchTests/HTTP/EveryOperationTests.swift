import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NatsClient
import OpenAPITesting
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import ActivityDispatch

extension DispatchHTTPTests {
    @Test("Every operation of the OpenAPI document succeeds, with the body that the document describes")
    func everyOperation() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            let mira = try await server.headers(.customer, "mira", lifetime: 20)
            let ida = try await server.headers(.operator, "ida")
            try await service.show(1, of: delivery, alert: "picked_up")
            let succeeded = try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) {
                client in
                @discardableResult
                func send(
                    _ headers: HTTPFields, _ method: HTTPRequest.Method, _ uri: String, _ body: String = ""
                ) async throws -> TestResponse {
                    try await client.execute(
                        uri: uri, method: method, headers: headers,
                        body: body.isEmpty ? nil : ByteBuffer(string: body))
                }
                for path in ["/health/live", "/health/ready", "/metrics", "/openapi.yaml"] {
                    try await send([:], .get, path)
                }
                try await send(mira, .put, "/v1/devices/phone", #"{"transport":"stream","locale":"da"}"#)
                try await service.reconcile()
                let card = try #require(try await service.cards(of: delivery).first)
                try await send(
                    mira, .post, "/v1/devices/phone/reports",
                    #"{"reports":[{"card":"\#(card.card)","kind":"shown","revision":{"version":1,"step":0}}]}"#)
                try await send(mira, .get, "/v1/devices/phone/wanted")
                let stream = try await send(mira, .get, "/v1/devices/phone/stream")
                #expect(String(buffer: stream.body).contains("event: push"))
                let activity = "/v1/activities/\(DispatchUnderTest.activity(delivery))"
                try await send(ida, .post, "\(activity)/resend", #"{"reason":"the customer called"}"#)
                try await service.end(2, of: delivery)
                try await service.reconcile()
                try await send(
                    ida, .post, "\(activity)/end-card", #"{"reason":"the customer called","device":"phone"}"#)
                try await send(ida, .get, activity)
                try await send(ida, .get, "/v1/devices?search=Phone")
                try await send(ida, .get, "/v1/activities?delivery=\(delivery)")
                try await send(ida, .get, "/v1/cards/report?day=2026-11-21&store=nordhavn")
                try await send(ida, .post, "/v1/admin/republish")

                for sequence in 1...2 as ClosedRange<UInt64> {
                    let message = StreamMessage(
                        subject: "activities.intent.orders.mira.nowhere", payload: Array("{}".utf8),
                        stream: "ACTIVITIES", streamSequence: sequence)
                    try await DeadLetters(pool: service.pool)
                        .record(message, of: "activity-dispatch", error: "step is missing")
                }
                let page = try WireJSON.decode(
                    DeadLettersBody.self,
                    from: Data(try await send(ida, .get, "/v1/admin/dead-letters").body.readableBytesView))
                let paths = page.deadLetters.map { "/v1/admin/dead-letters/\($0.id)" }
                try await send(ida, .get, paths[0])
                try await send(ida, .get, "/v1/personal-reads?customer=mira")
                try await send(ida, .post, "\(paths[0])/retry")
                try await send(ida, .post, "\(paths[1])/drop", #"{"reason":"it is of a test"}"#)
                return client.succeeded
            }
            let ids = Set(try OpenAPIDocument(yaml: PackageResources.openapi_yaml).operations.map(\.id))
            #expect(ids.subtracting(succeeded) == [])
        }
    }
}
