import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LiveActivity
import Messages
import NIOCore
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

@Suite("HTTP of activity-dispatch", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct DispatchHTTPTests {
    let delivery = DeliveryID(UUID())

    struct Server {
        let http: HTTPService
        let signer: TokenSigner

        func headers(
            _ role: Role, _ subject: String, store: String? = nil, delivery: String? = nil,
            scope: String? = nil, lifetime: TimeInterval = 3600
        ) async throws -> HTTPFields {
            let token = try await signer.sign(
                Identity(
                    subject: subject, role: role, store: store, delivery: delivery, scope: scope,
                    expiresAt: noon + lifetime),
                at: noon)
            return [.authorization: "Bearer \(token)", .contentType: "application/json"]
        }
    }

    func server(_ service: DispatchUnderTest, circuit: @escaping Circuits = { _ in nil }) async throws -> Server {
        let pair = TokenKeyPair.generate(kid: "tests-1")
        let republisher = Republisher(
            pool: service.pool, name: "cards", readers: .readers(), logger: .silent,
            rows: SnapshotRepublisher(clock: service.clock.domain))
        let resync = ResyncCards(
            pool: service.pool, clock: service.clock.domain, republisher: republisher, wakeSignals: service.wakeSignals)
        let routes = DispatchHTTP(
            clock: service.clock.domain, registerDevice: service.registerDevice, applyReports: service.applyReports,
            showActivity: service.showActivity, showPhones: service.showPhones(circuit: circuit),
            showWanted: service.showWanted, overrideCards: service.overrideCards,
            findDevices: FindDevices(pool: service.pool), makeCardReport: service.makeCardReport,
            followCards: FollowCards(pool: service.pool, clock: service.clock.domain, hub: service.hub),
            operatorRoutes: service.operatorRoutes { try await resync() }, wall: { noon })
        let http = HTTPService(
            configuration: HTTPConfiguration(), name: "activity-dispatch", openAPI: PackageResources.openapi_yaml,
            queryParameters: DispatchHTTP.queryParameters.adding(OperatorRoutes.queryParameters), readiness: [],
            metrics: MetricsRegistry(), tokens: TokenVerifier(try await TokenKeys([pair.entry(roles: Role.allCases)])),
            logger: .silent, wall: { noon }, addRoutes: routes.addRoutes)
        return Server(
            http: http, signer: try await TokenSigner(kid: pair.kid, privateKeyPEM: pair.privateKeyPEM))
    }

    @Test("A customer registers a device, reports on its card, and sees the activity; another customer sees nothing")
    func registers() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            let mira = try await server.headers(.customer, "mira")
            let noor = try await server.headers(.customer, "noor")
            try await service.show(1, of: delivery)
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                let registered = try await client.execute(
                    uri: "/v1/devices/phone", method: .put, headers: mira,
                    body: ByteBuffer(string: #"{"transport":"stream","locale":"da","timeZone":"Europe/Copenhagen"}"#))
                #expect(registered.status == .ok)
                let device = try WireJSON.decode(DeviceBody.self, from: Data(registered.body.readableBytesView))
                #expect(device.customer == "mira" && device.locale == "da" && device.activitiesEnabled)
                try await service.reconcile()
                let card = try #require(try await service.cards(of: delivery).first)
                let reported = try await client.execute(
                    uri: "/v1/devices/phone/reports", method: .post, headers: mira,
                    body: ByteBuffer(
                        string:
                            #"{"reports":[{"card":"\#(card.card)","kind":"shown","revision":{"version":1,"step":0}},"#
                            + #"{"card":"\#(UUID())","kind":"ended"}]}"#))
                #expect(reported.status == .accepted)
                let taken = try WireJSON.decode(ReportsTakenBody.self, from: Data(reported.body.readableBytesView))
                #expect(taken == ReportsTakenBody(taken: 1, unknown: 1))
                let path = "/v1/activities/\(DispatchUnderTest.activity(delivery))"
                let shown = try await client.execute(uri: path, method: .get, headers: mira)
                let body = try WireJSON.decode(ActivityBody.self, from: Data(shown.body.readableBytesView))
                #expect(body.cards.map(\.state) == ["active"] && body.timeline == nil)
                for uri in [path, "/v1/devices/phone/stream"] {
                    let hidden = try await client.execute(uri: uri, method: .get, headers: noor)
                    #expect(hidden.status == .notFound)
                }
            }
        }
    }

    @Test("Another customer's device is taken over with its secret alone; its own customer goes on without")
    func secret() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                func register(as customer: String, secret: String? = nil) async throws -> (Int, DeviceBody?) {
                    let answer = try await client.execute(
                        uri: "/v1/devices/phone", method: .put, headers: try await server.headers(.customer, customer),
                        body: ByteBuffer(bytes: try WireJSON.encode(RegisterDeviceBody(secret: secret))))
                    return (
                        Int(answer.status.code),
                        try? WireJSON.decode(DeviceBody.self, from: Data(answer.body.readableBytesView))
                    )
                }
                let first = try #require(try await register(as: "mira").1?.secret)
                #expect(try await register(as: "noor").0 == 403)
                #expect(try await register(as: "noor", secret: "guessed").0 == 403)
                let stored = try await ActivityRepository.device(DispatchUnderTest.phone, on: service.pool)
                #expect(stored?.device.customer == DispatchUnderTest.mira)
                #expect(stored?.secretHash == DeviceSecret(first).hash)

                let kept = try await register(as: "mira", secret: first)
                #expect(kept.0 == 200 && kept.1?.secret == nil)
                let second = try #require(try await register(as: "mira").1?.secret)
                #expect(second != first)
                #expect(try await register(as: "noor", secret: first).0 == 403)
                let signedIn = try await register(as: "noor", secret: second)
                #expect(signedIn.0 == 200 && signedIn.1?.customer == "noor" && signedIn.1?.secret == nil)
                #expect(try await register(as: "mira", secret: second).0 == 200)

                // As the former version stored it.
                try await service.pool.execute("UPDATE devices SET secret_hash = NULL")
                #expect(try await register(as: "noor").0 == 200)
                #expect(try await register(as: "mira").0 == 403)
            }
        }
    }

    @Test("A customer has a limited number of devices; a registered one may register again")
    func deviceLimit() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            let mira = try await server.headers(.customer, "mira")
            let devicesMax = service.registerDevice.devicesPerCustomerMax
            try await service.register(try #require(DeviceID(rawValue: "noors")), for: DispatchUnderTest.noor)
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                func register(_ device: String, as headers: HTTPFields? = nil) async throws -> TestResponse {
                    try await client.execute(
                        uri: "/v1/devices/\(device)", method: .put, headers: headers ?? mira,
                        body: ByteBuffer(string: "{}"))
                }
                for number in 1...devicesMax { #expect(try await register("phone-\(number)").status == .ok) }
                for device in ["phone-more", "noors"] {
                    let refused = try await register(device)
                    #expect(refused.status == .conflict)
                    #expect(String(buffer: refused.body).contains("too-many-devices"))
                }
                #expect(try await register("phone-1").status == .ok)
                let ofStore = try await server.headers(.customer, "mira", store: "valby")
                #expect(try await register("phone-of-store", as: ofStore).status == .ok)
                let widened = try await register("phone-of-store")
                #expect(widened.status == .conflict)
                #expect(String(buffer: widened.body).contains("too-many-devices"))
            }
        }
    }

    @Test("A token of one delivery sees that delivery's activity, no other and no summary, and has no device")
    func tokenOfOneDelivery() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            let others = [DeliveryID(UUID()), DeliveryID(UUID())]
            try await service.register()
            for delivery in [delivery] + others { try await service.show(1, of: delivery) }
            let summary = try await ActivityRepository.live(of: DispatchUnderTest.mira, on: service.pool).first(
                where: \.isSummary)
            let hidden = others.map { DispatchUnderTest.activity($0).rawValue } + [try #require(summary).id.rawValue]
            let scoped = try await server.headers(.customer, "mira", delivery: delivery.rawValue)
            let unreadable = try await server.headers(.customer, "mira", delivery: "-")
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                func get(_ id: String, _ headers: HTTPFields) async throws -> HTTPResponse.Status {
                    try await client.execute(uri: "/v1/activities/\(id)", method: .get, headers: headers).status
                }
                #expect(try await get(DispatchUnderTest.activity(delivery).rawValue, scoped) == .ok)
                for id in hidden {
                    #expect(try await get(id, scoped) == .notFound)
                    #expect(try await get(id, unreadable) == .unauthorized)
                }
                let routes: [(HTTPRequest.Method, String, String)] = [
                    (.put, "", "{}"), (.get, "/stream", ""), (.post, "/reports", #"{"reports":[]}"#),
                ]
                for (method, path, body) in routes {
                    let refused = try await client.execute(
                        uri: "/v1/devices/phone\(path)", method: method, headers: scoped,
                        body: ByteBuffer(string: body))
                    #expect(refused.status == .forbidden)
                    #expect(String(buffer: refused.body).contains("token-of-one-delivery"))
                }
            }
        }
    }

    @Test("A device's newer stream replaces its older one, however often it connects")
    func newerStream() async throws {
        try await DispatchUnderTest.run { service in
            let phone = DispatchUnderTest.phone
            let tablet = try #require(DeviceID(rawValue: "tablet"))
            let other = service.hub.open(tablet, of: DispatchUnderTest.mira, lastEventID: 0)
            var slots: [DeviceSlot] = []
            for _ in 0..<20 {
                let slot = service.hub.open(phone, of: DispatchUnderTest.mira, lastEventID: 0)
                slots.append(try #require(slot))
            }
            #expect(service.hub.streams.count == 2)
            for slot in slots.dropLast() {
                #expect(await slot.signal.next() == nil)
            }
            service.hub.wake(phone)
            #expect(await slots[19].signal.next() == .events)
            slots = []
            #expect(service.hub.streams.count == 1)
            withExtendedLifetime(other) {}
        }
    }

    @Test("A sixth stream of one customer is refused; a malformed Last-Event-ID is refused by where it is")
    func streamLimits() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            let mira = try await server.headers(.customer, "mira")
            try await service.register()
            let slots = (0..<5).map { number in
                DeviceID(rawValue: "tablet-\(number)").flatMap {
                    service.hub.open($0, of: DispatchUnderTest.mira, lastEventID: 0)
                }
            }
            #expect(slots.allSatisfy { $0 != nil })
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                let sixth = try await client.execute(uri: "/v1/devices/phone/stream", method: .get, headers: mira)
                #expect(sixth.status == .tooManyRequests && String(buffer: sixth.body).contains("\"streams_max\":5"))
                let (phone, valby) = (DispatchUnderTest.phone, StoreID(rawValue: "valby"))
                #expect(service.hub.open(phone, of: DispatchUnderTest.mira, within: valby, lastEventID: 0) != nil)
                var wrong = mira
                wrong[.lastEventID] = "yesterday"
                let refused = try await client.execute(uri: "/v1/devices/phone/stream", method: .get, headers: wrong)
                #expect(refused.status == .badRequest)
                #expect(String(buffer: refused.body).contains(#""path":"header Last-Event-ID""#))
                let query = try await client.execute(
                    uri: "/v1/devices/phone/stream?lastEventID=yesterday", method: .get, headers: mira)
                #expect(query.status == .badRequest)
                #expect(String(buffer: query.body).contains(#""path":"query lastEventID""#))
            }
        }
    }

    @Test(
        "The field that is wrong in a registration or a report is named",
        arguments: [
            ("PUT", "/v1/devices/phone", #"{"transport":"pigeon"}"#, "transport"),
            ("PUT", "/v1/devices/phone", #"{"timeZone":"Mars/Olympus"}"#, "timeZone"),
            ("PUT", "/v1/devices/phone", #"{"locale":"da\u001b[2J"}"#, "locale"),
            ("PUT", "/v1/devices/phone", #"{"appVersion":"4\u0007"}"#, "appVersion"),
            (
                "PUT", "/v1/devices/phone",
                #"{"appVersion":"a\#(String(repeating: "\u{301}", count: 9_999))"}"#, "appVersion"
            ),
            ("PUT", "/v1/devices/phone", #"{"transport":"apns","pushToStartToken":"no hex"}"#, "pushToStartToken"),
            ("PUT", "/v1/devices/phone", #"{"pushToStartToken":"abc"}"#, "pushToStartToken"),
            ("PUT", "/v1/devices/phone", #"{"osVersion":"18 beta"}"#, "osVersion"),
            ("PUT", "/v1/devices/phone", #"{"bundleID":"shop.app.push-type.liveactivity"}"#, "bundleID"),
            ("PUT", "/v1/devices/phone", #"{"transport":"apns"}"#, "transport"),
            ("POST", "/v1/devices/phone/reports", #"{"reports":[{"kind":"shown"}]}"#, "reports[0]"),
            ("POST", "/v1/devices/phone/reports", #"{"reports":[{"kind":"shown","card":"x"}]}"#, "reports[0].card"),
            (
                "POST", "/v1/devices/phone/reports", #"{"reports":[{"kind":"failed","activity":"a"}]}"#,
                "reports[0].code"
            ),
            ("POST", "/v1/devices/phone/reports", #"{"reports":[{"kind":"inventory"}]}"#, "reports[0].instances"),
        ])
    func named(method: String, uri: String, body: String, path: String) async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            let mira = try await server.headers(.customer, "mira")
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                let answer = try await client.execute(
                    uri: uri, method: HTTPRequest.Method(method)!, headers: mira, body: ByteBuffer(string: body))
                #expect(answer.status == .badRequest)
                #expect(String(buffer: answer.body).contains(#""path":"\#(path)""#))
            }
        }
    }

    @Test("Operators list a delivery's activities with their timeline, resend, end and republish; customers cannot")
    func operators() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            let ida = try await server.headers(.operator, "ida")
            let mira = try await server.headers(.customer, "mira")
            try await service.showOnPhone(delivery)
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                let list = "/v1/activities?delivery=\(delivery)"
                let listed = try await client.execute(uri: list, method: .get, headers: ida)
                let body = try WireJSON.decode(ActivitiesBody.self, from: Data(listed.body.readableBytesView))
                #expect(body.activities.map(\.id) == [DispatchUnderTest.activity(delivery).rawValue])
                #expect(body.activities[0].timeline?.map(\.what) == ["start"])
                #expect(try await client.execute(uri: list, method: .get, headers: mira).status == .notFound)
                let unknown = try await client.execute(uri: "\(list)&rendered=yes", method: .get, headers: ida)
                #expect(unknown.status == .badRequest)
                #expect(String(buffer: unknown.body).contains(#""path":"query rendered""#))

                let resend = "/v1/activities/\(DispatchUnderTest.activity(delivery))/resend"
                let noReason = try await client.execute(
                    uri: resend, method: .post, headers: ida, body: ByteBuffer(string: #"{"reason":" "}"#))
                #expect(noReason.status == .badRequest)
                let resent = try await client.execute(
                    uri: resend, method: .post, headers: ida, body: ByteBuffer(string: #"{"reason":"called"}"#))
                #expect(resent.status == .accepted && String(buffer: resent.body) == #"{"cards":1}"#)
                let republished = try await client.execute(uri: "/v1/admin/republish", method: .post, headers: ida)
                #expect(republished.status == .accepted && String(buffer: republished.body) == #"{"republished":1}"#)
                try await service.end(2, of: delivery)
                try await service.reconcile()
                // The override and the end have a form of their own in the document.
                #expect(try await client.execute(uri: list, method: .get, headers: ida).status == .ok)
            }
        }
    }

    @Test("The OpenAPI document has exactly the routes that are served")
    func openAPI() async throws {
        try await DispatchUnderTest.run { service in
            let document = try OpenAPIDocument(yaml: PackageResources.openapi_yaml)
            let http = try await server(service).http
            #expect(document.routes == http.routes.filter { !$0.hasPrefix("HEAD ") }.sorted())
            #expect(document.queryFaults { http.queryParameters.names(of: $0, $1) } == [])
        }
    }
}
