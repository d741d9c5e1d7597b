import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import NatsClient
import OpenAPITesting
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import ActivityDispatch

@Suite("Who may do what in activity-dispatch", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct AccessMatrixTests {
    /// Every kind of caller of a device of mira's and of the activity of her delivery from nordhavn.
    ///
    /// After `@` the only store of the token, after `#` its only delivery, after `:` what it is good for.
    private static let callers = [
        "nobody", "operator", "operator@valby", "store", "mira", "mira@nordhavn", "mira@valby", "mira#this",
        "mira#sibling", "noor", "courier", "operator:viewer",
        "operator:dispatcher",
    ]

    /// 401 without a token, 404 for what is another's or the role never may, which a store reads as 403 where operators
    /// alone may; anything else is allowed.
    private static let expected = """
        1 nobody
        2 operator
        3 operator@valby
        4 store
        5 mira
        6 mira@nordhavn
        7 mira@valby
        8 mira#this
        9 mira#sibling
        10 noor
        11 courier
        12 operator:viewer
        13 operator:dispatcher
                               1    2    3    4    5    6    7    8    9   10   11   12   13
        dropDeadLetter       401  200  404  403  404  404  404  404  404  404  404  403  403
        endActivityCards     401  202  404  403  404  404  404  404  404  404  404  403  403
        getActivity          401  200  404  404  200  200  404  200  404  404  404  200  200
        getCardReport        401  200  200  200  404  404  404  404  404  404  404  200  200
        getDeadLetter        401  200  404  403  404  404  404  404  404  404  404  403  403
        getLiveness          200  200  200  200  200  200  200  200  200  200  200  200  200
        getMetrics           200  200  200  200  200  200  200  200  200  200  200  200  200
        getOpenAPIDocument   200  200  200  200  200  200  200  200  200  200  200  200  200
        getReadiness         200  200  200  200  200  200  200  200  200  200  200  200  200
        getWanted            401  404  404  404  200  404  404  403  403  404  404  404  404
        listActivities       401  200  200  403  404  404  404  404  404  404  404  200  200
        listDeadLetters      401  200  404  403  404  404  404  404  404  404  404  200  200
        listDevices          401  200  200  403  404  404  404  404  404  404  404  200  200
        listPersonalReads    401  200  404  403  404  404  404  404  404  404  404  403  403
        registerDevice       401  404  404  404  200  403  403  403  403  403  404  404  404
        reportCards          401  404  404  404  202  404  404  403  403  404  404  404  404
        republishCardHealth  401  202  404  403  404  404  404  404  404  404  404  403  403
        resendActivity       401  202  404  403  404  404  404  404  404  404  404  403  403
        retryDeadLetter      401  200  404  403  404  404  404  404  404  404  404  403  403
        streamPushes         401  404  404  404  200  404  404  403  403  404  404  404  404
        """

    @Test("Every operation answers every kind of caller as the table says")
    func matrix() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await DispatchHTTPTests().server(service)
            let (delivery, sibling) = (DeliveryID(UUID()), DeliveryID(UUID()))
            for id in [delivery, sibling] { try await service.show(1, of: id, at: "nordhavn") }
            let document = try OpenAPIDocument(yaml: PackageResources.openapi_yaml)
            let text = try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                var matrix = AccessMatrix(callers: Self.callers)
                for operation in document.operations {
                    try await matrix.add(operation.id, client) { caller, _ in
                        // Whoever asked before may have taken the device for themselves.
                        try await service.register()
                        let letter = try await Self.deadLetter(service)
                        let request = Self.request(operation.id, delivery, letter)
                        let scope =
                            caller.hasSuffix("#this") ? delivery : caller.hasSuffix("#sibling") ? sibling : nil
                        return (
                            try #require(request, "no request for \(operation.id)"),
                            try await Self.authorization(caller, only: scope, on: server)
                        )
                    }
                }
                #expect(matrix.undocumentedScopes(in: document) == [])
                #expect(Set(document.operations.map(\.id)).subtracting(client.succeeded) == [])
                return matrix.text
            }
            #expect(text == Self.expected, "\(text)")
        }
    }

    private static func deadLetter(_ service: DispatchUnderTest) async throws -> String {
        let letters = DeadLetters(pool: service.pool)
        try await letters.record(
            StreamMessage(
                subject: "activities.intent.orders.mira.nowhere", payload: Array("{}".utf8), stream: "ACTIVITIES",
                streamSequence: UInt64.random(in: 1...UInt64(Int64.max))), of: "activity-dispatch",
            error: "step is missing")
        let rows = try await service.pool.query(
            "SELECT dead_letter_id::text AS id FROM dead_letters ORDER BY occurred_at DESC LIMIT 1")
        return try rows[0].decode("id")
    }

    private static func authorization(
        _ caller: String, only delivery: DeliveryID?, on server: DispatchHTTPTests.Server
    ) async throws -> String? {
        guard let caller = AccessMatrix.Caller(caller) else { return nil }
        // A stream that is allowed ends with its token.
        let headers = try await server.headers(
            Role(rawValue: caller.name) ?? .customer, caller.name, store: caller.store, delivery: delivery?.rawValue,
            scope: caller.scope, lifetime: 1)
        return headers[.authorization]
    }

    private static func request(
        _ operation: String, _ delivery: DeliveryID, _ letter: String
    ) -> AccessMatrix.Request? {
        let activity = "/v1/activities/\(DispatchUnderTest.activity(delivery))"
        let reason = #"{"reason":"a test"}"#
        return switch operation {
        case "listDevices": .init(.get, "/v1/devices?search=ph")
        case "registerDevice": .init(.put, "/v1/devices/phone", #"{"transport":"stream"}"#)
        case "streamPushes": .init(.get, "/v1/devices/phone/stream")
        case "getWanted": .init(.get, "/v1/devices/phone/wanted")
        case "reportCards": .init(.post, "/v1/devices/phone/reports", #"{"reports":[]}"#)
        case "listActivities": .init(.get, "/v1/activities?delivery=\(delivery)")
        case "getActivity": .init(.get, activity)
        case "getCardReport": .init(.get, "/v1/cards/report")
        case "resendActivity": .init(.post, "\(activity)/resend", reason)
        case "endActivityCards":
            .init(.post, "\(activity)/end-card", #"{"reason":"a test","device":"phone"}"#)
        case "republishCardHealth": .init(.post, "/v1/admin/republish")
        case "listPersonalReads": .init(.get, "/v1/personal-reads?customer=mira")
        default: AccessMatrix.Request(ofEveryService: operation, deadLetter: letter)
        }
    }
}
