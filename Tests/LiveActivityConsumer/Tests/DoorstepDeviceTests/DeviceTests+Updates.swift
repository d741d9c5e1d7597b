import Foundation
import LiveActivity
import Testing

@testable import DoorstepDevice

extension DeviceTests {
    private static func server(wanting wanted: [WantedBody.Activity]) throws -> FakeServer {
        let body = String(decoding: try JSONEncoder().encode(WantedBody(activities: wanted)), as: UTF8.self)
        return FakeServer { request in
            request.url.lastPathComponent == "wanted" ? .json(body) : try FakeServer.standard(request)
        }
    }

    // MARK: - The app's own updates

    @Test("While it runs it brings a card up to date that pushes left behind, and says that it did")
    func updated() async throws {
        let phone = FakePhone(present: [.sample("i-1", version: 7)])
        let server = try Self.server(wanting: [.sample("a-1", card: "c-1", version: 9, timestamp: sixPM - 3)])
        try await TestDevice.run(phone: phone, server: server) { test in
            try await test.launched()
            let report = try #require(try await test.server.nextReports().first)
            #expect(report["kind"] as? String == "shown" && report["isUpdatedByApp"] as? Bool == true)
            #expect((report["revision"] as? [String: Any])?["version"] as? Int == 9)
            #expect(phone.updated.map(\.instance) == ["i-1"] && phone.updated.map(\.timestamp) == [sixPM - 3])
            await test.device.signedIn()
            _ = try await test.server.next(.put, "/v1/devices/phone")
            let inventory = try #require(try await test.server.nextReports().first)
            let instances = try #require(inventory["instances"] as? [[String: Any]])
            #expect(instances.map { $0["isUpdatedByApp"] as? Bool } == [true])
            // What a push brings after that is the push's.
            await phone.change("i-1", .shown(Revision(version: 10, step: 0)))
            let pushed = try #require(try await test.server.nextReports().first)
            #expect(pushed["kind"] as? String == "shown" && pushed["isUpdatedByApp"] == nil)
        }
    }

    @Test("It leaves a card alone that shows as much or more, one that has ended, and every card of an older server")
    func notUpdated() async throws {
        let phone = FakePhone(present: [
            .sample("same", card: "c-1", activity: "a-1", version: 7),
            .sample("newer", card: "c-2", activity: "b-1", version: 8),
            .sample("over", card: "c-3", activity: "c-1", version: 1, .ended),
            .sample("unordered", card: "c-4", activity: "d-1", version: 1),
        ])
        let server = try Self.server(wanting: [
            .sample("a-1", version: 7, timestamp: sixPM), .sample("b-1", version: 7, timestamp: sixPM),
            .sample("c-1", startAt: sixPM + 60, version: 7, timestamp: sixPM), .sample("d-1", version: 7),
        ])
        try await TestDevice.run(phone: phone, server: server) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.nextReports()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            try await test.device.refresh()
            #expect(phone.updated.isEmpty && phone.started.isEmpty)
        }
    }

    @Test("A stale card whose content still holds is made fresh")
    func stale() async throws {
        let phone = FakePhone(present: [.sample("i-1", version: 7, .stale)])
        let server = try Self.server(wanting: [.sample("a-1", version: 7, timestamp: sixPM)])
        try await TestDevice.run(phone: phone, server: server) { test in
            try await test.launched()
            try await test.device.refresh()
            #expect(phone.updated.map(\.instance) == ["i-1"])
            // A push had put that content there.
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            await test.device.signedIn()
            _ = try await test.server.next(.put, "/v1/devices/phone")
            let inventory = try #require(try await test.server.nextReports().first)
            let instances = try #require(inventory["instances"] as? [[String: Any]])
            #expect(instances.map { $0["isUpdatedByApp"] as? Bool } == [nil])
        }
    }

    @Test("In the background it updates cards, and starts none, which the system would refuse")
    func background() async throws {
        let phone = FakePhone(present: [.sample("i-1", version: 7)])
        let server = try Self.server(wanting: [
            .sample("a-1", version: 9, timestamp: sixPM), .sample("b-1", version: 1, timestamp: sixPM),
        ])
        try await TestDevice.run(phone: phone, server: server) { test in
            try await test.launched()
            await test.device.enteredForeground()
            await test.device.leftForeground()
            try await test.device.refresh()
            #expect(phone.updated.contains { $0.content.revision.version == 9 })
        }
        let other = FakePhone(present: [.sample("i-1", version: 7)])
        try await TestDevice.run(phone: other, server: server) { test in
            try await test.device.refresh()
            #expect(other.started.isEmpty)
            await test.device.enteredForeground()
            try await test.device.refresh()
            #expect(other.started.map(\.activity) == ["b-1"])
        }
    }

    @Test("A refresh sends at once what waits for the end of a pause, and returns once it is sent")
    func refreshSends() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        let (sleeping, continuation) = AsyncStream.makeStream(of: Void.self)
        try await TestDevice.run(phone: phone, sleep: TestDevice.sleepUntilCancelled(continuation)) { test in
            try await test.launched()
            let attempts = Counter()
            test.server.answers { request in
                guard request.url.lastPathComponent == "reports", attempts.next() == 1 else {
                    return try FakeServer.standard(request)
                }
                return .problem("unavailable", status: 503, detail: "later", retryAfterSeconds: 3600)
            }
            await phone.change("i-1", .updateToken(Data([1, 2])))
            _ = try await test.server.nextReports()
            for await _ in sleeping { break }
            try await test.device.refresh()
            try #require(attempts.value == 2)
            #expect(try await test.server.nextReports().compactMap(token) == ["0102"])
            #expect(test.pauses.all == [.seconds(3600)])
            // One attempt fails, and the call ends without the end of the next pause.
            test.server.answers { _ in throw URLError(.notConnectedToInternet) }
            await phone.change("i-1", .shown(Revision(version: 8, step: 0)))
            for await _ in sleeping { break }
            await #expect(throws: DoorstepProblem.self) { try await test.device.refresh() }
        }
    }

    @Test("In the foreground it asks again after each interval, since pushes may be held back meanwhile")
    func interval() async throws {
        let phone = FakePhone(present: [.sample("i-1", version: 7)])
        let server = try Self.server(wanting: [.sample("a-1", version: 7, timestamp: sixPM)])
        let (ticks, tick) = AsyncStream.makeStream(of: Void.self)
        let turns = Turns(ticks)
        try await TestDevice.run(
            phone: phone, server: server, refreshInterval: .seconds(30), sleep: { _ in try await turns.next() }
        ) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            tick.yield()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            #expect(test.pauses.all.allSatisfy { $0 == .seconds(30) })
        }
    }

    @Test("In the foreground it starts the card of an order that came since, also where the phone has no card")
    func orderedSince() async throws {
        let phone = FakePhone()
        let body = String(
            decoding: try JSONEncoder().encode(WantedBody(activities: [.sample("a-1")])), as: UTF8.self)
        let (ticks, tick) = AsyncStream.makeStream(of: Void.self)
        let turns = Turns(ticks)
        try await TestDevice.run(
            phone: phone, refreshInterval: .seconds(30), sleep: { _ in try await turns.next() }
        ) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            test.server.answers { request in
                request.url.lastPathComponent == "wanted" ? .json(body) : try FakeServer.standard(request)
            }
            tick.yield()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            while phone.started.isEmpty { await Task.yield() }
            #expect(phone.started.map(\.activity) == ["a-1"])
        }
    }

    /// Lets a sleep end with each tick.
    private actor Turns {
        private var iterator: AsyncStream<Void>.Iterator

        init(_ ticks: AsyncStream<Void>) { iterator = ticks.makeAsyncIterator() }

        func next() async throws {
            var iterator = self.iterator
            let tick: Void? = await iterator.next(isolation: self)
            self.iterator = iterator
            if tick == nil { throw CancellationError() }
        }
    }

    // MARK: - Presses on the card

    static let link = "https://go.example/l/AQ"

    private static func pressed(version: Int) -> String {
        #"""
        {"verb":"leave-at-door","delivery":"d-1","message":"Asked Mira to leave it at the door","isPressable":false,
         "attributes":{"activity":"a-1","store":"Nordhavn","itemCount":14,"timeZone":"Europe/Copenhagen"},
         "content":{"headline":{"code":"picking","values":{},"text":"Picking"},"phase":"picking","progress":0.2,
                    "flags":[],"buttons":[],"revision":{"version":\#(version),"step":0}}}
        """#
    }

    @Test("A press on the card posts the link with the customer's token, and the card says what was done")
    func pressOnCard() async throws {
        let phone = FakePhone(present: [.sample("i-1", version: 7)])
        let wanted = WantedBody(activities: [.sample("a-1", version: 7, timestamp: sixPM)])
        let body = String(decoding: try JSONEncoder().encode(wanted), as: UTF8.self)
        let server = FakeServer { request in
            switch request.url.path {
            case "/l/AQ": .json(Self.pressed(version: 8))
            case "/v1/devices/phone/wanted": .json(body)
            default: try FakeServer.standard(request)
            }
        }
        try await TestDevice.run(phone: phone, server: server) { test in
            try await test.launched()
            let url = try #require(URL(string: Self.link))
            guard case .done(let answer) = await test.device.pressOnCard(url, activity: "a-1") else {
                Issue.record("the press was done")
                return
            }
            _ = try await test.server.next(.post, "/l/AQ")
            let shown = try #require(phone.updated.first)
            #expect(answer.verb == "leave-at-door" && shown.timestamp == sixPM)
            // What the press was answered with is newer than what is wanted so far.
            #expect(shown.content.revision.version == 8)
            #expect(
                Words(locale: "da").detail(shown.content, answer.attributes, now: 0)
                    == "Asked Mira to leave it at the door")
        }
    }

    @Test("A refused press says on the card why, in the server's words, and changes nothing else")
    func refusedOnCard() async throws {
        let phone = FakePhone(present: [.sample("i-1", version: 7)])
        let activity = WantedBody.Activity.sample("a-1", version: 7, timestamp: sixPM)
        let body = String(decoding: try JSONEncoder().encode(WantedBody(activities: [activity])), as: UTF8.self)
        let server = FakeServer { request in
            switch request.url.path {
            case "/l/AQ": .problem("stale-press", status: 409, detail: "Mira is at the door already")
            case "/v1/devices/phone/wanted": .json(body)
            default: try FakeServer.standard(request)
            }
        }
        try await TestDevice.run(phone: phone, server: server) { test in
            try await test.launched()
            let url = try #require(URL(string: Self.link))
            let outcome = await test.device.pressOnCard(url, activity: "a-1")
            #expect(outcome.line == "Mira is at the door already")
            var expected = activity.content
            expected.detail = Phrase(code: "", text: "Mira is at the door already")
            #expect(phone.updated.map(\.content) == [expected])
        }
    }

    @Test("A press without an answer says on the card that Doorstep was not reached, and nothing of the link")
    func unreachedOnCard() async throws {
        let phone = FakePhone(present: [.sample("i-1", version: 7)])
        let wanted = WantedBody(activities: [.sample("a-1", version: 7, timestamp: sixPM)])
        let body = String(decoding: try JSONEncoder().encode(wanted), as: UTF8.self)
        let server = FakeServer { request in
            switch request.url.path {
            case "/l/AQ":
                throw URLError(.networkConnectionLost, userInfo: ["NSErrorFailingURLStringKey": Self.link])
            case "/v1/devices/phone/wanted": return .json(body)
            default: return try FakeServer.standard(request)
            }
        }
        try await TestDevice.run(phone: phone, server: server) { test in
            try await test.launched()
            let url = try #require(URL(string: Self.link))
            guard case .refused(let problem) = await test.device.pressOnCard(url, activity: "a-1") else {
                Issue.record("the press had no answer")
                return
            }
            #expect(problem.type == "not-reached")
            #expect(phone.updated.map { $0.content.detail?.text } == ["Doorstep was not reached"])
        }
    }

    @Test("A press of what is no link of a card sends nothing but says so")
    func foreignOnCard() async throws {
        let server = FakeServer()
        try await TestDevice.run(server: server) { test in
            try await test.launched()
            let url = try #require(URL(string: "https://evil.example/l/AQ"))
            guard case .refused(let problem) = await test.device.pressOnCard(url, activity: "a-1") else {
                Issue.record("the press was refused")
                return
            }
            #expect(problem.type == "not-a-link")
            #expect(try await test.server.next(.get, "/v1/devices/phone/wanted").isEmpty)
        }
    }
}
