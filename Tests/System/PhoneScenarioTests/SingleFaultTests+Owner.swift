import EmulatorAPI
import Foundation
import LiveActivity
import PhoneRules
import Testing

@testable import APNsEmulator

extension SingleFaultTests {
    // MARK: What its owner does

    @Test("A card that was swiped away is not started again, by nothing that follows")
    func swiped() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p")
            let order = try await scenario.place()
            let other = try await scenario.place()
            try await scenario.pass(60)
            try await scenario.swipe("p", order)
            for phase in [LiveActivity.Phase.packed, .onTheWay] {
                for order in [order, other] { try await scenario.advance(.phase(phase, isAlert: true), of: order) }
                try await scenario.pass(60)
            }
            try await scenario.killApp("p")
            try await scenario.launchApp("p")
            try await scenario.pass(8 * 3600)
            try await scenario.launchApp("p")
            try await scenario.pass(60)
            #expect(try scenario.fleetPhone("p").phone.phone.liveCards.count == 1)
            try await expectTruth(scenario)
        }
    }

    @Test("Nothing starts while activities are switched off, and what is placed meanwhile starts after")
    func switchedOff() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p")
            try await scenario.switchActivities("p", on: false)
            try await scenario.work()
            let order = try await scenario.place()
            try await scenario.pass(60)
            #expect(try await scenario.outcomes == [:])
            try await scenario.advance(.phase(.packed, isAlert: true), of: order)
            try await scenario.switchActivities("p", on: true)
            try await expectTruth(scenario, after: 60)
        }
    }

    @Test("With frequent updates off a phone gets no more in an hour than it takes, and shows what is true")
    func infrequent() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p") { $0.frequentUpdates = false }
            let orders = [try await scenario.place(), try await scenario.place()]
            try await scenario.pass(60)
            for number in 0..<40 {
                let phases: [LiveActivity.Phase] = [.picking, .packed]
                for order in orders {
                    try await scenario.advance(.phase(phases[number % 2], isAlert: false), of: order)
                }
                try await scenario.pass(90)
            }
            for order in orders { try await scenario.advance(.end, of: order) }
            try await scenario.pass(200)
            #expect(try await scenario.outcomes["budgetExhausted"] == nil)
            try await expectTruth(scenario)
        }
    }

    @Test("An app that is launched a minute after a start that got no answer has the card", arguments: [true, false])
    func launchedAfterSilence(isShown: Bool) async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p")
            await scenario.add(Fault(kind: .silence, applies: isShown, phone: "p", event: "start", times: 1))
            try await scenario.place()
            try await scenario.pass(60)
            try await scenario.launchApp("p")
            try await expectTruth(scenario, after: 20)
        }
    }

    // MARK: What happens to the process

    @Test("A process that dies between lease and send, or between send and result, costs time and nothing else")
    func killed() async throws {
        try await Scenario.run { scenario in
            for moment in [Scenario.Killed.beforeSending, .beforeRecording] {
                let name = "p-\(moment)"
                try await scenario.addPhone(name, of: name)
                await scenario.kill(moment)
                let order = try await scenario.place(for: name)
                try await expectTruth(scenario, after: 40)
                for chapter in [ScenarioOrder.Chapter.phase(.onTheWay, isAlert: true), .end] {
                    await scenario.kill(moment)
                    try await scenario.advance(chapter, of: order)
                    try await expectTruth(scenario, after: 40)
                }
            }
        }
    }

    @Test("A result that is recorded while the database is away is recorded when it is back")
    func databaseAway() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p")
            await scenario.loseDatabase()
            let order = try await scenario.place()
            try await expectTruth(scenario, after: 5)
            for chapter in [ScenarioOrder.Chapter.phase(.onTheWay, isAlert: true), .end] {
                await scenario.loseDatabase()
                try await scenario.advance(chapter, of: order)
                try await expectTruth(scenario, after: 5)
            }
        }
    }

    // MARK: Age

    @Test("A card whose end is lost when another takes over is ended all the same, with no app running")
    func lostEndOfReplaced() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p")
            try await scenario.place()
            try await scenario.killApp("p")
            try await scenario.pass(7.4 * 3600)
            try await scenario.exhaust("p", updates: true, starts: false)
            try await scenario.pass(0.1 * 3600 + 60)
            #expect(try await scenario.outcomes["budgetExhausted"] == 1)
            try await expectTruth(scenario, after: 120)
        }
    }

    @Test("After seven and a half hours another card takes over, also where its start is refused for a while")
    func rollOver() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhones(["ordinary", "refused", "five"])
            for name in ["ordinary", "refused"] { try await scenario.place(for: name) }
            for _ in 0..<4 { try await scenario.place(for: "five") }
            try await scenario.pass(7 * 3600)
            await scenario.add(
                Fault(kind: .answer, reason: "ServiceUnavailable", phone: "refused", event: "start", times: 6))
            try await expectTruth(scenario, after: 2 * 3600)
            for order in 0..<6 { try await scenario.advance(.end, of: order) }
            try await expectTruth(scenario, after: 60)
        }
    }

    @Test("What the system has ended leaves the Lock Screen once another takes over, or its delivery is over")
    func leftBehind() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhones(["open", "over", "asleep"], orders: 1)
            try await scenario.pass(7.4 * 3600)
            try await scenario.killApp("asleep")
            for name in ["open", "over", "asleep"] {
                await scenario.add(
                    Fault(kind: .answer, reason: "ServiceUnavailable", phone: name, event: "start", times: 1000))
            }
            try await scenario.pass(3600)
            for name in ["open", "over", "asleep"] {
                let cards = try scenario.fleetPhone(name).phone.phone.liveCards
                #expect(cards.map(\.state) == [.ended] && cards.allSatisfy(\.wasEndedBySystem))
            }
            try await scenario.advance(.end, of: 1)
            await scenario.endFaults()
            try await scenario.launchApp("over")
            // The next try of what was refused last.
            try await expectTruth(scenario, after: 1200)
            #expect(try scenario.fleetPhone("open").phone.phone.liveCards.map(\.state) == [.active])
            #expect(try scenario.fleetPhone("over").phone.phone.liveCards.isEmpty)
            // Its successor has launched the app, which has seen both.
            #expect(try scenario.fleetPhone("asleep").phone.phone.liveCards.map(\.state) == [.active])
        }
    }

    @Test("After a force-quit cards are updated, a card that starts is frozen, and all is true once the app is opened")
    func forceQuit() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p")
            let first = try await scenario.place()
            try await scenario.pass(60)
            try await scenario.forceQuitApp("p")
            let second = try await scenario.place()
            try await scenario.pass(60)
            for order in [first, second] {
                try await scenario.advance(.phase(.onTheWay, isAlert: true), of: order)
            }
            try await scenario.pass(900)
            let cards = try scenario.fleetPhone("p").phone.phone.liveCards
            #expect(cards.map { $0.content.phase == .onTheWay } == [true, false])
            try await scenario.launchApp("p")
            try await expectTruth(scenario, after: 60)
        }
    }

    @Test(
        "Beside a successor whose token was never uploaded a card has the last word, and leaves when the app is opened")
    func rollOverWithoutToken() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p") { $0.tokenDelaySeconds = 60 }
            try await scenario.killApp("p")
            try await scenario.place()
            try await scenario.pass(7.6 * 3600)
            #expect(try scenario.fleetPhone("p").phone.phone.liveCards.count(where: \.state.isLive) == 2)
            try await scenario.pass(0.4 * 3600)
            let cards = try scenario.fleetPhone("p").phone.phone.liveCards
            #expect(cards.map(\.state) == [.ended, .stale])
            #expect(cards.first?.content.detail?.code == "last_word")
            try await scenario.pass(3600)
            #expect(try scenario.fleetPhone("p").phone.phone.liveCards.count(where: \.state.isLive) == 1)
            try await scenario.launchApp("p")
            try await expectTruth(scenario, after: 60)
        }
    }

    @Test("A phone that takes no starts by push gets a new card by its app, when the system has ended the old one")
    func startedByAppAgain() async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p") { $0.osVersion = "17.0" }
            try await scenario.place()
            try await scenario.launchApp("p")
            try await expectTruth(scenario, after: 60)
            try await scenario.killApp("p")
            try await scenario.pass(9 * 3600)
            try await scenario.launchApp("p")
            try await expectTruth(scenario, after: 60)
            #expect(try scenario.fleetPhone("p").phone.phone.liveCards.map(\.state) == [.active])
        }
    }
}
