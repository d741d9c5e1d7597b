import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OpenAPITesting
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing
import WebPages

@testable import Desk

@Suite("Who may do what at the desk", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct AccessMatrixTests {
    /// Every kind of caller: people who are signed in by their role, and holders of tokens.
    ///
    /// After `@` the only store of the token, after `:` what it is good for.
    private static let callers = [
        "nobody", "viewer", "dispatcher", "supervisor", "operator", "operator:viewer", "operator@valby", "store",
        "customer", "courier",
    ]

    /// 303 to the sign-in or 401 without a session, 403 where the role may not, and of the API 404 for another's token,
    /// 403 for a store's; any other answer is `ok`: services that know little answer the desk here.
    ///
    /// Signing out leads to the sign-in, and no identity provider is set up.
    private static let expected = """
        1 nobody
        2 viewer
        3 dispatcher
        4 supervisor
        5 operator
        6 operator:viewer
        7 operator@valby
        8 store
        9 customer
        10 courier
                                                      1    2    3    4    5    6    7    8    9   10
        DELETE /v1/sessions                         401  401  401  401   ok  403  404  403  404  404
        GET /                                       303   ok   ok   ok  303  303  303  303  303  303
        GET /assets/{name}                           ok   ok   ok   ok   ok   ok   ok   ok   ok   ok
        GET /cards                                  303   ok   ok   ok  303  303  303  303  303  303
        GET /couriers                               303   ok   ok   ok  303  303  303  303  303  303
        GET /couriers/{id}/move                     303  403   ok   ok  303  303  303  303  303  303
        GET /dead-letters                           303   ok   ok   ok  303  303  303  303  303  303
        GET /deliveries/{id}                        303   ok   ok   ok  303  303  303  303  303  303
        GET /deliveries/{id}/change/add-item        303  403   ok   ok  303  303  303  303  303  303
        GET /deliveries/{id}/change/courier         303  403   ok   ok  303  303  303  303  303  303
        GET /deliveries/{id}/change/drop-off        303  403   ok   ok  303  303  303  303  303  303
        GET /deliveries/{id}/change/end-cards       303  403  403   ok  303  303  303  303  303  303
        GET /deliveries/{id}/change/hold            303  403   ok   ok  303  303  303  303  303  303
        GET /deliveries/{id}/change/item            303  403   ok   ok  303  303  303  303  303  303
        GET /deliveries/{id}/change/promise         303  403   ok   ok  303  303  303  303  303  303
        GET /deliveries/{id}/change/recipient       303  403   ok   ok  303  303  303  303  303  303
        GET /deliveries/{id}/change/release         303  403   ok   ok  303  303  303  303  303  303
        GET /deliveries/{id}/change/resend          303  403  403   ok  303  303  303  303  303  303
        GET /deliveries/{id}/change/settle          303  403   ok   ok  303  303  303  303  303  303
        GET /deliveries/{id}/change/status          303  403   ok   ok  303  303  303  303  303  303
        GET /deliveries/{id}/change/trip            303  403   ok   ok  303  303  303  303  303  303
        GET /deliveries/{id}/events                 303   ok   ok   ok  303  303  303  303  303  303
        GET /health                                 303   ok   ok   ok  303  303  303  303  303  303
        GET /health/live                             ok   ok   ok   ok   ok   ok   ok   ok   ok   ok
        GET /health/ready                            ok   ok   ok   ok   ok   ok   ok   ok   ok   ok
        GET /log                                    303   ok   ok   ok  303  303  303  303  303  303
        GET /log/events                             303   ok   ok   ok  303  303  303  303  303  303
        GET /map                                    303   ok   ok   ok  303  303  303  303  303  303
        GET /map/places                             303   ok   ok   ok  303  303  303  303  303  303
        GET /map/streets                            303   ok   ok   ok  303  303  303  303  303  303
        GET /map/tiles/{z}/{x}/{y}                  303   ok   ok   ok  303  303  303  303  303  303
        GET /metrics                                 ok   ok   ok   ok   ok   ok   ok   ok   ok   ok
        GET /now/events                             303   ok   ok   ok  303  303  303  303  303  303
        GET /open/{key}                              ok   ok   ok   ok   ok   ok   ok   ok   ok   ok
        GET /openapi.yaml                            ok   ok   ok   ok   ok   ok   ok   ok   ok   ok
        GET /persons                                303  403  403   ok  303  303  303  303  303  303
        GET /persons/{id}                           303  403  403   ok  303  303  303  303  303  303
        GET /persons/{id}/archive                   303  403  403   ok  303  303  303  303  303  303
        GET /reads                                  303  403  403   ok  303  303  303  303  303  303
        GET /report                                 303   ok   ok   ok  303  303  303  303  303  303
        GET /sign-in                                 ok   ok   ok   ok   ok   ok   ok   ok   ok   ok
        GET /sign-in/callback                        ok   ok   ok   ok   ok   ok   ok   ok   ok   ok
        GET /stores                                 303   ok   ok   ok  303  303  303  303  303  303
        GET /stores/{store}/face                    303   ok   ok   ok  303  303  303  303  303  303
        GET /v1/personal-reads                      401  401  401  401   ok  403  404  403  404  404
        GET /v1/sessions                            401  401  401  401   ok  403  404  403  404  404
        GET /webhooks                               303   ok   ok   ok  303  303  303  303  303  303
        POST /bulk                                  401  403   ok   ok  401  401  401  401  401  401
        POST /couriers/{id}/map                     401  403   ok   ok  401  401  401  401  401  401
        POST /dead-letters/{service}/{id}/{repair}  401  403  403   ok  401  401  401  401  401  401
        POST /deliveries/{id}/call/{person}         401  403   ok   ok  401  401  401  401  401  401
        POST /deliveries/{id}/change/add-item       401  403   ok   ok  401  401  401  401  401  401
        POST /deliveries/{id}/change/courier        401  403   ok   ok  401  401  401  401  401  401
        POST /deliveries/{id}/change/drop-off       401  403   ok   ok  401  401  401  401  401  401
        POST /deliveries/{id}/change/end-cards      401  403  403   ok  401  401  401  401  401  401
        POST /deliveries/{id}/change/hold           401  403   ok   ok  401  401  401  401  401  401
        POST /deliveries/{id}/change/item           401  403   ok   ok  401  401  401  401  401  401
        POST /deliveries/{id}/change/promise        401  403   ok   ok  401  401  401  401  401  401
        POST /deliveries/{id}/change/recipient      401  403   ok   ok  401  401  401  401  401  401
        POST /deliveries/{id}/change/release        401  403   ok   ok  401  401  401  401  401  401
        POST /deliveries/{id}/change/resend         401  403  403   ok  401  401  401  401  401  401
        POST /deliveries/{id}/change/settle         401  403   ok   ok  401  401  401  401  401  401
        POST /deliveries/{id}/change/status         401  403   ok   ok  401  401  401  401  401  401
        POST /deliveries/{id}/change/trip           401  403   ok   ok  401  401  401  401  401  401
        POST /deliveries/{id}/images/{image}        401  403   ok   ok  401  401  401  401  401  401
        POST /deliveries/{id}/triage                401  403   ok   ok  401  401  401  401  401  401
        POST /health/{service}/republish            401  403  403   ok  401  401  401  401  401  401
        POST /open/{key}                             ok   ok   ok   ok   ok   ok   ok   ok   ok   ok
        POST /persons/erase                         401  403  403   ok  401  401  401  401  401  401
        POST /persons/export                        401  403  403   ok  401  401  401  401  401  401
        POST /receipts/{id}/dismiss                 401  403  403   ok  401  401  401  401  401  401
        POST /sign-in                               403  403  403  403  403  403  403  403  403  403
        POST /sign-out                              401  303  303  303  401  401  401  401  401  401
        POST /stores/{store}/face                   401  403  403   ok  401  401  401  401  401  401
        POST /v1/sign-in-links                      401  401  401  401   ok   ok  404  403  404  404
        POST /webhooks/{id}/{verb}                  401  403  403   ok  401  401  401  401  401  401
        """

    @Test("Every route answers every kind of caller as the table says")
    func matrix() async throws {
        try await DeskUnderTest.run(hasPartners: true) { desk, client in
            let delivery = SampleDeliveries.whole(SampleDeliveries.toEnRoute)
            try desk.services.know(delivery)
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([delivery]))
            await desk.reader.read()
            var matrix = AccessMatrix(callers: Self.callers, outcome: Self.outcome)
            for route in desk.http.routes {
                for kind in route.contains("{kind}") ? DeskChange.Kind.allCases.map(\.rawValue) : [""] {
                    let operation = route.replacing("{kind}", with: kind)
                    try await matrix.add(operation, client) { caller, _ in
                        var session: Secret?
                        if let role = OperatorScope(rawValue: caller) {
                            session = try await desk.begin(for: DeskUser(subject: "ada", role: role))
                        }
                        let authorization = try await Self.authorization(caller, desk)
                        return (Self.request(operation, delivery.id, session), authorization)
                    }
                }
            }
            #expect(matrix.text == Self.expected, "\(matrix.text)")
        }
    }

    private static func outcome(_ operation: String, _ response: TestResponse) -> String {
        switch response.status.code {
        case 401, 403: "\(response.status.code)"
        case 404 where operation.contains(" /v1/"): "404"
        case 303 where response.headers[.location]?.hasPrefix("/sign-in") == true: "303"
        default: "ok"
        }
    }

    private static func authorization(_ caller: String, _ desk: DeskUnderTest) async throws -> String? {
        guard let caller = AccessMatrix.Caller(caller), let role = Role(rawValue: caller.name) else { return nil }
        return "Bearer \(try await desk.token(caller.name, role: role, store: caller.store, scope: caller.scope))"
    }

    /// A request of a route, with the session's cookie and form where there is one.
    private static func request(
        _ route: String, _ delivery: DeliveryID, _ session: Secret?
    ) -> AccessMatrix.Request {
        let parts = route.split(separator: " ").map(String.init)
        let values = [
            "couriers/{id}": "couriers/mira", "assets/{name}": String(PageAsset.style.path.dropFirst()),
            "{id}": delivery.rawValue, "{person}": "customer", "{service}": "orders", "{repair}": "retry",
            "{image}": String(repeating: "0", count: 64), "{store}": "nordhavn",
            "{verb}": "disable", "{key}": "AQ", "{z}": "0", "{x}": "0", "{y}": "0",
        ]
        let path = values.sorted { $0.key.count > $1.key.count }.reduce(parts[1]) {
            $0.replacing($1.key, with: $1.value)
        }
        var headers: HTTPFields = [.accept: "text/html", .origin: DeskUnderTest.origin]
        if let session { headers[.cookie] = "__Host-desk=\(session.text)" }
        // A stream's body has no end.
        let method = path.hasSuffix("/events") ? "HEAD" : parts[0]
        return .init(
            HTTPRequest.Method(rawValue: method) ?? .get, path,
            method == "POST" ? "form=\(session?.formToken ?? "")&reason=a+test" : "", headers: headers)
    }
}
