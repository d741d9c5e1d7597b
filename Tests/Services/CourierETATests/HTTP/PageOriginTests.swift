import ArrivalEstimate
import DoorstepAPI
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import CourierETA

@Suite("Positions from couriers' pages", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PageOriginTests {
    private func run(
        _ body: @escaping @Sendable (any TestClientProtocol, _ token: String) async throws -> Void
    ) async throws {
        try await Port.run { harness, port, client in
            try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 100)
            try await body(client, try await port.enrol("mira", client).token)
        }
    }

    private func send(
        _ client: any TestClientProtocol, _ method: HTTPRequest.Method, from origin: String?, token: String? = nil
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.origin] = origin
        headers[.authorization] = token.map { "Bearer \($0)" }
        return try await client.execute(
            uri: "/v1/fixes", method: method, headers: headers,
            body: method == .post ? ByteBuffer(string: AppBodies.own) : nil)
    }

    @Test("A courier's page may ask, send and read the answer")
    func allowed() async throws {
        try await run { client, token in
            let asked = try await send(client, .options, from: Port.pagesOrigin)
            #expect(asked.status == .noContent)
            #expect(asked.headers[.accessControlAllowMethods] == "POST")
            #expect(asked.headers[.accessControlAllowHeaders] == "authorization, content-type")
            let taken = try await send(client, .post, from: Port.pagesOrigin, token: token)
            #expect(taken.status == .ok && String(buffer: taken.body) == #"{"accepted":1,"ignored":{}}"#)
            let refused = try await send(client, .post, from: Port.pagesOrigin, token: "wrong")
            #expect(refused.status == .unauthorized)
            for answer in [asked, taken, refused] {
                #expect(answer.headers[.accessControlAllowOrigin] == Port.pagesOrigin)
                #expect(answer.headers[.vary] == "Origin")
            }
        }
    }

    @Test(
        "Nobody else's page is let read an answer",
        arguments: [nil, "https://evil.example", "null", "https://go.nordhavn.example.evil.example"])
    func others(origin: String?) async throws {
        try await run { client, token in
            let asked = try await send(client, .options, from: origin)
            let taken = try await send(client, .post, from: origin, token: token)
            #expect(taken.status == .ok)
            for answer in [asked, taken] {
                #expect(answer.headers[.accessControlAllowOrigin] == nil)
                #expect(answer.headers[.accessControlAllowMethods] == nil)
            }
        }
    }
}
