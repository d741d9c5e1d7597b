import AsyncHTTPClient
import EmulatorAPI
import Foundation
import HTTPTypes
import Hummingbird
import LiveActivity
import Logging
import NIOFoundationCompat
import NIOHTTP1
import PhoneRules
import Synchronization
import Testing

@testable import APNsEmulator

@Suite("The app of an emulated phone", .timeLimit(.minutes(10)))
struct EmulatedAppTests {
    static let noon = 1_795_262_400
    let noon = EmulatedAppTests.noon

    // MARK: What it makes of what it notices

    private func phoneWithCard() -> PushedPhone {
        var phone = PushedPhone(
            .init(osVersion: .pushToStart, bundleID: "shop.nordhavn.app", tokenSeed: 1), at: noon)
        push("start", at: noon, to: &phone, token: phone.startToken)
        return phone
    }

    private func push(_ event: String, at timestamp: Int, step: Int = 0, to phone: inout PushedPhone, token: String?) {
        _ = phone.deliver(
            PendingPush(
                id: "\(timestamp)", token: token ?? "", priority: 10, expiration: nil,
                bytes: Pushes.body(event, at: timestamp, step: step)), at: timestamp)
    }

    @Test("A start is reported with the card of its attributes, its own id, the revision of its content and its token")
    func started() throws {
        let phone = phoneWithCard()
        let activity = try #require(phone.activities.first)
        var memory = AppMemory()
        let reports = memory.reports(of: .started(instance: activity.instance), on: phone, in: .sandbox, at: noon)
        let report = try #require(reports.first)
        #expect(report.kind == .started)
        #expect(report.card == "c-1")
        #expect(report.activity == "a-1")
        #expect(report.instance == activity.instance)
        #expect(report.revision?.version == 1)
        #expect(report.updateToken?.value == activity.updateToken)
        #expect(report.updateToken?.environment == .sandbox)
        let again = memory.reports(of: .updateToken(instance: activity.instance), on: phone, in: .sandbox, at: noon)
        #expect(again.isEmpty, "the token went up with the start")
    }

    @Test("A token that rotated is uploaded with a higher generation and the time it was seen")
    func generation() throws {
        var phone = phoneWithCard()
        let instance = try #require(phone.activities.first?.instance)
        var memory = AppMemory()
        let first = memory.reports(of: .started(instance: instance), on: phone, in: .production, at: noon)
        _ = phone.rotate(.update(instance: instance), at: noon + 60)
        let second = memory.reports(of: .updateToken(instance: instance), on: phone, in: .production, at: noon + 61)
        let tokens = (first + second).compactMap(\.updateToken)
        #expect(tokens.count == 2)
        #expect(tokens[0].generation < tokens[1].generation)
        #expect(tokens[1].observedAt == Date(timeIntervalSince1970: TimeInterval(noon + 61)))
    }

    @Test("An inventory names every card that the app sees, and brings the tokens of those that live")
    func inventory() throws {
        var phone = phoneWithCard()
        push("start", at: noon + 1, to: &phone, token: phone.startToken)
        push("end", at: noon + 2, step: 5, to: &phone, token: phone.activities.first?.updateToken)
        var memory = AppMemory()
        let reports = memory.inventory(of: phone, in: .production, at: noon + 3)
        #expect(reports.map(\.kind) == [.inventory, .started])
        #expect(reports[0].instances?.map(\.state) == ["ended", "active"])
        #expect(reports[0].instances?.map(\.revision.step) == [5, 0])
        #expect(reports[1].updateToken != nil)
        #expect(reports[1].instance == reports[0].instances?[1].instance)
    }

    @Test("A swipe is reported as dismissed, an update as shown with its revision")
    func states() throws {
        var phone = phoneWithCard()
        let instance = try #require(phone.activities.first?.instance)
        var memory = AppMemory()
        push("update", at: noon + 1, step: 4, to: &phone, token: phone.activities.first?.updateToken)
        let shown = memory.reports(of: .content(instance: instance), on: phone, in: .production, at: noon + 1)
        #expect(shown.first?.kind == .shown)
        #expect(shown.first?.revision?.step == 4)
        #expect(shown.first?.updateToken == nil, "a token goes up with a start alone")
        _ = phone.swipe(instance: instance, at: noon + 2)
        let dismissed = memory.reports(of: .state(instance: instance), on: phone, in: .production, at: noon + 2)
        #expect(dismissed.first?.kind == .dismissed)
        #expect(dismissed.first?.updateToken == nil)
    }

    // MARK: Over HTTP

    /// A service of the tests: keeps what it was sent, and has every instance but the first ended.
    private final class FakeService: Sendable {
        let requests = Mutex<[(method: String, path: String, body: Data, token: String)]>([])
        private let first = Mutex<String?>(nil)
        /// What `wanted` answers.
        let wanted = Mutex<[[String: any Sendable]]>([])

        func answer(_ request: Request) async throws -> Response {
            let data = Data(buffer: try await request.body.collect(upTo: 1 << 20))
            if request.method == .get { return try Self.json(["activities": wanted.withLock(\.self)]) }
            let body = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            let token = request.headers[.authorization] ?? ""
            let line = (request.method.rawValue, request.uri.path, data, token)
            requests.withLock { $0.append(line) }
            var answer: [String: Any] = ["secret": "s-1"]
            if let reports = body["reports"] as? [[String: Any]] {
                let named = reports.flatMap { report in
                    ((report["instances"] as? [[String: Any]])?.compactMap { $0["instance"] as? String } ?? [])
                        + [report["instance"] as? String].compactMap { $0 }
                }
                answer = [
                    "taken": reports.count, "unknown": 0,
                    "instances": named.map { ["instance": $0, "action": isFirst($0) ? "keep" : "end"] },
                ]
            }
            return try Self.json(answer)
        }

        private static func json(_ answer: [String: Any]) throws -> Response {
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: .init(byteBuffer: .init(data: try JSONSerialization.data(withJSONObject: answer))))
        }

        private func isFirst(_ instance: String) -> Bool {
            first.withLock { first in
                first = first ?? instance
                return first == instance
            }
        }
    }

    /// Runs a service and an emulator for as long as `body` takes; it is given the service's port.
    ///
    /// - Parameter hasWanted: whether the service is new enough to say what is wanted.
    private func run(
        _ service: FakeService, hasWanted: Bool,
        _ body: @escaping @Sendable (RunningEmulator, _ port: Int) async throws -> Void
    ) async throws {
        let router = Router()
        router.put("v1/devices/{id}") { request, _ in try await service.answer(request) }
        router.post("v1/devices/{id}/reports") { request, _ in try await service.answer(request) }
        if hasWanted { router.get("v1/devices/{id}/wanted") { request, _ in try await service.answer(request) } }
        let (ports, listens) = AsyncStream.makeStream(of: Int.self)
        var logger = Logger(label: "test")
        logger.logLevel = .error
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { listens.yield($0.localAddress?.port ?? 0) }, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            defer { group.cancelAll() }
            guard let port = await ports.first(where: { _ in true }) else { return }
            try await RunningEmulator.run { try await body($0, port) }
        }
    }

    @Test("At its launch an app starts what is wanted and missing, and reports what ActivityKit refuses")
    func wanted() async throws {
        let service = FakeService()
        let content = try #require(
            try JSONSerialization.jsonObject(with: Data(Pushes.body("update", at: noon))) as? [String: Any])
        let state = try #require((content["aps"] as? [String: Any])?["content-state"])
        let text = String(decoding: try JSONSerialization.data(withJSONObject: state), as: UTF8.self)
        for number in 1...7 {
            // The last one is not to be started yet.
            let startAt = number == 7 ? 4_000_000_000 : 1
            let one = """
                {"activity":"a-\(number)","card":"c-\(number)","startAt":\(startAt),"staleAt":4000000000,
                "relevance":1,"content":\(text),
                "attributes":{"activity":"a-\(number)","store":"Nordhavn","itemCount":3,"timeZone":"UTC"}}
                """
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(one.utf8)) as? [String: any Sendable])
            service.wanted.withLock { $0.append(object) }
        }
        try await run(service, hasWanted: true) { emulator, port in
            try emulator.addPhone("p") {
                $0.serviceURL = "http://127.0.0.1:\(port)"
                $0.customerToken = "customer"
            }
            for await _ in try emulator.emulator.fleet.changes(of: "p") {
                let requests = service.requests.withLock(\.self)
                if requests.contains(where: { String(decoding: $0.body, as: UTF8.self).contains("\"failed\"") }) {
                    break
                }
            }
            let phone = try emulator.emulator.fleet.phone("p").phone
            #expect(phone.phone.rememberedCards.compactMap(\.attributes.card) == (1...5).map { "c-\($0)" })
            #expect(phone.startBudget.left(at: emulator.emulator.fleet.clock.now) == phone.startBudget.size)
        }
        let reports = try service.requests.withLock(\.self).flatMap { request in
            let body = try JSONSerialization.jsonObject(with: request.body) as? [String: Any]
            return body?["reports"] as? [[String: Any]] ?? []
        }
        let failures = reports.filter { $0["kind"] as? String == "failed" }
        #expect(failures.map { $0["code"] as? String } == ["targetMaximumExceeded"])
        #expect(failures.first?["card"] as? String == "c-6")
        #expect(failures.first?["activity"] as? String == "a-6")
    }

    @Test("Before iOS 16.2 the app talks to no service, and so shows no card")
    func oldSystem() async throws {
        try await RunningEmulator.run { emulator in
            for (phone, version, isSilent) in [("old", "16.1", true), ("newer", "16.2", false)] {
                try emulator.addPhone(phone) { $0.osVersion = version }
                let exchange = NotingExchange()
                var memory = AppMemory()
                let app = EmulatedApp(
                    phone: phone, fleet: emulator.emulator.fleet, service: exchange, logger: Logger(label: "test"))
                try await app.handle(.launched, &memory)
                #expect(exchange.requests.withLock(\.isEmpty) == isSilent, "\(version)")
            }
        }
    }

    @Test("That Live Activities are switched off is said before the cards that leave with the switch")
    func switchedOff() async throws {
        try await RunningEmulator.run { emulator in
            let start = try emulator.addPhone("p")
            let fleet = emulator.emulator.fleet
            let exchange = NotingExchange()
            var memory = AppMemory()
            let app = EmulatedApp(phone: "p", fleet: fleet, service: exchange, logger: Logger(label: "test"))
            try await app.handle(.launched, &memory)
            let instance = try Self.startCard(on: fleet, by: start, secondsAgo: 0)
            try fleet.change("p") { phone, now in phone.switchLiveActivities(on: false, at: now) }
            exchange.requests.withLock { $0 = [] }
            try await app.handle(.state(instance: instance), &memory)
            let requests = exchange.requests.withLock(\.self)
            #expect(requests.count == 2)
            #expect(requests.first?.contains("\"activitiesEnabled\":false") == true)
            #expect(requests.last?.contains("dismissed") == true)
        }
    }

    @Test("An app registers, uploads its tokens, reports, and ends at once what it is to end")
    func overHTTP() async throws {
        let service = FakeService()
        try await run(service, hasWanted: false) { emulator, port in
            let start = try emulator.addPhone("p") {
                $0.serviceURL = "http://127.0.0.1:\(port)"
                $0.customerToken = "customer"
                $0.device = "d-1"
            }
            let provider = try await emulator.connect()
            try await provider.send(emulator.headers(start), Pushes.body("start", at: noon), on: 1)
            try await provider.send(emulator.headers(start), Pushes.body("start", at: noon), on: 3)
            // Two starts make duplicates; the service has the second ended.
            for await _ in try emulator.emulator.fleet.changes(of: "p") {
                let phone = try emulator.emulator.fleet.phone("p")
                if phone.phone.phone.rememberedCards.count == 2, phone.phone.activities.count == 1 { break }
            }
            await provider.close()
        }
        let requests = service.requests.withLock(\.self)
        #expect(requests.first?.method == "PUT")
        #expect(requests.first?.path == "/v1/devices/d-1")
        #expect(requests.allSatisfy { $0.token == "Bearer customer" })
        let bodies = try requests.map {
            try #require(try JSONSerialization.jsonObject(with: $0.body) as? [String: Any])
        }
        let registration = try #require(bodies.first)
        #expect(registration["transport"] as? String == "apns")
        #expect(registration["osVersion"] as? String == "18.0")
        #expect(registration["bundleID"] as? String == "shop.nordhavn.app")
        let token = registration["pushToStartToken"] as? [String: Any]
        #expect(token?["environment"] as? String == "production")
        #expect(token?["generation"] as? Int == 1)
        #expect((token?["observedAt"] as? String)?.hasSuffix("Z") == true)
        let reports = bodies.flatMap { $0["reports"] as? [[String: Any]] ?? [] }
        #expect(reports.contains { $0["kind"] as? String == "inventory" })
        #expect(reports.contains { $0["updateToken"] != nil })
        #expect(!reports.contains { $0["kind"] as? String == "dismissed" }, "the app's own end is no swipe")
    }
}
