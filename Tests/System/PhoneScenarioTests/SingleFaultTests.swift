import DomainTime
import EmulatorAPI
import Foundation
import LiveActivity
import PhoneRules
import TestSupport
import Testing
import WireCoding

@testable import APNsEmulator

@Suite("Cards on phones under one fault", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct SingleFaultTests {
    /// What Apple's service may do to a request, and whether the push reaches the phone all the same.
    static let faults: [(name: String, fault: Fault, isLost: Bool)] = [
        ("429", Fault(kind: .answer, reason: "TooManyRequests"), false),
        ("429-later", Fault(kind: .answer, reason: "TooManyRequests", retryAfter: 30), false),
        ("500", Fault(kind: .answer, reason: "InternalServerError"), false),
        ("503", Fault(kind: .answer, reason: "ServiceUnavailable"), false),
        ("shutdown", Fault(kind: .answer, reason: "Shutdown"), false),
        ("unheard-of", Fault(kind: .answer, status: 502, reason: "Tomorrow"), false),
        ("goaway", Fault(kind: .goAway, isProcessed: false), false),
        ("goaway-processed", Fault(kind: .goAway, applies: true, isProcessed: true), false),
        ("goaway-lost", Fault(kind: .goAway, isProcessed: true), true),
        ("silence", Fault(kind: .silence, applies: true), false),
        ("silence-lost", Fault(kind: .silence), true),
        ("reset", Fault(kind: .resetStream, applies: true), false),
        ("reset-lost", Fault(kind: .resetStream), true),
        ("closed", Fault(kind: .closeConnection, applies: true), false),
        ("closed-lost", Fault(kind: .closeConnection), true),
        ("slow", Fault(kind: .delay, delayMilliseconds: 50), false),
    ]

    /// A phone for each fault, which its next pushes of an event meet.
    func meet(_ event: String, times: Int, in scenario: Scenario) async {
        for (name, fault, _) in Self.faults {
            var fault = fault
            fault.event = event
            fault.phone = name
            fault.times = times
            await scenario.add(fault)
        }
    }

    /// Expects that every screen shows what is true, and never showed what must not be.
    ///
    /// - Parameter seconds: domain seconds that pass before.
    func expectTruth(
        _ scenario: Scenario, after seconds: TimeInterval = 0, _ place: SourceLocation = #_sourceLocation
    ) async throws {
        try await scenario.pass(seconds)
        let (untruths, violations) = (try await scenario.untruths(), try await scenario.violations)
        #expect(untruths == [], sourceLocation: place)
        #expect(violations == [], sourceLocation: place)
    }

    /// Expects that no other phone than this one shows what is not true.
    func expectUntruths(
        _ scenario: Scenario, onlyOn phone: String, _ place: SourceLocation = #_sourceLocation
    ) async throws {
        let untruths = try await scenario.untruths()
        #expect(untruths.allSatisfy { $0.hasPrefix(phone) }, sourceLocation: place)
    }

    @Test("Without a fault a card starts, follows its order, ends and leaves")
    func ordinary() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p")
            let order = try await scenario.place()
            try await expectTruth(scenario, after: 60)
            for phase in [LiveActivity.Phase.packed, .onTheWay, .arriving, .atDoor] {
                try await scenario.advance(.phase(phase, isAlert: true), of: order)
                try await expectTruth(scenario, after: 60)
            }
            try await scenario.advance(.end, of: order)
            try await expectTruth(scenario, after: 5)
            #expect(try scenario.fleetPhone("p").phone.phone.rememberedCards.map(\.state) == [.ended])
            try await scenario.pass(1000)
            #expect(try scenario.fleetPhone("p").phone.phone.rememberedCards.map(\.state) == [.dismissed])
            try await expectTruth(scenario)
        }
    }

    // MARK: What Apple's service does

    @Test("A start that is refused, or whose answer gets lost, makes one card, and no second")
    func starts() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhones(Self.faults.map(\.name))
            await meet("start", times: 2, in: scenario)
            for (name, _, _) in Self.faults { try await scenario.place(for: name) }
            try await scenario.pass(120)
            #expect(try await scenario.violations == [])
            let lost = Set(Self.faults.filter(\.isLost).map(\.name))
            let missing = try await scenario.untruths().map { String($0.prefix { $0 != ":" }) }
            #expect(Set(missing) == lost)
            // What may have been shown is waited for; then the app says that it was not.
            try await scenario.pass(600)
            for name in lost { try await scenario.launchApp(name) }
            try await scenario.pass(10)
            await scenario.endFaults()
            try await scenario.pass(700)
            for name in lost { try await scenario.launchApp(name) }
            try await expectTruth(scenario, after: 60)
        }
    }

    @Test("An update that is refused, or whose answer gets lost, is followed by what is true then")
    func updates() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhones(Self.faults.map(\.name), orders: 1)
            try await scenario.pass(60)
            await meet("update", times: 2, in: scenario)
            for order in Self.faults.indices { try await scenario.advance(.phase(.packed, isAlert: true), of: order) }
            try await scenario.pass(1)
            for order in Self.faults.indices { try await scenario.advance(.phase(.onTheWay, isAlert: true), of: order) }
            try await expectTruth(scenario, after: 90)
        }
    }

    @Test("An end that is refused, or whose answer gets lost, arrives")
    func ends() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhones(Self.faults.map(\.name), orders: 1)
            try await scenario.pass(60)
            await meet("end", times: 2, in: scenario)
            for order in Self.faults.indices { try await scenario.advance(.end, of: order) }
            try await expectTruth(scenario, after: 90)
            try await scenario.pass(1200)
            for (name, _, _) in Self.faults {
                #expect(try scenario.fleetPhone(name).phone.phone.liveCards.isEmpty, "\(name)")
            }
        }
    }

    @Test("A token that APNs calls gone is dropped, unless it was registered since")
    func gone() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhones(["old", "since"])
            let (old, since) = (try await scenario.place(for: "old"), try await scenario.place(for: "since"))
            try await expectTruth(scenario, after: 60)
            let now = scenario.clock.now.epochSeconds
            for (name, at) in [("old", now), ("since", now - 600)] {
                for event in ["start", "update"] {
                    await scenario.add(
                        Fault(
                            kind: .answer, reason: event == "start" ? "ExpiredToken" : "Unregistered", since: at,
                            phone: name, event: event, times: 1))
                }
            }
            for order in [old, since] { try await scenario.advance(.phase(.packed, isAlert: false), of: order) }
            try await scenario.place(for: "old")
            try await scenario.place(for: "since")
            try await scenario.pass(300)
            let untruths = try await scenario.untruths()
            #expect(!untruths.isEmpty && untruths.allSatisfy { $0.hasPrefix("old") })
            try await scenario.launchApp("old")
            try await expectTruth(scenario, after: 60)
        }
    }

    // MARK: What happens on the phone

    @Test("A phone that was offline shows what is true when it is back, with its app or without")
    func offline() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhones(["app", "none"], orders: 2)
            try await scenario.pass(60)
            for name in ["app", "none"] { try await scenario.setOnline(name, false) }
            try await scenario.killApp("none")
            for order in 0..<4 { try await scenario.advance(.phase(.packed, isAlert: true), of: order) }
            try await scenario.pass(300)
            for order in 0..<4 { try await scenario.advance(.phase(.onTheWay, isAlert: true), of: order) }
            try await scenario.pass(60)
            for name in ["app", "none"] { try await scenario.setOnline(name, true) }
            try await scenario.pass(60)
            try await expectUntruths(scenario, onlyOn: "none")
            // Without the app nobody knows; what was lost is sent again before it goes stale.
            try await expectTruth(scenario, after: 1200)
        }
    }

    @Test("A start that waits for a phone that is offline arrives, or starts again once it has expired")
    func offlineAtStart() async throws {
        try await Scenario.run { scenario in
            for name in ["soon", "late"] {
                try await scenario.addPhone(name, of: name)
                try await scenario.setOnline(name, false)
                try await scenario.place(for: name)
            }
            try await scenario.pass(300)
            try await scenario.setOnline("soon", true)
            try await scenario.pass(60)
            try await expectUntruths(scenario, onlyOn: "late")
            try await scenario.pass(600)
            try await scenario.setOnline("late", true)
            try await expectTruth(scenario, after: 60)
        }
    }

    @Test("An end that a phone lost is sent again, so that no card stays past its end")
    func lostEnd() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhones(["offline", "budget"], orders: 2)
            try await scenario.pass(60)
            for name in ["offline", "budget"] { try await scenario.killApp(name) }
            try await scenario.setOnline("offline", false)
            try await scenario.exhaust("budget", updates: true, starts: false)
            for order in 0..<4 { try await scenario.advance(.end, of: order) }
            try await scenario.pass(60)
            try await scenario.setOnline("offline", true)
            try await expectTruth(scenario, after: 1200)
        }
    }

    @Test("What a phone's used-up budget drops is sent again at the priority that costs none")
    func budget() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p")
            let order = try await scenario.place()
            try await scenario.pass(60)
            try await scenario.exhaust("p", updates: true, starts: false)
            try await scenario.advance(.phase(.packed, isAlert: true), of: order)
            #expect(try await scenario.outcomes["budgetExhausted"] == 1)
            try await expectTruth(scenario, after: 1200)
        }
    }

    @Test("A start that a phone's used-up budget drops is made again when the app says that it is missing")
    func startBudget() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p")
            try await scenario.exhaust("p", updates: false, starts: true)
            try await scenario.place()
            #expect(try await scenario.outcomes["startBudgetExhausted"] == 1)
            try await scenario.pass(3700)
            try await scenario.launchApp("p")
            try await expectTruth(scenario, after: 60)
        }
    }

    @Test("Tokens that rotate are followed, also those that rotated while no app ran")
    func rotation() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhones(["runs", "sleeps"], orders: 1)
            try await scenario.pass(60)
            try await scenario.killApp("sleeps")
            for name in ["runs", "sleeps"] {
                try await scenario.rotateStartToken(name)
                try await scenario.rotateUpdateTokens(name)
            }
            try await scenario.pass(10)
            for order in 0..<2 { try await scenario.advance(.phase(.packed, isAlert: true), of: order) }
            for name in ["runs", "sleeps"] { try await scenario.place(for: name) }
            try await scenario.pass(60)
            try await expectUntruths(scenario, onlyOn: "sleeps")
            try await scenario.launchApp("sleeps")
            try await expectTruth(scenario, after: 60)
        }
    }

    @Test("A start launches an app that does not run, and its card is followed and ended after that")
    func killedApp() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p") { $0.tokenDelaySeconds = 5 }
            try await scenario.killApp("p")
            let order = try await scenario.place()
            try await scenario.pass(60)
            try await scenario.advance(.phase(.onTheWay, isAlert: true), of: order)
            try await expectTruth(scenario, after: 60)
            try await scenario.advance(.end, of: order)
            try await expectTruth(scenario, after: 60)
        }
    }

    @Test("An update token that comes when the app does not run any more is uploaded at its next launch")
    func lateToken() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p") { $0.tokenDelaySeconds = 60 }
            try await scenario.killApp("p")
            let order = try await scenario.place()
            try await scenario.pass(120)
            try await scenario.advance(.phase(.onTheWay, isAlert: true), of: order)
            try await scenario.pass(60)
            let untruths = try await scenario.untruths()
            #expect(!untruths.isEmpty)
            try await scenario.launchApp("p")
            try await expectTruth(scenario, after: 60)
        }
    }
}
