import AsyncHTTPClient
import EmulatorAPI
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import PhoneRules
import Testing

@testable import APNsEmulator

@Suite("The operator's side", .timeLimit(.minutes(10)))
struct ControlTests {
    private func send(
        _ method: HTTPMethod, _ path: String, _ body: String? = nil, to emulator: RunningEmulator,
        headers: [(String, String)] = [("Content-Type", "application/json")]
    ) async throws -> (status: Int, body: [String: Any]) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(emulator.control)\(path)")
        request.method = method
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        let data = Data(buffer: try await response.body.collect(upTo: 1 << 20))
        let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        return (Int(response.status.code), object ?? [:])
    }

    @Test("A phone is made, shows what it is pushed, and is deleted")
    func phones() async throws {
        try await RunningEmulator.run { emulator in
            let made = try await send(
                .POST, "/phones", #"{"id":"p","bundleID":"shop.nordhavn.app","osVersion":"17.2","island":false}"#,
                to: emulator)
            #expect(made.status == 201)
            let token = try #require(made.body["startToken"] as? String)
            let provider = try await emulator.connect()
            try await provider.send(
                emulator.headers(token), Pushes.body("start", at: 1_795_262_400), on: 1)
            #expect(await provider.response(on: 1)?.status == "200")
            let shown = try await send(.GET, "/phones/p", to: emulator)
            let cards = try #require(shown.body["cards"] as? [[String: Any]])
            #expect(cards.count == 1)
            #expect(cards[0]["state"] as? String == "active")
            #expect(shown.body["banner"] as? String == cards[0]["instance"] as? String)
            #expect((shown.body["pushes"] as? [[String: Any]])?.first?["outcome"] as? String == "applied")
            let swiped = try await send(.POST, "/phones/p/actions", #"{"action":"swipe"}"#, to: emulator)
            #expect((swiped.body["lockScreen"] as? [String]) == [])
            #expect(try await send(.DELETE, "/phones/p", to: emulator).status == 204)
            #expect(try await send(.GET, "/phones/p", to: emulator).status == 404)
            await provider.close()
        }
    }

    @Test(
        "What a web page can send is refused, and changes nothing",
        arguments: [
            [("Content-Type", "text/plain")], [("Content-Type", "application/x-www-form-urlencoded")], [],
            [("Content-Type", "application/json"), ("Origin", "https://evil.example")],
            [("Content-Type", "application/json"), ("Origin", "null")],
            [("Content-Type", "application/json"), ("Host", "evil.example")],
            [("Content-Type", "application/json"), ("Host", "localhost.evil.example:8090")],
            [("Content-Type", "application/json"), ("Host", "127.0.0.1.evil.example")],
        ])
    func pages(headers: [(String, String)]) async throws {
        try await RunningEmulator.run { emulator in
            try emulator.addPhone("p")
            for (method, path, body) in [
                ("POST", "/phones", #"{"id":"x","bundleID":"shop.nordhavn.app"}"#),
                ("POST", "/phones/p/actions", #"{"action":"kill-app"}"#), ("POST", "/faults", #"{"kind":"silence"}"#),
                ("PUT", "/limits", #"{"streams":1,"beforeAuthentication":1}"#), ("POST", "/clock", #"{"rate":0}"#),
            ] {
                let answer = try await send(
                    HTTPMethod(rawValue: method), path, body, to: emulator, headers: headers)
                #expect([403, 415].contains(answer.status), "\(path): \(answer.status)")
                #expect((answer.body["detail"] as? String)?.isEmpty == false)
            }
            if headers.contains(where: { ["Origin", "Host"].contains($0.0) }) {
                for path in ["/phones", "/phones/p", "/phones/p/stream", "/health/live"] {
                    #expect(try await send(.GET, path, to: emulator, headers: headers).status == 403, "\(path)")
                }
                #expect(try await send(.DELETE, "/phones/p", to: emulator, headers: headers).status == 403)
            }
            #expect(emulator.emulator.fleet.ids == ["p"] && emulator.emulator.service.faults.isEmpty)
            #expect(try emulator.emulator.fleet.phone("p").phone.app == .running)
        }
    }

    @Test("It is asked by loopback's names and by its own")
    func hosts() {
        let refusal = PagesRefusedMiddleware(names: ["apns-emulator"])
        for host in [
            "127.0.0.1", "127.0.0.1:8090", "127.1.2.3", "localhost", "LOCALHOST:1", "[::1]", "[::1]:8090",
            "apns-emulator:8090", "APNS-emulator",
        ] { #expect(refusal.isOwn(host), "\(host)") }
        for host in [
            "", "evil.example", "evil.example:8090", "localhost.evil.example", "127.0.0.1.evil.example", "[::2]",
            "[::1].evil.example", "128.0.0.1", "10.0.0.1", "localhost:80:90", "apns-emulator.evil.example", ":8090",
        ] { #expect(!refusal.isOwn(host), "\(host)") }
    }

    @Test("An app registers at the service that the emulator was started with, and a phone names no other")
    func foreignService() async throws {
        try await RunningEmulator.run { emulator in
            let body =
                #"{"id":"x","bundleID":"shop.nordhavn.app","customerToken":"t","serviceURL":"http://127.0.0.1:9"}"#
            let answer = try await send(.POST, "/phones", body, to: emulator)
            #expect(answer.status == 400 && (answer.body["detail"] as? String)?.hasPrefix("serviceURL") == true)
            #expect(emulator.emulator.fleet.ids.isEmpty)
        }
    }

    @Test("Every action is taken", arguments: PhoneActionBody.Action.allCases)
    func actions(action: PhoneActionBody.Action) async throws {
        try await RunningEmulator.run { emulator in
            try emulator.addPhone("p")
            let answer = try await send(
                .POST, "/phones/p/actions", #"{"action":"\#(action.rawValue)","seconds":5}"#, to: emulator)
            #expect(answer.status == 200)
            let budgets = answer.body["budgets"] as? [String: Int]
            switch action {
            case .killApp: #expect(answer.body["app"] as? String == "not-running")
            case .leaveApp: #expect(answer.body["app"] as? String == "background")
            case .forceQuit: #expect(answer.body["app"] as? String == "force-quit")
            case .goOffline: #expect(answer.body["online"] as? Bool == false)
            case .switchActivitiesOff: #expect(answer.body["activitiesEnabled"] as? Bool == false)
            case .switchFrequentUpdatesOff: #expect(answer.body["frequentUpdates"] as? Bool == false)
            case .exhaustBudget: #expect(budgets?["updatesLeft"] == 0)
            case .exhaustStartBudget: #expect(budgets?["startsLeft"] == 0)
            case .setClockSkew: #expect(answer.body["clockSkewSeconds"] as? Int == 5)
            case .rotateStartToken: #expect(answer.body["startToken"] as? String != nil)
            case .launchApp, .goOnline, .swipe, .switchActivitiesOn, .switchFrequentUpdatesOn, .rotateUpdateToken,
                .holdIsland, .releaseIsland, .addOtherApp, .removeOtherApp, .tapButton:
                #expect(answer.body["app"] as? String == "running")
            }
        }
    }

    @Test("A stream sends what the phone shows, at once and after each change")
    func stream() async throws {
        try await RunningEmulator.run { emulator in
            let token = try emulator.addPhone("p")
            let request = HTTPClientRequest(url: "http://127.0.0.1:\(emulator.control)/phones/p/stream")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            #expect(response.headers.first(name: "content-type") == "text/event-stream")
            let provider = try await emulator.connect()
            var text = ""
            for try await piece in response.body {
                text += String(buffer: piece)
                if text.contains(#""updateToken""#) { break }
                if text.contains("event: phone"), !text.contains("pushed") {
                    text += ": pushed"
                    try await provider.send(
                        emulator.headers(token), Pushes.body("start", at: 1_795_262_400), on: 1)
                }
            }
            #expect(text.contains(#""updateToken""#))
            await provider.close()
        }
    }

    static let bad: [(method: String, path: String, body: String, status: Int)] = [
        ("POST", "/phones", "{", 400), ("POST", "/phones", #"{"id":"a b","bundleID":"x"}"#, 400),
        ("POST", "/phones", #"{"id":"q","bundleID":"x.push-type.liveactivity"}"#, 400),
        ("POST", "/phones", #"{"id":"q","bundleID":"x","osVersion":"new"}"#, 400),
        ("POST", "/phones", #"{"id":"q","bundleID":"x","serviceURL":"http://localhost"}"#, 400),
        ("POST", "/phones", #"{"id":"q","bundleID":"x","startBudget":-1}"#, 400),
        ("POST", "/phones", #"{"id":"p","bundleID":"x"}"#, 409), ("GET", "/phones/nobody", "", 404),
        ("DELETE", "/phones/nobody", "", 404), ("POST", "/phones/nobody/actions", #"{"action":"swipe"}"#, 404),
        ("POST", "/phones/p/actions", #"{"action":"explode"}"#, 400), ("POST", "/faults", #"{"kind":"answer"}"#, 400),
        ("PUT", "/limits", #"{"streams":-1,"beforeAuthentication":1}"#, 400), ("POST", "/clock", #"{"now":1}"#, 409),
        ("POST", "/clock", #"{"rate":-1}"#, 400), ("DELETE", "/keys/NOBODY", "", 404),
        ("POST", "/keys", #"{"keyID":"a","teamID":"b","publicKey":"c"}"#, 400),
    ]

    @Test("What cannot be is refused with what is wrong with it")
    func refusals() async throws {
        try await RunningEmulator.run { emulator in
            try emulator.addPhone("p")
            for row in Self.bad {
                let answer = try await send(
                    HTTPMethod(rawValue: row.method), row.path, row.body.isEmpty ? nil : row.body, to: emulator)
                #expect(answer.status == row.status, "\(row)")
                #expect((answer.body["detail"] as? String)?.isEmpty == false, "\(row)")
            }
        }
    }

    @Test(
        "A property that a body does not have is refused by its name",
        arguments: [
            ("POST", "/faults", #"{"kind":"silence","tiems":1}"#), ("POST", "/clock", #"{"nwo":1}"#),
            ("POST", "/phones", #"{"id":"q","bundleID":"x","osversion":"17.2"}"#),
            ("POST", "/phones/p/actions", #"{"action":"swipe","card":"c"}"#),
            ("POST", "/connections", #"{"action":"close","after":1}"#),
            ("PUT", "/limits", #"{"streams":1,"beforeAuthentication":1,"max":1}"#),
            ("POST", "/keys", #"{"keyID":"a","teamID":"b","publicKey":"c","topic":"d"}"#),
        ])
    func unknownProperties(method: String, path: String, body: String) async throws {
        try await RunningEmulator.run { emulator in
            try emulator.addPhone("p")
            let answer = try await send(HTTPMethod(rawValue: method), path, body, to: emulator)
            #expect(answer.status == 400)
            let detail = answer.body["detail"] as? String ?? ""
            #expect(detail.contains("is not a known property; there are "), "\(detail)")
            #expect(emulator.emulator.service.faults.isEmpty)
        }
    }

    @Test("Every property of a body that is sent is one that it may have")
    func properties() {
        func expect<Body: ControlBody>(_ body: Body) {
            #expect(Set(Mirror(reflecting: body).children.compactMap(\.label)) == Body.properties, "\(Body.self)")
        }
        expect(NewEmulatedPhoneBody(id: "p", bundleID: "x"))
        expect(PhoneActionBody(.swipe))
        expect(Fault(kind: .silence))
        expect(PushService.StreamLimits())
        expect(ConnectionsBody(action: .close))
        expect(ClockBody())
        expect(KeyBody(keyID: "a", teamID: "b", publicKey: "c"))
    }

    @Test(
        "Without a service of its own a phone's app registers at the emulator's, and where that has none it is refused")
    func defaultService() throws {
        var new = NewEmulatedPhoneBody(id: "p", bundleID: "shop.nordhavn.app")
        #expect(try new.phone(at: 0, defaultServiceURL: "http://127.0.0.1:1").service == nil, "it has no customer")
        new.customerToken = "token"
        #expect(try new.phone(at: 0, defaultServiceURL: "http://127.0.0.1:1/").service?.url == "http://127.0.0.1:1")
        #expect(throws: NewEmulatedPhoneBody.Invalid.self) { try new.phone(at: 0) }
        new.serviceURL = "http://127.0.0.1:2"
        #expect(try new.phone(at: 0, defaultServiceURL: "http://127.0.0.1:1").service?.url == "http://127.0.0.1:2")
    }

    @Test("The clock of the phones is moved, and their screens with it")
    func clock() async throws {
        try await RunningEmulator.run { emulator in
            let token = try emulator.addPhone("p")
            let provider = try await emulator.connect()
            try await provider.send(
                emulator.headers(token), Pushes.body("start", at: 1_795_262_400), on: 1)
            #expect(await provider.response(on: 1)?.status == "200")
            let later = emulator.emulator.fleet.clock.now + 8 * 3600 + 10
            let set = try await send(.POST, "/clock", #"{"now":\#(later),"rate":0}"#, to: emulator)
            #expect(set.body["now"] as? Int == later)
            let phone = try await send(.GET, "/phones/p", to: emulator)
            let card = try #require((phone.body["cards"] as? [[String: Any]])?.first)
            #expect(card["state"] as? String == "ended")
            #expect(card["wasEndedBySystem"] as? Bool == true)
            await provider.close()
        }
    }
}
