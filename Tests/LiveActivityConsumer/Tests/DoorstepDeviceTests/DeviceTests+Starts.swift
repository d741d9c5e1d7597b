import Foundation
import LiveActivity
import Testing

@testable import DoorstepDevice

extension DeviceTests {
    // MARK: - Local starts

    @Test("In the foreground it starts what is wanted by now and is not there, with the card's id")
    func wanted() async throws {
        let phone = FakePhone(present: [.sample("i-1"), .sample("i-2", card: "c-2", activity: "b-1", .ended)])
        let wanted: [WantedBody.Activity] = [
            .sample("a-1"), .sample("b-1", card: "c-3"), .sample("later", startAt: sixPM + 1), .sample("d-1"),
        ]
        let body = String(decoding: try JSONEncoder().encode(WantedBody(activities: wanted)), as: UTF8.self)
        let server = FakeServer { request in
            request.url.lastPathComponent == "wanted" ? .json(body) : try FakeServer.standard(request)
        }
        try await TestDevice.run(phone: phone, server: server) { test in
            try await test.launched()
            await test.device.enteredForeground()
            // Of what has ended the server may have to say that it is to go.
            #expect(try await test.server.nextReports().map { $0["kind"] as? String } == ["inventory"])
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            await test.phone.change("i-1", .shown(Revision(version: 8, step: 0)))
            _ = try await test.server.nextReports()
            #expect(phone.started.map(\.activity) == ["b-1", "d-1"])
            #expect(phone.started.map(\.attributes.card) == ["c-3", nil])
        }
    }

    @Test("In the foreground it reports why the phone started nothing, each reason once in ten minutes")
    func failedStart() async throws {
        let (phone, clock) = (FakePhone(), TestDevice.PhoneClock())
        phone.refuseStarts("targetMaximumExceeded")
        let body = String(
            decoding: try JSONEncoder().encode(WantedBody(activities: [.sample("a-1", card: "c-9")])), as: UTF8.self)
        let server = FakeServer { request in
            request.url.lastPathComponent == "wanted" ? .json(body) : try FakeServer.standard(request)
        }
        try await TestDevice.run(phone: phone, server: server, clock: clock) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            let report = try #require(try await test.server.nextReports().first)
            #expect(report["kind"] as? String == "failed" && report["code"] as? String == "targetMaximumExceeded")
            #expect(report["card"] as? String == "c-9" && report["activity"] as? String == "a-1")
            clock.advance(by: 30)
            try await test.device.refresh()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            clock.advance(by: 570)
            try await test.device.refresh()
            try await test.device.refresh()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            #expect(try await test.server.nextReports().first?["code"] as? String == "targetMaximumExceeded")
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            phone.refuseStarts("unsupported")
            try await test.device.refresh()
            await test.device.enteredForeground()
            for _ in 0..<2 {
                _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
                #expect(try await test.server.nextReports().first?["code"] as? String == "unsupported")
            }
            // Of the customer who has signed in nothing is reported yet.
            await test.device.signedIn()
            try await test.device.refresh()
            _ = try await test.server.next(.put, "/v1/devices/phone")
            #expect(try await test.server.nextReports().map { $0["kind"] as? String } == ["inventory"])
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            #expect(try await test.server.nextReports().first?["code"] as? String == "unsupported")
        }
    }

    @Test("A report of a refused start whose answer was lost is not sent again once its owner allows Live Activities")
    func allowedSince() async throws {
        let phone = FakePhone()
        phone.setPermissionSilently(PhonePermission(activities: false, frequentPushes: true))
        phone.refuseStarts("denied")
        let body = String(
            decoding: try JSONEncoder().encode(WantedBody(activities: [.sample("a-1", card: "c-9")])), as: UTF8.self)
        try await TestDevice.run(phone: phone) { test in
            try await test.launched()
            test.server.answers { request in
                switch request.url.lastPathComponent {
                case "wanted": return .json(body)
                case "reports": throw URLError(.networkConnectionLost)
                default: return try FakeServer.standard(request)
                }
            }
            let (device, server, reported) = (test.device, test.server, Counter())
            test.server.beforeAnswers { request in
                guard request.url.lastPathComponent == "reports", reported.next() == 1 else { return }
                server.answers(FakeServer.standard)
                phone.setPermissionSilently(PhonePermission(activities: true, frequentPushes: true))
                await device.enteredForeground()
            }
            await device.enteredForeground()
            _ = try await server.next(.get, "/v1/devices/phone/wanted")
            #expect(try await server.nextReports().map { $0["code"] as? String } == ["denied"])
            let registered = try await server.next(.put, "/v1/devices/phone")
            #expect(registered["activitiesEnabled"] as? Bool == true)
            _ = try await server.next(.get, "/v1/devices/phone/wanted")
            phone.push(.sample("i-1"))
            #expect(try await server.nextReports().map { $0["kind"] as? String } == ["started"])
        }
    }

    @Test(
        "An answer from before the end of its card starts no second one, and the card that follows is started",
        arguments: [("c-1", []), ("c-2", ["a-1"])] as [(String, [String])])
    func endedMeanwhile(card: String, started: [String]) async throws {
        let phone = FakePhone(present: [.sample("i-1", card: "c-1")])
        let body = String(
            decoding: try JSONEncoder().encode(WantedBody(activities: [.sample("a-1", card: card)])), as: UTF8.self)
        let server = FakeServer { request in
            request.url.lastPathComponent == "wanted" ? .json(body) : try FakeServer.standard(request)
        }
        let asked = Counter()
        server.beforeAnswers { request in
            // The first is that of the launch.
            guard request.url.lastPathComponent == "wanted", asked.next() == 2 else { return }
            phone.setEnded("i-1")
        }
        try await TestDevice.run(phone: phone, server: server) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            try await test.device.refresh()
            #expect(phone.started.map(\.activity) == started)
        }
    }

    // MARK: - Who is signed in

    @Test("Signing out ends the cards and has the server start none; signing in begins anew")
    func signOut() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        try await TestDevice.run(phone: phone) { test in
            try await test.launched()
            test.phone.setStartToken([7])
            while await test.device.startToken == nil { await Task.yield() }
            try await test.device.signOut()
            #expect(phone.ended == ["i-1"])
            #expect(await test.identities.kept?.isSignedOut == true)
            var body: [String: Any]
            repeat {
                body = try await test.server.next(.put, "/v1/devices/phone")
            } while body["activitiesEnabled"]
                as? Bool == true
            #expect(body["pushToStartToken"] is NSNull)
            await test.device.signedIn()
            let again = try await test.server.next(.put, "/v1/devices/phone")
            #expect((again["pushToStartToken"] as? [String: Any])?["value"] as? String == "07")
            #expect(again["activitiesEnabled"] as? Bool == true)
            let reports = try await test.server.nextReports()
            #expect(reports.count == 1 && (reports[0]["instances"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("What was wanted before the sign-out is neither started nor scheduled nor shown after it")
    func signedOutMeanwhile() async throws {
        let phone = FakePhone()
        let wanted: [WantedBody.Activity] = [
            .sample("a-1", card: "c-1"),
            .sample(
                "b-1", card: "c-2", startAt: sixPM + 3600,
                schedule: .init(
                    alert: PushAlert(title: .plain("Later"), body: .plain("Follow it"), sound: nil), instance: nil)),
        ]
        let body = String(decoding: try JSONEncoder().encode(WantedBody(activities: wanted)), as: UTF8.self)
        try await TestDevice.run(phone: phone) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            test.server.answers { request in
                request.url.lastPathComponent == "wanted" ? .json(body) : try FakeServer.standard(request)
            }
            let (device, server, asked) = (test.device, test.server, Counter())
            test.server.beforeAnswers { request in
                guard request.url.lastPathComponent == "wanted", asked.next() == 1 else { return }
                server.answers(FakeServer.standard)
                // The server answers the registration.
                try? await device.signOut()
                await device.signedIn()
            }
            try await device.refresh()
            #expect(phone.started.isEmpty && phone.scheduled.isEmpty)
        }
    }

    @Test("What was wanted before another customer signed in is not started, and it is asked again for that one")
    func signedInMeanwhile() async throws {
        let phone = FakePhone()
        func body(_ activity: String) throws -> String {
            let wanted = WantedBody(activities: [.sample(activity, card: "c-1")])
            return String(decoding: try JSONEncoder().encode(wanted), as: UTF8.self)
        }
        let (former, present) = (try body("a-1"), try body("b-1"))
        try await TestDevice.run(phone: phone) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            test.server.answers { request in
                request.url.lastPathComponent == "wanted" ? .json(former) : try FakeServer.standard(request)
            }
            let (device, server, asked) = (test.device, test.server, Counter())
            test.server.beforeAnswers { request in
                guard request.url.lastPathComponent == "wanted", asked.next() == 1 else { return }
                server.answers { request in
                    request.url.lastPathComponent == "wanted" ? .json(present) : try FakeServer.standard(request)
                }
                await device.signedIn()
            }
            try await device.refresh()
            try #require(!phone.started.contains { $0.activity == "a-1" })
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            _ = try await test.server.next(.put, "/v1/devices/phone")
            _ = try await test.server.nextReports()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            while phone.started.isEmpty { await Task.yield() }
            #expect(phone.started.map(\.activity) == ["b-1"])
        }
    }

    @Test("A sign-out outlasts the app's launch: what a push has started since is ended, until a customer signs in")
    func signedOutBeforeLaunch() async throws {
        var identity = DeviceIdentity(id: "phone")
        identity.isSignedOut = true
        let phone = FakePhone(present: [.sample("i-1")])
        try await TestDevice.run(phone: phone, identity: identity) { test in
            while phone.ended.isEmpty { await Task.yield() }
            phone.push(.sample("i-2", card: "c-2", activity: "b-1"))
            while !phone.ended.contains("i-2") { await Task.yield() }
            #expect(phone.ended == ["i-1", "i-2"])
            await test.device.signedIn()
            let body = try await test.server.next(.put, "/v1/devices/phone")
            #expect(body["activitiesEnabled"] as? Bool == true)
            #expect(await test.identities.kept?.isSignedOut == nil)
            #expect(try await test.server.nextReports().map { $0["kind"] as? String } == ["inventory"])
        }
    }

    @Test("A card that appears after the sign-out is ended, and what waited for its upload then is not sent later")
    func appearsSignedOut() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        try await TestDevice.run(phone: phone) { test in
            try await test.launched()
            let (signedOut, continuation) = AsyncStream.makeStream(of: Void.self)
            let device = test.device
            test.server.answers { request in
                guard request.url.lastPathComponent == "reports" else { return try FakeServer.standard(request) }
                return .problem("unavailable", status: 503, detail: "later")
            }
            test.server.beforeAnswers { request in
                guard request.url.lastPathComponent == "reports" else { return }
                // The server answers the registration.
                try? await device.signOut()
                continuation.yield()
            }
            await phone.change("i-1", .shown(Revision(version: 8, step: 0)))
            for await _ in signedOut { break }
            _ = try await test.server.nextReports()
            _ = try await test.server.next(.put, "/v1/devices/phone")
            phone.push(.sample("i-2", card: "c-2", activity: "b-1"))
            while !phone.ended.contains("i-2") { await Task.yield() }
            #expect(phone.ended == ["i-1", "i-2"])
            test.server.answers(FakeServer.standard)
            test.server.beforeAnswers { _ in }
            await device.signedIn()
            _ = try await test.server.next(.put, "/v1/devices/phone")
            let reports = try await test.server.nextReports()
            #expect(reports.map { $0["kind"] as? String } == ["inventory"])
            #expect((reports[0]["instances"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("Signing in tells the tokens of what is on the screen again, as they were first seen, and cuts a pause short")
    func signedInAgain() async throws {
        let phone = FakePhone(present: [.sample("i-1"), .sample("i-2", .ended)])
        let (sleeping, continuation) = AsyncStream.makeStream(of: Void.self)
        try await TestDevice.run(phone: phone, sleep: TestDevice.sleepUntilCancelled(continuation)) { test in
            try await test.launched()
            await test.phone.change("i-1", .updateToken(Data([1, 2])))
            let first = try #require(try await test.server.nextReports().first?["updateToken"] as? [String: Any])
            await test.device.signedIn()
            _ = try await test.server.next(.put, "/v1/devices/phone")
            let again = try await test.server.nextReports()
            #expect(again.map { $0["kind"] as? String } == ["inventory", "started"])
            #expect(again.compactMap(token) == ["0102"])
            let second = again.last?["updateToken"] as? [String: Any]
            #expect(second?["generation"] as? Int == first["generation"] as? Int)
            // The session has expired: what waits then is not lost either, a swipe among it.
            test.server.answers { _ in .problem("unauthenticated", status: 401, detail: "the token has expired") }
            await test.phone.change("i-1", .state(.dismissed))
            _ = try await test.server.nextReports()
            for await _ in sleeping { break }
            test.server.answers(FakeServer.standard)
            await test.device.signedIn()
            _ = try await test.server.next(.put, "/v1/devices/phone")
            #expect(try await test.server.nextReports().last?["kind"] as? String == "dismissed")
        }
    }
}
