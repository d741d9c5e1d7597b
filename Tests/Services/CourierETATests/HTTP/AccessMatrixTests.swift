import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NatsClient
import OpenAPITesting
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing

@testable import CourierETA

@Suite("Who may do what in courier-eta", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct AccessMatrixTests {
    /// Every kind of caller of the courier mira and of the estimate of a delivery that she brings mette from nordhavn.
    ///
    /// After `@` the only store of the token, after `#` its only delivery, after `:` what it is good for.
    private static let callers = [
        "nobody", "operator", "operator@valby", "store", "mette", "mette@nordhavn", "mette@valby", "mette#this",
        "mette#sibling", "ole", "mira", "noah", "operator:viewer",
        "operator:dispatcher", "mira@valby", "mira#this",
    ]

    /// 401 without a token, 404 for what is another's or the role never may, which a store reads as 403 where operators
    /// alone may; anything else is allowed.
    ///
    /// The routes of tracker apps take a phone's own token, and have tests of their own.
    private static let expected = """
        1 nobody
        2 operator
        3 operator@valby
        4 store
        5 mette
        6 mette@nordhavn
        7 mette@valby
        8 mette#this
        9 mette#sibling
        10 ole
        11 mira
        12 noah
        13 operator:viewer
        14 operator:dispatcher
        15 mira@valby
        16 mira#this
                                1    2    3    4    5    6    7    8    9   10   11   12   13   14   15   16
        askToSendFixes        204  204  204  204  204  204  204  204  204  204  204  204  204  204  204  204
        beginDuty             401  200  404  404  404  404  404  404  404  404  200  404  403  200  404  404
        dropDeadLetter        401  200  404  403  404  404  404  404  404  404  404  404  403  403  404  404
        endDuty               401  200  404  404  404  404  404  404  404  404  200  404  403  200  404  404
        enrolPhone            401  201  404  404  404  404  404  404  404  404  201  404  403  201  404  404
        getCourier            401  200  404  404  404  404  404  404  404  404  200  404  200  200  404  404
        getCourierMap         401  200  404  404  404  404  404  404  404  404  200  404  200  200  404  404
        getDeadLetter         401  200  404  403  404  404  404  404  404  404  404  404  403  403  404  404
        getDuty               401  200  404  404  404  404  404  404  404  404  200  404  200  200  404  404
        getEstimate           401  200  404  404  200  200  404  200  404  404  404  404  200  200  404  404
        getLiveness           200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        getMetrics            200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        getOpenAPIDocument    200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        getReadiness          200  200  200  200  200  200  200  200  200  200  200  200  200  200  200  200
        listCourierPositions  401  200  404  403  404  404  404  404  404  404  404  404  200  200  404  404
        listCouriers          401  200  200  200  404  404  404  404  404  404  404  404  200  200  404  404
        listDeadLetters       401  200  404  403  404  404  404  404  404  404  404  404  200  200  404  404
        listPersonalReads     401  200  404  403  404  404  404  404  404  404  404  404  403  403  404  404
        listPhones            401  200  404  404  404  404  404  404  404  404  200  404  200  200  404  404
        previewTrip           401  200  404  403  404  404  404  404  404  404  404  404  200  200  404  404
        republishEstimates    401  202  404  403  404  404  404  404  404  404  404  404  403  403  404  404
        retryDeadLetter       401  200  404  403  404  404  404  404  404  404  404  404  403  403  404  404
        revokePhone           401  200  404  404  404  404  404  404  404  404  200  404  403  200  404  404
        sendFixes             401  404  404  404  404  404  404  404  404  404  200  200  404  404  404  404
        setCourierMap         401  200  404  403  404  404  404  404  404  404  404  404  403  200  404  404
        """

    @Test("Every operation answers every kind of caller as the table says")
    func matrix() async throws {
        try await Port.run { harness, port, client in
            let delivery = try await harness.learnDelivery(in: .enRoute)
            var matrix = AccessMatrix(callers: Self.callers)
            let document = try OpenAPIDocument(yaml: CourierETA.openAPI)
            let documented = try #require(client as? DocumentedClient)
            for operation in document.operations where !operation.name.contains(" /ingest/") {
                try await matrix.add(operation.id, client) { caller, _ in
                    let letter = try await Self.deadLetter(harness)
                    // One caller may revoke it, and a courier has eight at most.
                    let phone = try await port.enrol("mira", client).phone.phone
                    let request = Self.request(operation.id, delivery.id, "\(phone)", letter)
                    let authorization = try await Self.authorization(caller, delivery.id, on: port)
                    try await harness.pool.execute("DELETE FROM phones WHERE phone_id <> \(phone)")
                    return (try #require(request, "no request for \(operation.id)"), authorization)
                }
            }
            #expect(matrix.text == Self.expected, "\(matrix.text)")
            #expect(matrix.undocumentedScopes(in: document) == [])
            #expect(matrix.operations.subtracting(documented.succeeded) == [])
        }
    }

    private static func deadLetter(_ harness: Harness) async throws -> String {
        try await DeadLetters(pool: harness.pool).record(
            StreamMessage(
                subject: "orders.delivery-changed.nowhere", payload: Array("{}".utf8), stream: "ORDERS",
                streamSequence: UInt64.random(in: 1...UInt64(Int64.max))), of: "courier-eta",
            error: "delivery is missing")
        let rows = try await harness.pool.query(
            "SELECT dead_letter_id::text AS id FROM dead_letters ORDER BY occurred_at DESC LIMIT 1")
        return try rows[0].decode("id")
    }

    private static func authorization(_ caller: String, _ delivery: DeliveryID, on port: Port) async throws -> String? {
        guard let caller = AccessMatrix.Caller(caller) else { return nil }
        let role: Role =
            switch caller.name {
            case "operator": .operator
            case "store": .store
            case "mira", "noah": .courier
            default: .customer
            }
        let only = caller.delivery.map { $0 == "this" ? delivery.rawValue : UUID().uuidString }
        let headers = try await port.token(
            role, caller.name, store: caller.store, delivery: only, scope: caller.scope)
        return headers[.authorization]
    }

    private static func request(
        _ operation: String, _ delivery: DeliveryID, _ phone: String, _ letter: String
    ) -> AccessMatrix.Request? {
        let mira = "/v1/couriers/mira"
        return switch operation {
        case "askToSendFixes": .init(.options, "/v1/fixes")
        case "sendFixes": .init(.post, "/v1/fixes", #"{"fixes":[]}"#)
        case "listPhones": .init(.get, "\(mira)/phones")
        case "enrolPhone": .init(.post, "\(mira)/phones", "{}")
        case "revokePhone": .init(.delete, "\(mira)/phones/\(phone)")
        case "getDuty": .init(.get, "\(mira)/duty")
        case "beginDuty": .init(.put, "\(mira)/duty", "{}")
        case "endDuty": .init(.delete, "\(mira)/duty")
        case "getCourierMap": .init(.get, "\(mira)/map")
        case "setCourierMap": .init(.put, "\(mira)/map", #"{"isShown":false}"#)
        case "listCouriers": .init(.get, "/v1/couriers")
        case "listCourierPositions": .init(.get, "/v1/courier-positions")
        case "getCourier": .init(.get, mira)
        case "previewTrip": .init(.get, "/v1/couriers/noah/trip?adding=\(delivery)")
        case "getEstimate": .init(.get, "/v1/estimates/\(delivery)")
        case "republishEstimates": .init(.post, "/v1/admin/republish")
        case "listPersonalReads": .init(.get, "/v1/personal-reads?courier=mira")
        default: AccessMatrix.Request(ofEveryService: operation, deadLetter: letter)
        }
    }
}
