import EmulatorAPI
import Foundation
import LiveActivity
import PhoneRules
import Testing

@testable import APNsEmulator

extension SingleFaultTests {
    /// Whether a phone takes pushes for a card before it starts, which Apple does not say.
    private static let phones = [true, false]

    /// A phone on iOS 26 whose app has scheduled a card in an hour, was left and ended.
    private func scheduled(
        hasToken: Bool = true, takesPushes: Bool = false,
        _ body: @escaping @Sendable (_ scenario: Scenario, _ order: Int) async throws -> Void
    ) async throws {
        try await Scenario.run { scenario in
            try await scenario.addPhone("p") {
                $0.osVersion = "26.0"
                $0.pendingHasToken = hasToken
                $0.pendingTakesPushes = takesPushes
            }
            let order = try await scenario.place(startsIn: 3600)
            try await scenario.launchApp("p")
            #expect(try scenario.fleetPhone("p").phone.activities.map(\.state) == [.pending])
            try await scenario.leaveAndKillApp("p")
            #expect(try scenario.fleetPhone("p").phone.activities.count == (hasToken ? 1 : 0))
            try await scenario.pass(600)
            try await body(scenario, order)
        }
    }

    /// How many starts the phone was pushed.
    private func startsPushed(_ scenario: Scenario) throws -> Int {
        try scenario.fleetPhone("p").log.count { $0.event == "start" }
    }

    @Test("A card that its app has scheduled starts without the app and without a start by push, and goes on by pushes")
    func startsByItself() async throws {
        try await scheduled { scenario, order in
            try await scenario.pass(3001)
            #expect(try scenario.fleetPhone("p").phone.phone.lockScreen.count == 1)
            try await scenario.advance(.phase(.picking, isAlert: true), of: order)
            try await expectTruth(scenario, after: 60)
            try await scenario.advance(.end, of: order)
            try await expectTruth(scenario, after: 1200)
            #expect(try startsPushed(scenario) == 0)
        }
    }

    @Test("Where no token came before it starts, the app ends it and it starts by push")
    func startsByPush() async throws {
        try await scheduled(hasToken: false) { scenario, _ in
            try await scenario.pass(3060)
            try await expectTruth(scenario)
            #expect(try startsPushed(scenario) == 1)
        }
    }

    @Test("A card that the phone has dropped meanwhile starts by push, once its token says so")
    func dropped() async throws {
        try await scheduled { scenario, _ in
            try await scenario.dropScheduled("p")
            try await scenario.pass(3060)
            try await expectTruth(scenario)
            #expect(try startsPushed(scenario) == 1)
        }
    }

    @Test("The card of a cancelled order does not stay, though the app is never opened", arguments: phones)
    func cancelled(takesPushes: Bool) async throws {
        try await scheduled(takesPushes: takesPushes) { scenario, order in
            try await scenario.advance(.end, of: order)
            try await scenario.pass(3001)
            #expect(try scenario.fleetPhone("p").phone.phone.lockScreen.isEmpty == takesPushes)
            try await expectTruth(scenario, after: 15)
            #expect(try scenario.fleetPhone("p").phone.phone.lockScreen.isEmpty)
            #expect(try startsPushed(scenario) == 0)
        }
    }

    @Test("The app that is opened in time ends it, so that it is on no screen at all")
    func openedInTime() async throws {
        try await scheduled { scenario, order in
            try await scenario.advance(.end, of: order)
            try await scenario.launchApp("p")
            try await scenario.pass(3001)
            #expect(try scenario.fleetPhone("p").phone.phone.lockScreen.isEmpty)
            try await expectTruth(scenario, after: 600)
        }
    }

    @Test("A start that has moved to an earlier time comes by push at once", arguments: phones)
    func movedEarlier(takesPushes: Bool) async throws {
        try await scheduled(takesPushes: takesPushes) { scenario, order in
            // Picking has begun.
            try await scenario.move(order, startsIn: 0)
            try await expectTruth(scenario, after: 60)
            try await expectTruth(scenario, after: 3600)
            #expect(try startsPushed(scenario) == 1)
        }
    }

    @Test("A start that has moved to a later time comes by push at its time", arguments: phones)
    func movedLater(takesPushes: Bool) async throws {
        try await scheduled(takesPushes: takesPushes) { scenario, order in
            try await scenario.move(order, startsIn: 7200)
            // What takes no push starts at the old time, until its end comes.
            await scenario.excuse("p", order)
            try await scenario.pass(3060)
            #expect(try scenario.fleetPhone("p").phone.phone.lockScreen.isEmpty)
            try await scenario.pass(4200)
            try await expectTruth(scenario)
            #expect(try startsPushed(scenario) == 1)
        }
    }
}
