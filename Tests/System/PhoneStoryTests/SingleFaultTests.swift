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
    private func meet(_ event: String, times: Int, in story: Story) async {
        for (name, fault, _) in Self.faults {
            var fault = fault
            fault.event = event
            fault.phone = name
            fault.times = times
            await story.add(fault)
        }
    }

    private func expectTruth(_ story: Story, _ place: SourceLocation = #_sourceLocation) async throws {
        let (untruths, violations) = (try await story.untruths(), await story.violations)
        #expect(untruths == [], sourceLocation: place)
        #expect(violations == [], sourceLocation: place)
    }

    @Test("Without a fault a card starts, follows its order, ends and leaves")
    func ordinary() async throws {
        try await Story.run { story in
            try await story.addPhone("p")
            let order = try await story.place()
            try await story.pass(60)
            try await expectTruth(story)
            for phase in [LiveActivity.Phase.packed, .onTheWay, .arriving, .atDoor] {
                try await story.tell(.phase(phase, isAlert: true), of: order)
                try await story.pass(60)
                try await expectTruth(story)
            }
            try await story.tell(.end, of: order)
            try await story.pass(5)
            try await expectTruth(story)
            #expect(try story.fleetPhone("p").phone.phone.rememberedCards.map(\.state) == [.ended])
            try await story.pass(1000)
            #expect(try story.fleetPhone("p").phone.phone.rememberedCards.map(\.state) == [.dismissed])
            try await expectTruth(story)
        }
    }

    // MARK: What Apple's service does

    @Test("A start that is refused, or whose answer gets lost, makes one card, and no second")
    func starts() async throws {
        try await Story.run { story in
            for (name, _, _) in Self.faults { try await story.addPhone(name, of: name) }
            await meet("start", times: 2, in: story)
            for (name, _, _) in Self.faults { try await story.place(for: name) }
            try await story.pass(120)
            #expect(await story.violations == [])
            let lost = Set(Self.faults.filter(\.isLost).map(\.name))
            let missing = try await story.untruths().map { String($0.prefix { $0 != ":" }) }
            #expect(Set(missing) == lost)
            // What may have been shown is waited for; then the app says that it was not.
            try await story.pass(600)
            for name in lost { try await story.launchApp(name) }
            try await story.pass(10)
            await story.endFaults()
            try await story.pass(700)
            for name in lost { try await story.launchApp(name) }
            try await story.pass(60)
            try await expectTruth(story)
        }
    }

    @Test("An update that is refused, or whose answer gets lost, is followed by what is true then")
    func updates() async throws {
        try await Story.run { story in
            for (name, _, _) in Self.faults {
                try await story.addPhone(name, of: name)
                try await story.place(for: name)
            }
            try await story.pass(60)
            await meet("update", times: 2, in: story)
            for order in Self.faults.indices { try await story.tell(.phase(.packed, isAlert: true), of: order) }
            try await story.pass(1)
            for order in Self.faults.indices { try await story.tell(.phase(.onTheWay, isAlert: true), of: order) }
            try await story.pass(90)
            try await expectTruth(story)
        }
    }

    @Test("An end that is refused, or whose answer gets lost, arrives")
    func ends() async throws {
        try await Story.run { story in
            for (name, _, _) in Self.faults {
                try await story.addPhone(name, of: name)
                try await story.place(for: name)
            }
            try await story.pass(60)
            await meet("end", times: 2, in: story)
            for order in Self.faults.indices { try await story.tell(.end, of: order) }
            try await story.pass(90)
            try await expectTruth(story)
            try await story.pass(1200)
            for (name, _, _) in Self.faults {
                #expect(try story.fleetPhone(name).phone.phone.liveCards.isEmpty, "\(name)")
            }
        }
    }

    @Test("A token that APNs calls gone is dropped, unless it was registered since")
    func gone() async throws {
        try await Story.run { story in
            for name in ["old", "since"] { try await story.addPhone(name, of: name) }
            let (old, since) = (try await story.place(for: "old"), try await story.place(for: "since"))
            try await story.pass(60)
            try await expectTruth(story)
            let now = story.clock.now.epochSeconds
            for (name, at) in [("old", now), ("since", now - 600)] {
                for event in ["start", "update"] {
                    await story.add(
                        Fault(
                            kind: .answer, reason: event == "start" ? "ExpiredToken" : "Unregistered", since: at,
                            phone: name, event: event, times: 1))
                }
            }
            for order in [old, since] { try await story.tell(.phase(.packed, isAlert: false), of: order) }
            try await story.place(for: "old")
            try await story.place(for: "since")
            try await story.pass(300)
            let untruths = try await story.untruths()
            #expect(!untruths.isEmpty && untruths.allSatisfy { $0.hasPrefix("old") })
            try await story.launchApp("old")
            try await story.pass(60)
            try await expectTruth(story)
        }
    }

    // MARK: What happens on the phone

    @Test("A phone that was offline shows what is true when it is back, with its app or without")
    func offline() async throws {
        try await Story.run { story in
            for name in ["app", "none"] {
                try await story.addPhone(name, of: name)
                for _ in 0..<2 { try await story.place(for: name) }
            }
            try await story.pass(60)
            for name in ["app", "none"] { try await story.setOnline(name, false) }
            try await story.killApp("none")
            for order in 0..<4 { try await story.tell(.phase(.packed, isAlert: true), of: order) }
            try await story.pass(300)
            for order in 0..<4 { try await story.tell(.phase(.onTheWay, isAlert: true), of: order) }
            try await story.pass(60)
            for name in ["app", "none"] { try await story.setOnline(name, true) }
            try await story.pass(60)
            let untruths = try await story.untruths()
            #expect(untruths.allSatisfy { $0.hasPrefix("none") })
            // Without the app nobody knows; what was lost is sent again before it goes stale.
            try await story.pass(1200)
            try await expectTruth(story)
        }
    }

    @Test("A start that waits for a phone that is offline arrives, or starts again once it has expired")
    func offlineAtStart() async throws {
        try await Story.run { story in
            for name in ["soon", "late"] {
                try await story.addPhone(name, of: name)
                try await story.setOnline(name, false)
                try await story.place(for: name)
            }
            try await story.pass(300)
            try await story.setOnline("soon", true)
            try await story.pass(60)
            let untruths = try await story.untruths()
            #expect(untruths.allSatisfy { $0.hasPrefix("late") })
            try await story.pass(600)
            try await story.setOnline("late", true)
            try await story.pass(60)
            try await expectTruth(story)
        }
    }

    @Test("An end that a phone lost is sent again, so that no card stays past its end")
    func lostEnd() async throws {
        try await Story.run { story in
            for name in ["offline", "budget"] {
                try await story.addPhone(name, of: name)
                for _ in 0..<2 { try await story.place(for: name) }
            }
            try await story.pass(60)
            for name in ["offline", "budget"] { try await story.killApp(name) }
            try await story.setOnline("offline", false)
            try await story.exhaust("budget", updates: true, starts: false)
            for order in 0..<4 { try await story.tell(.end, of: order) }
            try await story.pass(60)
            try await story.setOnline("offline", true)
            try await story.pass(1200)
            try await expectTruth(story)
        }
    }

    @Test("What a phone's used-up budget drops is sent again at the priority that costs none")
    func budget() async throws {
        try await Story.run { story in
            try await story.addPhone("p")
            let order = try await story.place()
            try await story.pass(60)
            try await story.exhaust("p", updates: true, starts: false)
            try await story.tell(.phase(.packed, isAlert: true), of: order)
            #expect(try await story.outcomes["budgetExhausted"] == 1)
            try await story.pass(1200)
            try await expectTruth(story)
        }
    }

    @Test("A start that a phone's used-up budget drops is made again when the app says that it is missing")
    func startBudget() async throws {
        try await Story.run { story in
            try await story.addPhone("p")
            try await story.exhaust("p", updates: false, starts: true)
            try await story.place()
            #expect(try await story.outcomes["startBudgetExhausted"] == 1)
            try await story.pass(3700)
            try await story.launchApp("p")
            try await story.pass(60)
            try await expectTruth(story)
        }
    }

    @Test("Tokens that rotate are followed, also those that rotated while no app ran")
    func rotation() async throws {
        try await Story.run { story in
            for name in ["runs", "sleeps"] {
                try await story.addPhone(name, of: name)
                try await story.place(for: name)
            }
            try await story.pass(60)
            try await story.killApp("sleeps")
            for name in ["runs", "sleeps"] {
                try await story.rotateStartToken(name)
                try await story.rotateUpdateTokens(name)
            }
            try await story.pass(10)
            for order in 0..<2 { try await story.tell(.phase(.packed, isAlert: true), of: order) }
            for name in ["runs", "sleeps"] { try await story.place(for: name) }
            try await story.pass(60)
            let untruths = try await story.untruths()
            #expect(untruths.allSatisfy { $0.hasPrefix("sleeps") })
            try await story.launchApp("sleeps")
            try await story.pass(60)
            try await expectTruth(story)
        }
    }

    @Test("A start launches an app that does not run, and its card is followed and ended after that")
    func killedApp() async throws {
        try await Story.run { story in
            try await story.addPhone("p") { $0.tokenDelaySeconds = 5 }
            try await story.killApp("p")
            let order = try await story.place()
            try await story.pass(60)
            try await story.tell(.phase(.onTheWay, isAlert: true), of: order)
            try await story.pass(60)
            try await expectTruth(story)
            try await story.tell(.end, of: order)
            try await story.pass(60)
            try await expectTruth(story)
        }
    }

    @Test("An update token that comes when the app does not run any more is uploaded at its next launch")
    func lateToken() async throws {
        try await Story.run { story in
            try await story.addPhone("p") { $0.tokenDelaySeconds = 60 }
            try await story.killApp("p")
            let order = try await story.place()
            try await story.pass(120)
            try await story.tell(.phase(.onTheWay, isAlert: true), of: order)
            try await story.pass(60)
            let untruths = try await story.untruths()
            #expect(!untruths.isEmpty)
            try await story.launchApp("p")
            try await story.pass(60)
            try await expectTruth(story)
        }
    }

    // MARK: What its owner does

    @Test("A card that was swiped away is not started again, by nothing that follows")
    func swiped() async throws {
        try await Story.run { story in
            try await story.addPhone("p")
            let order = try await story.place()
            let other = try await story.place()
            try await story.pass(60)
            try await story.swipe("p", order)
            for phase in [LiveActivity.Phase.packed, .onTheWay] {
                for order in [order, other] { try await story.tell(.phase(phase, isAlert: true), of: order) }
                try await story.pass(60)
            }
            try await story.killApp("p")
            try await story.launchApp("p")
            try await story.pass(8 * 3600)
            try await story.launchApp("p")
            try await story.pass(60)
            #expect(try story.fleetPhone("p").phone.phone.liveCards.count == 1)
            try await expectTruth(story)
        }
    }

    @Test("Nothing starts while activities are switched off, and what is placed meanwhile starts after")
    func switchedOff() async throws {
        try await Story.run { story in
            try await story.addPhone("p")
            try await story.switchActivities("p", on: false)
            try await story.work()
            let order = try await story.place()
            try await story.pass(60)
            #expect(try await story.outcomes == [:])
            try await story.tell(.phase(.packed, isAlert: true), of: order)
            try await story.switchActivities("p", on: true)
            try await story.pass(60)
            try await expectTruth(story)
        }
    }

    @Test("With frequent updates off a phone gets no more in an hour than it takes, and shows what is true")
    func infrequent() async throws {
        try await Story.run { story in
            try await story.addPhone("p") { $0.frequentUpdates = false }
            let orders = [try await story.place(), try await story.place()]
            try await story.pass(60)
            for number in 0..<40 {
                let phases: [LiveActivity.Phase] = [.picking, .packed]
                for order in orders { try await story.tell(.phase(phases[number % 2], isAlert: false), of: order) }
                try await story.pass(90)
            }
            for order in orders { try await story.tell(.end, of: order) }
            try await story.pass(200)
            #expect(try await story.outcomes["budgetExhausted"] == nil)
            try await expectTruth(story)
        }
    }

    // MARK: What happens to the process

    @Test("A process that dies between lease and send, or between send and result, costs time and nothing else")
    func killed() async throws {
        try await Story.run { story in
            for moment in [Story.Killed.beforeSending, .beforeRecording] {
                let name = "p-\(moment)"
                try await story.addPhone(name, of: name)
                await story.kill(moment)
                let order = try await story.place(for: name)
                try await story.pass(40)
                try await expectTruth(story)
                for chapter in [StoryOrder.Chapter.phase(.onTheWay, isAlert: true), .end] {
                    await story.kill(moment)
                    try await story.tell(chapter, of: order)
                    try await story.pass(40)
                    try await expectTruth(story)
                }
            }
        }
    }

    @Test("A result that is recorded while the database is away is recorded when it is back")
    func databaseAway() async throws {
        try await Story.run { story in
            try await story.addPhone("p")
            await story.loseDatabase()
            let order = try await story.place()
            try await story.pass(5)
            try await expectTruth(story)
            for chapter in [StoryOrder.Chapter.phase(.onTheWay, isAlert: true), .end] {
                await story.loseDatabase()
                try await story.tell(chapter, of: order)
                try await story.pass(5)
                try await expectTruth(story)
            }
        }
    }

    // MARK: Age

    @Test("After seven and a half hours another card takes over, also where its start is refused for a while")
    func rollOver() async throws {
        try await Story.run { story in
            for name in ["ordinary", "refused", "five"] { try await story.addPhone(name, of: name) }
            for name in ["ordinary", "refused"] { try await story.place(for: name) }
            for _ in 0..<4 { try await story.place(for: "five") }
            try await story.pass(7 * 3600)
            await story.add(
                Fault(kind: .answer, reason: "ServiceUnavailable", phone: "refused", event: "start", times: 6))
            try await story.pass(2 * 3600)
            try await expectTruth(story)
            for order in 0..<6 { try await story.tell(.end, of: order) }
            try await story.pass(60)
            try await expectTruth(story)
        }
    }
}
