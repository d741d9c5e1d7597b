import Foundation
import Testing

@testable import DoorstepDevice

extension DeviceTests {
    // MARK: - Registrations around a sign-out

    private static func isSignOut(_ body: [String: Any]) -> Bool {
        body["pushToStartToken"] is NSNull && body["activitiesEnabled"] as? Bool == false
    }

    private static func sendsSignOut(_ test: TestDevice) async throws -> Bool {
        isSignOut(try await test.server.next(.put, "/v1/devices/phone"))
    }

    @Test("A sign-out waits for no customer's token of an earlier registration, which is then not sent after it")
    func signedOutBeforeToken() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let asked = Counter()
        try await TestDevice.run(
            token: {
                if asked.next() == 1 {
                    for await _ in gate { break }
                }
                return "customer-token"
            }
        ) { test in
            while asked.value == 0 { await Task.yield() }
            try await test.device.signOut()
            #expect(try await Self.sendsSignOut(test))
            open.yield()
            await test.device.signedIn()
            let body = try await test.server.next(.put, "/v1/devices/phone")
            #expect(body["activitiesEnabled"] as? Bool == true)
            // The first registration would come before these.
            #expect(try await test.server.nextReports().map { $0["kind"] as? String } == ["inventory"])
        }
    }

    @Test("A sign-out registers once the registration that is being sent is answered, with the secret of the answer")
    func signedOutBeforeAnswer() async throws {
        let (answered, held) = (Counter(), Counter())
        let server = FakeServer { request in
            guard request.method == .put else { return try FakeServer.standard(request) }
            return .json(#"{"id":"phone","secret":"s-\#(answered.next())"}"#)
        }
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        server.beforeAnswers { request in
            guard request.method == .put, held.next() == 1 else { return }
            for await _ in gate { break }
        }
        try await TestDevice.run(server: server) { test in
            _ = try await server.next(.put, "/v1/devices/phone")
            let device = test.device
            async let signedOut: Void = device.signOut()
            while await !device.isSignedOut { await Task.yield() }
            open.yield()
            let last = try await server.next(.put, "/v1/devices/phone")
            #expect(Self.isSignOut(last) && last["secret"] as? String == "s-1")
            try await signedOut
            let kept = try #require(await test.identities.kept)
            #expect(kept.secret == "s-2" && kept.isSignedOut == true && kept.isSignOutDue == nil)
        }
    }

    @Test("A registration that fails once a sign-out has begun is not sent again, since the sign-out registers")
    func registrationFailedInSignOut() async throws {
        let (asked, held) = (Counter(), Counter())
        let server = FakeServer { request in
            guard asked.next() > 1 else { throw URLError(.notConnectedToInternet) }
            return try FakeServer.standard(request)
        }
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        server.beforeAnswers { _ in
            guard held.next() == 1 else { return }
            for await _ in gate { break }
        }
        let (_, paused) = AsyncStream.makeStream(of: Void.self)
        try await TestDevice.run(server: server, sleep: TestDevice.sleepUntilCancelled(paused)) { test in
            _ = try await server.next(.put, "/v1/devices/phone")
            let device = test.device
            async let signedOut: Void = device.signOut()
            while await !device.isSignedOut { await Task.yield() }
            open.yield()
            try await signedOut
            #expect(try await Self.sendsSignOut(test))
            #expect(await device.needsRegistration == false)
            #expect(await device.pause == nil)
        }
    }

    @Test("A cancelled sign-out ends its wait for the registration that is being sent, and throws")
    func signOutCancelled() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let server = FakeServer()
        server.beforeAnswers { _ in
            for await _ in gate { break }
        }
        try await TestDevice.run(server: server) { test in
            _ = try await server.next(.put, "/v1/devices/phone")
            let device = test.device
            let signOut = Task { try await device.signOut() }
            while await !device.isSignedOut { await Task.yield() }
            signOut.cancel()
            await #expect(throws: DoorstepProblem.self) { try await signOut.value }
            #expect(await test.identities.kept?.isSignOutDue == true)
            open.finish()
        }
    }

    @Test("Signed out, it neither registers nor asks for the customer's token; signing in sends what has changed")
    func quietSignedOut() async throws {
        let asked = Counter()
        try await TestDevice.run(
            token: {
                _ = asked.next()
                return "customer-token"
            }
        ) { test in
            try await test.launched()
            try await test.device.signOut()
            #expect(try await Self.sendsSignOut(test))
            let before = asked.value
            await test.device.enteredForeground()
            await Self.change(test)
            #expect(await test.device.needsRegistration == false)
            #expect(asked.value == before)
            try await Self.signsInWithChanges(test)
        }
    }

    @Test("Launched signed out, it registers neither then nor in the foreground")
    func quietAfterLaunch() async throws {
        var identity = DeviceIdentity(id: "phone")
        identity.isSignedOut = true
        let asked = Counter()
        try await TestDevice.run(
            identity: identity,
            token: {
                _ = asked.next()
                return "customer-token"
            }
        ) { test in
            await Self.change(test)
            await test.device.enteredForeground()
            #expect(await test.device.needsRegistration == false)
            #expect(asked.value == 0)
            try await Self.signsInWithChanges(test)
        }
    }

    /// Gives the phone a start token and switches frequent pushes off, and waits until the device knows of both.
    private static func change(_ test: TestDevice) async {
        test.phone.setStartToken([9])
        test.phone.setPermission(PhonePermission(activities: true, frequentPushes: false))
        while await test.device.startToken == nil { await Task.yield() }
        while await test.device.permission.frequentPushes { await Task.yield() }
    }

    private static func signsInWithChanges(_ test: TestDevice) async throws {
        await test.device.signedIn()
        let body = try await test.server.next(.put, "/v1/devices/phone")
        #expect(body["activitiesEnabled"] as? Bool == true && body["frequentPushesEnabled"] as? Bool == false)
        #expect((body["pushToStartToken"] as? [String: Any])?["value"] as? String == "09")
        #expect(try await test.server.nextReports().map { $0["kind"] as? String } == ["inventory"])
    }

    @Test("A sign-out that failed is sent again in the foreground until Doorstep has accepted it, and then no more")
    func failedSignOut() async throws {
        try await TestDevice.run { test in
            try await test.launched()
            test.server.answers { _ in throw URLError(.notConnectedToInternet) }
            await #expect(throws: DoorstepProblem.self) { try await test.device.signOut() }
            #expect(try await Self.sendsSignOut(test))
            #expect(await test.identities.kept?.isSignOutDue == true)
            test.server.answers(FakeServer.standard)
            try await Self.acceptsSignOut(test)
        }
    }

    @Test("A sign-out that failed before the launch is sent again in the foreground")
    func failedSignOutBeforeLaunch() async throws {
        var identity = DeviceIdentity(id: "phone")
        identity.isSignedOut = true
        identity.isSignOutDue = true
        try await TestDevice.run(identity: identity) { test in try await Self.acceptsSignOut(test) }
    }

    @Test("A sign-out is due again where one of before may have failed")
    func signOutAgain() async throws {
        var identity = DeviceIdentity(id: "phone")
        identity.isSignedOut = true
        try await TestDevice.run(identity: identity) { test in
            test.server.answers { _ in throw URLError(.notConnectedToInternet) }
            await #expect(throws: DoorstepProblem.self) { try await test.device.signOut() }
            #expect(try await Self.sendsSignOut(test))
            test.server.answers(FakeServer.standard)
            try await Self.acceptsSignOut(test)
        }
    }

    private static func acceptsSignOut(_ test: TestDevice) async throws {
        await test.device.enteredForeground()
        #expect(try await sendsSignOut(test))
        while await test.identities.kept?.isSignOutDue != nil { await Task.yield() }
        await test.device.enteredForeground()
        #expect(await test.device.needsRegistration == false)
    }
}

extension DoorstepDevice {
    fileprivate var needsRegistration: Bool { pending.needsRegistration }
}
