import EmulatorAPI
import Foundation
import LiveActivity
import Logging
import PhoneRules
import Synchronization
import Testing

@testable import APNsEmulator

extension EmulatedAppTests {
    private static func wanted(startAt: Int, instance: String? = nil) -> String {
        let known = instance.map { #","instance":"\#($0)""# } ?? ""
        return """
            {"activity":"a-1","card":"c-1","startAt":\(startAt),"staleAt":4000000000,"relevance":1,
            "content":{"headline":{"code":"x","values":{},"text":"x"},"phase":"received","progress":0,"flags":[],
            "buttons":[],"revision":{"version":1,"step":0}},
            "attributes":{"activity":"a-1","store":"Nordhavn","itemCount":3,"timeZone":"UTC"},
            "schedule":{"alert":{"title":"Later","body":"Follow it"}\(known)}}
            """
    }

    /// A phone whose app has scheduled a card in an hour.
    private func scheduled(
        version: String = "26.0", hasToken: Bool = true,
        _ body: @Sendable (PhoneFleet, EmulatedApp, NotingExchange, inout AppMemory) async throws -> Void
    ) async throws {
        try await RunningEmulator.run { emulator in
            try emulator.addPhone("p") {
                $0.osVersion = version
                $0.pendingHasToken = hasToken
            }
            let fleet = emulator.emulator.fleet
            let exchange = NotingExchange(wanted: Self.wanted(startAt: fleet.clock.now + 3600))
            var memory = AppMemory()
            let app = EmulatedApp(phone: "p", fleet: fleet, service: exchange, logger: Logger(label: "test"))
            try await app.handle(.launched, &memory)
            try await body(fleet, app, exchange, &memory)
        }
    }

    @Test("At its launch an app on iOS 26 schedules what is wanted later, and reports it with its token and time")
    func schedules() async throws {
        try await scheduled { fleet, app, exchange, memory in
            let card = try #require(try fleet.phone("p").phone.activities.first)
            #expect(card.state == .pending && card.attributes.card == "c-1")
            exchange.requests.withLock { $0 = [] }
            exchange.answer(card.instance, "keep")
            try await app.handle(.updateToken(instance: card.instance), &memory)
            let report = try #require(exchange.requests.withLock { $0.first })
            #expect(report.contains("\"pending\"") && report.contains("\"startAt\":"))
            #expect(report.contains(try #require(card.updateToken)))
            // The service knows it: it stays when the app is left.
            try await app.handle(.leftForeground, &memory)
            #expect(try fleet.phone("p").phone.activities.map(\.state) == [.pending])
            // Nor is it scheduled twice, or ended while it is wanted.
            exchange.wanted.withLock { $0 = Self.wanted(startAt: fleet.clock.now + 3600, instance: card.instance) }
            try await app.handle(.launched, &memory)
            #expect(try fleet.phone("p").phone.activities.map(\.instance) == [card.instance])
        }
        try await scheduled(version: "18.0") { fleet, _, _, _ in
            let phone = try fleet.phone("p").phone
            #expect(phone.activities.isEmpty)
        }
    }

    @Test("An app that is left ends what has no token, or what the service has not answered for")
    func endsUnconfirmed() async throws {
        for hasToken in [true, false] {
            try await scheduled(hasToken: hasToken) { fleet, app, exchange, memory in
                let instance = try #require(try fleet.phone("p").phone.activities.first?.instance)
                if !hasToken { exchange.answer(instance, "keep") }
                try await app.handle(.started(instance: instance), &memory)
                try await app.handle(.leftForeground, &memory)
                #expect(try fleet.phone("p").phone.activities.isEmpty)
                #expect(exchange.requests.withLock { $0.last?.contains("\"dismissed\"") ?? false })
            }
        }
    }

    @Test("An app that is opened ends what is not wanted then any more, and schedules it anew")
    func movesScheduled() async throws {
        try await scheduled { fleet, app, exchange, memory in
            let former = try #require(try fleet.phone("p").phone.activities.first?.instance)
            exchange.wanted.withLock { $0 = Self.wanted(startAt: fleet.clock.now + 7200) }
            try await app.handle(.launched, &memory)
            let cards = try fleet.phone("p").phone.activities
            #expect(cards.count == 1 && cards.first?.instance != former)
            exchange.wanted.withLock { $0 = "" }
            try await app.handle(.launched, &memory)
            let phone = try fleet.phone("p").phone
            #expect(phone.activities.isEmpty)
        }
    }
}
