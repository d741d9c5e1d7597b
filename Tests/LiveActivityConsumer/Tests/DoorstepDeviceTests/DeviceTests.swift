import Foundation
import LiveActivity
import Testing

@testable import DoorstepDevice

@Suite("A device", .timeLimit(.minutes(1)))
struct DeviceTests {
    // MARK: - Registration

    @Test("It registers at launch, keeps its secret, and sends it from then on")
    func registration() async throws {
        try await TestDevice.run { test in
            let first = try await test.server.next(.put, "/v1/devices/phone")
            #expect(first["transport"] as? String == "apns" && first["locale"] as? String == "da")
            #expect(first["bundleID"] as? String == "shop.nordhavn.app" && first["osVersion"] as? String == "17.2")
            #expect(first["activitiesEnabled"] as? Bool == true && first["frequentPushesEnabled"] as? Bool == true)
            #expect(first["secret"] == nil && first["pushToStartToken"] == nil)
            _ = try await test.server.nextReports()
            #expect(await test.identities.kept == DeviceIdentity(id: "phone", secret: "s-1"))
            test.phone.setPermission(PhonePermission(activities: false, frequentPushes: true))
            let second = try await test.server.next(.put, "/v1/devices/phone")
            #expect(second["secret"] as? String == "s-1" && second["activitiesEnabled"] as? Bool == false)
        }
    }

    @Test("It sends what the app remembers of its owner's permission, and each change of it")
    func account() async throws {
        let phone = FakePhone()
        phone.setPermissionSilently(PhonePermission(activities: true, frequentPushes: true, account: .notAsked))
        try await TestDevice.run(phone: phone) { test in
            let first = try await test.server.next(.put, "/v1/devices/phone")
            #expect(first["activitiesPermission"] as? String == "not_asked")
            _ = try await test.server.nextReports()
            phone.setPermission(PhonePermission(activities: true, frequentPushes: true, account: .allowed))
            let second = try await test.server.next(.put, "/v1/devices/phone")
            #expect(second["activitiesPermission"] as? String == "allowed")
        }
    }

    @Test("It makes an identity that is kept before anybody is told of it")
    func newIdentity() async throws {
        try await TestDevice.run(identity: nil) { test in
            let request = await test.server.next()
            let kept = try #require(await test.identities.kept)
            #expect(request.url.lastPathComponent == kept.id && kept.id.count == 36)
        }
    }

    @Test("It forwards the start token once, with where it is from and when it was seen, as ISO 8601")
    func startToken() async throws {
        try await TestDevice.run { test in
            try await test.launched()
            test.phone.setStartToken([0x0A, 0xFF])
            let body = try await test.server.next(.put, "/v1/devices/phone")
            let token = try #require(body["pushToStartToken"] as? [String: Any])
            #expect(token["value"] as? String == "0aff" && token["generation"] as? Int == 1)
            #expect(token["environment"] as? String == "sandbox")
            #expect(token["observedAt"] as? String == "2026-11-21T17:00:00.250Z")
            test.phone.setStartToken([0x0A, 0xFF])
            test.phone.setStartToken([0x0B])
            let next = try await test.server.next(.put, "/v1/devices/phone")["pushToStartToken"] as? [String: Any]
            #expect(next?["value"] as? String == "0b" && next?["generation"] as? Int == 2)
        }
    }

    @Test("A registration that is refused for good after an accepted one is sent again in the foreground, once")
    func refusedRegistration() async throws {
        try await TestDevice.run { test in
            try await test.launched()
            test.server.answers { _ in .problem("device-out-of-scope", status: 403, detail: "one store only") }
            test.phone.setStartToken([9])
            _ = try await test.server.next(.put, "/v1/devices/phone")
            while test.problems.all.isEmpty { await Task.yield() }
            #expect(test.problems.all.map(\.type) == ["device-out-of-scope"] && test.pauses.all.isEmpty)
            test.server.answers(FakeServer.standard)
            await test.device.enteredForeground()
            let body = try await test.server.next(.put, "/v1/devices/phone")
            #expect((body["pushToStartToken"] as? [String: Any])?["value"] as? String == "09")
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            await test.device.enteredForeground()
            // A registration would come before it.
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
        }
    }

    @Test("It says that frequent pushes were switched off, also where the system forgot to tell")
    func missedSwitch() async throws {
        let phone = SilentPhone()
        let server = FakeServer()
        let device = DoorstepDevice(
            try TestDevice.configuration(), activities: phone,
            identities: TestDevice.Identities(DeviceIdentity(id: "phone")), http: server,
            token: { "customer-token" }, onProblem: { _ in }, time: DeviceTime())
        let running = Task { await device.run() }
        defer { running.cancel() }
        _ = try await server.next(.put, "/v1/devices/phone")
        _ = try await server.nextReports()
        phone.switchFrequentPushesOff()
        await device.enteredForeground()
        let body = try await server.next(.put, "/v1/devices/phone")
        #expect(body["frequentPushesEnabled"] as? Bool == false)
    }

    // MARK: - Reports

    @Test("At launch it tells everything that it sees, before anything else, and not what has gone")
    func inventory() async throws {
        let present: [PhoneActivity] = [
            .sample("i-1"), .sample("i-2", card: nil, activity: "b-1", version: 9, .stale),
            .sample("i-3", .ended), .sample("i-4", .pending), .sample("i-5", .dismissed),
        ]
        try await TestDevice.run(phone: FakePhone(present: present)) { test in
            _ = try await test.server.next(.put, "/v1/devices/phone")
            let reports = try await test.server.nextReports()
            #expect(reports.first?["kind"] as? String == "inventory")
            let instances = try #require(reports.first?["instances"] as? [[String: Any]])
            #expect(instances.map { $0["instance"] as? String } == ["i-1", "i-2", "i-3", "i-4"])
            #expect(instances.map { $0["state"] as? String } == ["active", "stale", "ended", "pending"])
            #expect(instances[0]["card"] as? String == "c-1" && instances[1]["card"] == nil)
            #expect(instances[1]["activity"] as? String == "b-1")
            #expect((instances[1]["revision"] as? [String: Int]) == ["version": 9, "step": 0])
        }
    }

    @Test("It takes up the tokens of activities that were there before it was launched")
    func reattached() async throws {
        try await TestDevice.run(phone: FakePhone(present: [.sample("i-1")])) { test in
            try await test.launched()
            await test.phone.change("i-1", .updateToken(Data([1, 2])))
            let report = try #require(try await test.server.nextReports().first)
            #expect(report["kind"] as? String == "started" && report["instance"] as? String == "i-1")
            #expect((report["updateToken"] as? [String: Any])?["value"] as? String == "0102")
            #expect((report["updateToken"] as? [String: Any])?["environment"] as? String == "sandbox")
        }
    }

    @Test("It reports what a push started, each content, and how it left")
    func followed() async throws {
        try await TestDevice.run { test in
            try await test.launched()
            test.phone.push(.sample("i-1"))
            let started = try #require(try await test.server.nextReports().first)
            #expect(started["kind"] as? String == "started" && started["card"] as? String == "c-1")
            #expect(started["activity"] as? String == "a-1" && started["at"] as? String == "2026-11-21T17:00:00.250Z")
            let changes: [(PhoneActivityChange, String, Int)] = [
                (.shown(Revision(version: 8, step: 2)), "shown", 8), (.state(.stale), "stale", 8),
                (.shown(Revision(version: 9, step: 0)), "shown", 9), (.state(.ended), "ended", 9),
                (.state(.dismissed), "dismissed", 9),
            ]
            for (change, kind, version) in changes {
                await test.phone.change("i-1", change)
                let report = try #require(try await test.server.nextReports().first)
                #expect(report["kind"] as? String == kind && report["instance"] as? String == "i-1")
                #expect((report["revision"] as? [String: Int])?["version"] == version)
            }
        }
    }

    @Test("That Live Activities are switched off is said before the cards that leave with the switch")
    func switchedOff() async throws {
        try await TestDevice.run(phone: FakePhone(present: [.sample("i-1")])) { test in
            try await test.launched()
            test.phone.setPermissionSilently(PhonePermission(activities: false, frequentPushes: true))
            await test.phone.change("i-1", .state(.dismissed))
            let body = try await test.server.next(.put, "/v1/devices/phone")
            #expect(body["activitiesEnabled"] as? Bool == false)
            #expect(try await test.server.nextReports().map { $0["kind"] as? String } == ["dismissed"])
        }
    }

    @Test("It ends at once what it is told to end, and does not report that as the customer's doing")
    func duplicates() async throws {
        let phone = FakePhone(present: [.sample("i-1"), .sample("i-2")])
        let server = FakeServer { request in
            guard request.url.lastPathComponent == "reports" else { return try FakeServer.standard(request) }
            return .json(
                #"{"taken":1,"unknown":1,"instances":[{"instance":"i-1","action":"keep"},{"instance":"i-2","action":"end"},{"instance":"i-1","action":"of_tomorrow"}]}"#,
                status: 202)
        }
        try await TestDevice.run(phone: phone, server: server) { test in
            try await test.launched()
            server.answers(FakeServer.standard)
            await test.phone.change("i-1", .shown(Revision(version: 8, step: 0)))
            let reports = try await test.server.nextReports()
            #expect(phone.ended == ["i-2"])
            #expect(reports.map { $0["instance"] as? String } == ["i-1"])
            await test.phone.change("i-1", .state(.dismissed))
            #expect(try await test.server.nextReports().map { $0["kind"] as? String } == ["dismissed"])
        }
    }

    // MARK: - Failures

    @Test("What failed is sent again, after ever longer pauses or as late as the server asks")
    func retries() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        try await TestDevice.run(phone: phone) { test in
            try await test.launched()
            let attempts = Counter()
            test.server.answers { request in
                switch attempts.next() {
                case 1: throw URLError(.notConnectedToInternet)
                case 2: return .problem("unavailable", status: 503, detail: "later", retryAfterSeconds: 30)
                case 3: return .problem("unauthenticated", status: 401, detail: "the token has expired")
                default: return try FakeServer.standard(request)
                }
            }
            await test.phone.change("i-1", .shown(Revision(version: 8, step: 0)))
            for _ in 1...4 {
                let reports = try await test.server.nextReports()
                #expect(reports.map { ($0["revision"] as? [String: Int])?["version"] } == [8])
            }
            await test.phone.change("i-1", .state(.ended))
            #expect(try await test.server.nextReports().map { $0["kind"] as? String } == ["ended"])
            #expect(test.pauses.all == [.seconds(1), .seconds(30), .seconds(4)])
            #expect(test.problems.all.isEmpty)
        }
    }

    @Test("What was refused for good is told and not sent again")
    func refusal() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        try await TestDevice.run(phone: phone) { test in
            try await test.launched()
            test.server.answers { _ in .problem("malformed", status: 400, detail: "1 place is wrong") }
            await test.phone.change("i-1", .shown(Revision(version: 8, step: 0)))
            _ = try await test.server.nextReports()
            test.server.answers(FakeServer.standard)
            await test.phone.change("i-1", .state(.ended))
            #expect(try await test.server.nextReports().map { $0["kind"] as? String } == ["ended"])
            #expect(test.problems.all.first?.type == "malformed" && test.pauses.all.isEmpty)
            #expect(test.problems.all.first?.localizedDescription == "1 place is wrong")
        }
    }

    @Test("A server that has forgotten the device is told of it again, and then of what it refused")
    func forgotten() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        try await TestDevice.run(phone: phone) { test in
            try await test.launched()
            let attempts = Counter()
            test.server.answers { request in
                guard request.url.lastPathComponent == "reports", attempts.next() == 1 else {
                    return try FakeServer.standard(request)
                }
                return .problem("not-found", status: 404, detail: "no such device")
            }
            await test.phone.change("i-1", .updateToken(Data([1, 2])))
            _ = try await test.server.nextReports()
            _ = try await test.server.next(.put, "/v1/devices/phone")
            let again = try await test.server.nextReports()
            #expect(again.map { $0["kind"] as? String } == ["inventory", "started", "started"])
            #expect(again.compactMap(token) == ["0102", "0102"])
            // Forgotten once more, when nothing waits but what it is told.
            test.server.answers { request in
                guard request.url.lastPathComponent == "reports", attempts.next() == 3 else {
                    return try FakeServer.standard(request)
                }
                return .problem("not-found", status: 404, detail: "no such device")
            }
            await test.phone.change("i-1", .shown(Revision(version: 8, step: 0)))
            _ = try await test.server.nextReports()
            _ = try await test.server.next(.put, "/v1/devices/phone")
            let later = try await test.server.nextReports()
            #expect(later.map { $0["kind"] as? String } == ["inventory", "started", "shown"])
            #expect(later.compactMap(token) == ["0102"])
            #expect((later.last?["revision"] as? [String: Int])?["version"] == 8)
        }
    }

    func token(_ report: [String: Any]) -> String? {
        (report["updateToken"] as? [String: Any])?["value"] as? String
    }

    @Test("A registration that is refused for good, once the device was forgotten, is not asked for again and again")
    func forgottenAndRefused() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        try await TestDevice.run(phone: phone) { test in
            try await test.launched()
            test.server.answers { _ in .problem("not-found", status: 404, detail: "no such device") }
            await test.phone.change("i-1", .shown(Revision(version: 8, step: 0)))
            _ = try await test.server.nextReports()
            _ = try await test.server.next(.put, "/v1/devices/phone")
            test.server.answers(FakeServer.standard)
            await test.device.enteredForeground()
            _ = try await test.server.next(.put, "/v1/devices/phone")
            let reports = try await test.server.nextReports()
            #expect(reports.map { $0["kind"] as? String } == ["inventory", "shown"])
        }
    }

    @Test("Nothing is reported before the device is registered")
    func registrationFirst() async throws {
        let attempts = Counter()
        let server = FakeServer { request in
            if attempts.next() <= 2 { return .problem("unavailable", status: 503, detail: "later") }
            return try FakeServer.standard(request)
        }
        try await TestDevice.run(phone: FakePhone(present: [.sample("i-1")]), server: server) { test in
            for _ in 1...3 { _ = try await test.server.next(.put, "/v1/devices/phone") }
            _ = try await test.server.nextReports()
            #expect(test.pauses.all == [.seconds(1), .seconds(2)])
        }
    }

    @Test("Coming to the foreground cuts a pause short")
    func foregroundCutsPause() async throws {
        let attempts = Counter()
        let server = FakeServer { request in
            if attempts.next() == 1 { throw URLError(.timedOut) }
            return try FakeServer.standard(request)
        }
        let (sleeping, continuation) = AsyncStream.makeStream(of: Void.self)
        try await TestDevice.run(server: server, sleep: TestDevice.sleepUntilCancelled(continuation)) { test in
            _ = try await test.server.next(.put, "/v1/devices/phone")
            for await _ in sleeping { break }
            await test.device.enteredForeground()
            _ = try await test.server.next(.put, "/v1/devices/phone")
        }
    }
}

/// A phone whose sequences of switches never say anything.
private final class SilentPhone: PhoneActivities {
    private let phone = FakePhone()

    func switchFrequentPushesOff() { phone.setPermission(PhonePermission(activities: true, frequentPushes: false)) }

    func permission() -> PhonePermission { phone.permission() }
    func permissions() -> AsyncStream<PhonePermission> { AsyncStream { $0.finish() } }
    func startTokens() -> AsyncStream<Data> { phone.startTokens() }
    func present() -> [PhoneActivity] { phone.present() }
    func activities() -> AsyncStream<PhoneActivity> { phone.activities() }
    func changes(of instance: String) -> AsyncStream<PhoneActivityChange> { phone.changes(of: instance) }
    func start(_ activity: WantedBody.Activity) async throws(PhoneStartFailure) -> String {
        try await phone.start(activity)
    }
    func update(_ instance: String, to activity: WantedBody.Activity, timestamp: Int) async {}
    func end(_ instance: String) async { await phone.end(instance) }
}
