import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite("What a change would do", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PreviewTests {
    /// What a preview must leave as it is.
    private struct State: Hashable {
        let version: Int?
        let lines: Int
        let messages: Int
        let timers: Int
        let couriers: Int
    }

    private static func state(of delivery: DeliveryID, _ orders: OrdersUnderTest) async throws -> State {
        func count(_ query: SQL) async throws -> Int { try await orders.pool.query(query).count }
        return State(
            version: try await OrderRepository.delivery(delivery, on: orders.pool)?.delivery.version,
            lines: try await count("SELECT FROM timeline"), messages: try await orders.outbox().count,
            timers: try await count("SELECT FROM timers"), couriers: try await count("SELECT FROM couriers"))
    }

    private struct Change: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let body: AnyBody

        init(_ method: HTTPRequest.Method, _ path: String, _ body: any Encodable & Sendable) {
            (self.method, self.path, self.body) = (method, path, AnyBody(base: body))
        }
    }

    private struct AnyBody: Encodable, Sendable {
        let base: any Encodable & Sendable

        func encode(to encoder: any Encoder) throws { try base.encode(to: encoder) }
    }

    @Test("It is what the change then does, and leaves everything as it is")
    func previews() async throws {
        try await OrdersUnderTest.run { orders, client in
            let body = try orders.body()
            let id = try await orders.place(client, body).deliveries[0].id
            let mira = CourierBody(
                id: try #require(CourierID(rawValue: "mira")), name: "Mira", vehicle: .bicycle, phone: nil)
            let promise = PromiseBody(
                start: body.promise.start.addingTimeInterval(1_800), end: body.promise.end.addingTimeInterval(1_800))
            let changes = [
                Change(.put, "courier", AssignBody(courier: .described(mira))),
                Change(.post, "status", StatusBody(status: .accepted)),
                Change(.put, "promise", promise),
                Change(.put, "hold", HoldBody(reason: "the road is closed")),
                Change(.delete, "hold", HoldBody(reason: "it is open")),
                Change(.put, "trip", TripBody(stopsBefore: 2)),
                Change(.post, "status", StatusBody(status: .cancelled, reason: "no answer")),
            ]
            for change in changes {
                let before = try await Self.state(of: id, orders)
                let headers: [String: String] = ["If-Match": "\"v\(before.version ?? 0)\""]
                func send(_ query: String) async throws -> TestResponse {
                    try await orders.send(
                        client, change.method, "/v1/deliveries/\(id)/\(change.path)\(query)", as: .operator, "ada",
                        change.body, headers)
                }
                let preview: PreviewBody = try await send("?preview=true").decode()
                #expect(try await Self.state(of: id, orders) == before, "\(change.path)")
                let changed = try await send("?preview=false")
                #expect(changed.status == .ok, "\(String(buffer: changed.body))")
                let after: DeliveryBody = try changed.decode()
                #expect(preview.changes)
                #expect(try Self.json(preview.delivery) == Self.json(after), "\(change.path)")
                let written = try await orders.intents().last?.step
                #expect(preview.activity.content.buttons.isEmpty && preview.activity.attributes == written?.attributes)
                #expect(preview.activity.content.headline == written?.content.headline, "\(change.path)")
                #expect(preview.activity.content.revision == written?.content.revision)
                #expect(preview.activity.isEnd == written?.isEnd)
                #expect(preview.alert == nil || preview.alert == written?.alert)
            }
        }
    }

    private static func json(_ body: DeliveryBody) throws -> String {
        String(decoding: try WireJSON.encode(body), as: UTF8.self)
    }

    @Test("An alert is the one that the change raises, and not one that was raised before")
    func alerts() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.assign("mira", id, client)
            for status in [StatusCode.accepted, .picking, .pickedUp, .enRoute] {
                try await orders.set(status, id, client)
            }
            func preview(_ path: String, _ body: some Encodable) async throws -> PreviewBody {
                try await orders.send(
                    client, path == "status" ? .post : .put, "/v1/deliveries/\(id)/\(path)?preview=true", as: .store,
                    "nordhavn", body
                ).decode()
            }
            let arriving = try await preview("status", StatusBody(status: .arriving))
            #expect(arriving.alert != nil && arriving.alert == arriving.activity.alert)
            try await orders.set(.arriving, id, client)
            #expect(try await preview("trip", TripBody(stopsBefore: 1)).alert == nil)
            let again = try await preview("status", StatusBody(status: .arriving))
            #expect(!again.changes && again.alert == nil)
        }
    }

    @Test("What refuses the change refuses its preview")
    func refusals() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            func status(
                _ body: StatusBody, _ role: Role, _ subject: String, _ headers: [String: String] = [:],
                preview: String = "true"
            ) async throws -> HTTPResponse.Status {
                try await orders.send(
                    client, .post, "/v1/deliveries/\(id)/status?preview=\(preview)", as: role, subject, body, headers
                ).status
            }
            let picking = StatusBody(status: .picking)
            #expect(try await status(StatusBody(status: .delivered), .store, "nordhavn") == .unprocessableContent)
            #expect(try await status(picking, .operator, "ada") == .preconditionRequired)
            #expect(try await status(picking, .operator, "ada", ["If-Match": "\"v9\""]) == .preconditionFailed)
            #expect(try await status(picking, .customer, "mette") == .notFound)
            #expect(try await status(StatusBody(status: .pickedUp), .courier, "mira") == .notFound)
            #expect(try await status(picking, .store, "nordhavn", preview: "yes") == .badRequest)
            let state = try await Self.state(of: id, orders)
            #expect(state.version == 1)
        }
    }
}
