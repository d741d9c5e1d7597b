import Foundation
import LiveActivity
import Synchronization
import Testing

@testable import DoorstepDevice

extension DeviceTests {
    // MARK: - Cards that start by themselves

    private static let later = sixPM + 7200

    private static func wanted(
        startAt: Int = later, instance: String? = nil, card: String = "c-1"
    ) -> WantedBody.Activity {
        .sample(
            "a-1", card: card, startAt: startAt,
            schedule: .init(
                alert: PushAlert(title: .plain("Later"), body: .plain("Follow it here"), sound: nil),
                instance: instance))
    }

    /// A server that wants this, and keeps every instance that a report names.
    private static func server(_ wanted: [WantedBody.Activity], keeps: Bool = true) throws -> FakeServer.Answer {
        let body = String(decoding: try JSONEncoder().encode(WantedBody(activities: wanted)), as: UTF8.self)
        return { request in
            switch request.url.lastPathComponent {
            case "wanted": return .json(body)
            case "reports" where keeps:
                let sent = try JSONSerialization.jsonObject(with: request.body ?? Data()) as? [String: Any]
                let names = (sent?["reports"] as? [[String: Any]] ?? []).compactMap { $0["instance"] as? String }
                let kept = names.map { #"{"instance":"\#($0)","action":"keep"}"# }.joined(separator: ",")
                return .json(#"{"taken":1,"unknown":0,"instances":[\#(kept)]}"#, status: 202)
            default: return try FakeServer.standard(request)
            }
        }
    }

    /// Runs an app that has come to the foreground and scheduled a card.
    private func scheduled(
        keeps: Bool = true, _ body: @Sendable (TestDevice) async throws -> Void
    ) async throws {
        try await TestDevice.run(server: FakeServer(try Self.server([Self.wanted()], keeps: keeps))) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            let report = try #require(try await test.server.nextReports().first)
            #expect(report["kind"] as? String == "pending" && report["startAt"] as? Int == Self.later)
            #expect(report["updateToken"] == nil && report["card"] as? String == "c-1")
            #expect(test.phone.scheduled.map(\.attributes.card) == ["c-1"] && test.phone.started.isEmpty)
            try await body(test)
        }
    }

    @Test("In the foreground it schedules what is wanted later; the card stays once Doorstep has its token")
    func schedules() async throws {
        try await scheduled { test in
            await test.phone.change("scheduled-1", .updateToken(Data([1, 2])))
            let report = try #require(try await test.server.nextReports().first)
            #expect(report["kind"] as? String == "pending" && report["startAt"] as? Int == Self.later)
            #expect((report["updateToken"] as? [String: Any])?["value"] as? String == "0102")
            // What is asked next shows that the answer was taken in.
            test.server.answers(try Self.server([Self.wanted(instance: "scheduled-1")]))
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            await test.device.leftForeground()
            #expect(test.phone.ended.isEmpty && test.phone.scheduled.count == 1)
            await test.phone.change("scheduled-1", .state(.active))
            let started = try #require(try await test.server.nextReports().first)
            #expect(started["kind"] as? String == "started")
            #expect((started["updateToken"] as? [String: Any])?["value"] as? String == "0102")
        }
    }

    @Test("Left before a token came, or before Doorstep took it, it ends the card", arguments: [true, false])
    func endsUnconfirmed(hasToken: Bool) async throws {
        try await scheduled(keeps: !hasToken) { test in
            if hasToken {
                await test.phone.change("scheduled-1", .updateToken(Data([1, 2])))
                _ = try await test.server.nextReports()
            }
            await test.device.leftForeground()
            #expect(test.phone.ended == ["scheduled-1"])
            let report = try #require(try await test.server.nextReports().first)
            #expect(report["kind"] as? String == "dismissed" && report["instance"] as? String == "scheduled-1")
        }
    }

    @Test("Left while the system schedules a card, it ends the card and waits for no answer")
    func leftMeanwhile() async throws {
        let phone = FakePhone()
        try await TestDevice.run(phone: phone, server: FakeServer(try Self.server([Self.wanted()]))) { test in
            let device = test.device
            phone.afterSchedule { await device.leftForeground() }
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            let report = try #require(try await test.server.nextReports().first)
            #expect(report["kind"] as? String == "dismissed" && phone.ended == ["scheduled-1"])
        }
    }

    @Test("Two refreshes at once start or schedule one card", arguments: [sixPM - 60, sixPM + 7200])
    func startedOnce(startAt: Int) async throws {
        let phone = FakePhone()
        let (reached, reach) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let starts = Counter()
        phone.beforeStart {
            guard starts.next() == 1 else { return }
            reach.yield()
            for await _ in gate { break }
        }
        try await TestDevice.run(phone: phone) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            test.server.answers(try Self.server([Self.wanted(startAt: startAt)]))
            let device = test.device
            async let first: Void = device.refresh()
            for await _ in reached { break }
            try await device.refresh()
            open.yield()
            try await first
            #expect(phone.started.count + phone.scheduled.count == 1)
        }
    }

    @Test(
        "A card whose start or schedule a sign-in overtook is ended, and is wanted again for who has signed in",
        arguments: [sixPM - 60, sixPM + 7200])
    func overtaken(startAt: Int) async throws {
        let phone = FakePhone()
        let (reached, reach) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await TestDevice.run(phone: phone) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            test.server.answers(try Self.server([Self.wanted(startAt: startAt)]))
            let (device, starts) = (test.device, Counter())
            phone.beforeStart {
                guard starts.next() == 1 else { return }
                await device.signedIn()
                reach.yield()
                for await _ in gate { break }
            }
            async let first: Void = device.refresh()
            for await _ in reached { break }
            // What is wanted of the new session is answered while the card is being started.
            try await device.refresh()
            #expect(phone.started.isEmpty && phone.scheduled.isEmpty)
            open.yield()
            try await first
            #expect(phone.ended.count == 1 && phone.started.count + phone.scheduled.count == 2)
        }
    }

    @Test(
        "A card that has ended on the phone is not scheduled again, and the one that follows is",
        arguments: [("c-1", 0), ("c-2", 1)])
    func endedBefore(card: String, count: Int) async throws {
        let phone = FakePhone(present: [.sample("i-1", card: "c-1", .ended)])
        let server = FakeServer(try Self.server([Self.wanted(card: card)]))
        try await TestDevice.run(phone: phone, server: server) { test in
            try await test.launched()
            await test.device.enteredForeground()
            try await test.device.refresh()
            #expect(phone.scheduled.count == count)
        }
    }

    @Test("A card that is stale once the app sees it started is reported as started too")
    func startedStale() async throws {
        try await scheduled { test in
            await test.phone.change("scheduled-1", .state(.stale))
            var kinds: [String?] = []
            while kinds.count < 2 { kinds += try await test.server.nextReports().map { $0["kind"] as? String } }
            #expect(kinds == ["started", "stale"])
        }
    }

    @Test("Whenever it runs it ends what is not wanted then any more, and in the foreground schedules it anew")
    func moves() async throws {
        let phone = FakePhone(present: [
            .sample("i-1", .pending), .sample("i-2", card: "c-2", activity: "b-1", .pending),
        ])
        let moved = Self.wanted(startAt: Self.later + 3600, card: "c-9")
        let server = FakeServer(try Self.server([moved]))
        try await TestDevice.run(phone: phone, server: server) { test in
            // In the background, by a push that launched it.
            try await test.launched()
            let reports = try await test.server.nextReports()
            #expect(phone.ended == ["i-1", "i-2"] && phone.scheduled.isEmpty)
            #expect(reports.map { $0["kind"] as? String } == ["dismissed", "dismissed"])
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            let report = try #require(try await test.server.nextReports().first)
            #expect(report["card"] as? String == "c-9" && report["startAt"] as? Int == Self.later + 3600)
        }
    }

    @Test("What Doorstep takes for scheduled and the phone has lost it hears of; what the phone refuses starts by push")
    func lost() async throws {
        let phone = FakePhone()
        try await TestDevice.run(
            phone: phone, server: FakeServer(try Self.server([Self.wanted(instance: "gone")]))
        ) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            #expect(try await test.server.nextReports().map { $0["kind"] as? String } == ["inventory"])
            #expect(phone.scheduled.isEmpty)
            phone.refuseStarts("targetMaximumExceeded")
            test.server.answers(try Self.server([Self.wanted()]))
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            await test.device.enteredForeground()
            // Nothing is reported of it: no start by push is to wait.
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
        }
    }
}
