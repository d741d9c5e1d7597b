import AsyncHTTPClient
import Foundation
import LiveActivity
import Logging
import PhoneRules
import Synchronization
import Testing

@testable import APNsEmulator

extension EmulatedAppTests {
    /// Starts a card on the phone by a push, and returns its instance.
    static func startCard(on fleet: PhoneFleet, by token: String, secondsAgo: Int = 60) throws -> String {
        try fleet.change("p") { phone, now in
            phone.deliver(
                PendingPush(
                    id: "1", token: token, priority: 10, expiration: nil,
                    bytes: Pushes.body("start", at: now - secondsAgo)),
                at: now)
        }
        return try #require(try fleet.phone("p").phone.activities.first?.instance)
    }

    /// What `wanted` answers of the card of `Pushes.body`, at a step.
    private static func wanted(step: Int, timestamp: Int) throws -> String {
        let body = try JSONSerialization.jsonObject(with: Data(Pushes.body("update", at: timestamp, step: step)))
        let state = try #require(((body as? [String: Any])?["aps"] as? [String: Any])?["content-state"])
        let content = String(decoding: try JSONSerialization.data(withJSONObject: state), as: UTF8.self)
        return """
            {"activity":"a-1","card":"c-1","startAt":1,"staleAt":4000000000,"relevance":1,"timestamp":\(timestamp),
            "content":\(content),
            "attributes":{"card":"c-1","activity":"a-1","store":"Nordhavn","itemCount":3,"timeZone":"UTC"}}
            """
    }

    @Test("At its launch an app brings a card up to date that its pushes left behind, and reports that it did")
    func updated() async throws {
        try await RunningEmulator.run { emulator in
            let start = try emulator.addPhone("p")
            let fleet = emulator.emulator.fleet
            let instance = try Self.startCard(on: fleet, by: start)
            let exchange = NotingExchange(wanted: try Self.wanted(step: 7, timestamp: fleet.clock.now - 1))
            var memory = AppMemory()
            let app = EmulatedApp(phone: "p", fleet: fleet, service: exchange, logger: Logger(label: "test"))
            try await app.handle(.launched, &memory)
            let card = try #require(try fleet.phone("p").phone.activities.first)
            #expect(card.content.revision.step == 7)
            exchange.requests.withLock { $0 = [] }
            try await app.handle(.content(instance: instance), &memory)
            let reports = exchange.requests.withLock(\.self)
            let report = try #require(reports.first)
            #expect(report.contains("\"shown\"") && report.contains("\"isUpdatedByApp\":true"))
        }
    }

    @Test("An app that was force-quit reports nothing of a card that starts, and its token once it is opened")
    func forceQuit() async throws {
        try await RunningEmulator.run { emulator in
            let start = try emulator.addPhone("p")
            let fleet = emulator.emulator.fleet
            let exchange = NotingExchange()
            var memory = AppMemory()
            let app = EmulatedApp(phone: "p", fleet: fleet, service: exchange, logger: Logger(label: "test"))
            try fleet.change("p") { $0.forceQuitApp(at: $1) }
            let instance = try Self.startCard(on: fleet, by: start)
            try await app.handle(.started(instance: instance), &memory)
            #expect(exchange.requests.withLock(\.self).isEmpty)
            try fleet.change("p") { $0.launchApp(at: $1) }
            try await app.handle(.launched, &memory)
            let token = try #require(try fleet.phone("p").phone.updateToken(of: instance))
            #expect(exchange.requests.withLock(\.self).contains { $0.contains("inventory") && $0.contains(token) })
        }
    }

    @Test("A tap on a button that acts presses its link, and the card says what was done")
    func pressed() async throws {
        try await RunningEmulator.run { emulator in
            let start = try emulator.addPhone("p")
            let fleet = emulator.emulator.fleet
            let instance = try Self.startCard(on: fleet, by: start)
            let exchange = NotingExchange(
                wanted: try Self.wanted(step: 1, timestamp: fleet.clock.now - 1),
                pressed: PressOutcome(message: "Asked Mira to leave it at the door", content: nil))
            var memory = AppMemory()
            memory.isRegistered = true
            let app = EmulatedApp(phone: "p", fleet: fleet, service: exchange, logger: Logger(label: "test"))
            try await app.handle(.pressed(instance: instance, link: "https://go.example/l/AQ"), &memory)
            let requests = exchange.requests.withLock(\.self)
            #expect(requests.contains("press https://go.example/l/AQ"))
            let card = try #require(try fleet.phone("p").phone.activities.first)
            #expect(card.content.detail?.text == "Asked Mira to leave it at the door")
        }
    }

    @Test("An app gives the customer's token to nothing but a link")
    func foreignLink() async throws {
        let links = "http://127.0.0.1:1"
        let foreign = [
            "http://127.0.0.1:2/l/AQ", "http://localhost:1/l/AQ", "https://127.0.0.1:1/l/AQ", "http://127.0.0.1/l/AQ",
            "http://127.0.0.1:1@elsewhere.example/l/AQ", "\(links)/v1/orders", "shop://l/AQ", "file:///l/AQ", "",
        ]
        for (origin, texts) in [(links, foreign), (nil, ["\(links)/l/AQ"])] {
            let exchange = HTTPAppExchange(
                service: .init(url: links, token: "customer", device: "p"), linkOrigin: origin, client: .shared)
            for text in texts {
                #expect(try await exchange.press(text).message == "This is not a link of a delivery")
            }
        }
        // Nothing listens at the links' own origin, so that a request to it fails.
        let exchange = HTTPAppExchange(
            service: .init(url: links, token: "customer", device: "p"), linkOrigin: links, client: .shared)
        await #expect(throws: (any Error).self) { try await exchange.press("\(links)/l/AQ") }
    }
}
