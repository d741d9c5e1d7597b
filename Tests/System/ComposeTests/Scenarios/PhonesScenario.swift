import DoorstepAPI
import EmulatorAPI
import LiveActivity
import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension ComposeTests {
    @Suite("Cards on iPhones")
    struct PhonesScenario {
        @Test(
            "Four iPhones show what is true while Apple, networks, apps and the service fail", .timeLimit(.minutes(8))
        )
        func faults() async throws {
            let endings: [Ending] = [.delivered, .delivered, .delivered, .cancelled]
            let baskets = zip(["ada", "bo", "cleo", "dan"], endings).map {
                Simulation.Basket(customer: $0, endings: [$1])
            }
            try await runScenario("four iPhones", rate: 20, baskets, hasPhones: true) { simulation in
                let phones = try #require(simulation.stack.phones)
                let watch = PhoneWatch(phones, of: baskets.map { Evening.phone(of: $0) })
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    defer { group.cancelAll() }
                    let evening = Evening(simulation: simulation, phones: phones, baskets: baskets)
                    try await evening.addPhones()
                    group.addTask { await watch.run() }
                    let checked = try await evening.run()
                    let violations = await watch.violations
                    #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
                    return checked + ["no card went back, came twice or alerted twice, and no phone was sent too much"]
                }
            }
        }
    }
}

/// The orders of one evening, taken from step to step: each step ends with what every phone must show then.
private struct Evening: Sendable {
    let simulation: Simulation
    let phones: EmulatedPhones
    let baskets: [Simulation.Basket]

    private var stack: ComposeStack { simulation.stack }

    static func phone(of basket: Simulation.Basket) -> String { "\(basket.customer)-iphone" }

    func addPhones() async throws {
        for basket in baskets {
            try await phones.add(
                Self.phone(of: basket), customerToken: try await stack.tokens.customer(basket.customer))
        }
    }

    /// - Returns: what was checked.
    func run() async throws -> [String] {
        let all = try await start()
        let (staying, cancelled) = (Array(all.dropLast()), all[3])
        try await change(all)
        try await leave(away: all[2], appKilled: all[3], all)
        try await cancelled.run.report(.cancelled)
        var ended = [try await simulation.ended(cancelled.delivery, .cancelled)]
        try await cancelled.expectEnd(ended[0])
        try await loseService(staying)
        ended += try await deliver(staying)
        try await all.forEachAtOnce { try await $0.expectGone() }
        try await expectExplained(all[0], failures: ["start": "refused", "update": "refused", "end": "refused"])
        try await expectExplained(all[2], failures: ["end": "unknown"])
        return [
            "Apple answered 429, 500 and 503, sent GOAWAY, closed or was silent in starts, updates and ends",
            "a phone was offline, an app killed, activity-dispatch killed, the emulator off the network",
            "after each, each phone showed one card with its delivery's status",
            "each card ended with its delivery, and was gone after its dismissal date; ops why names its pushes",
        ] + (try await simulation.expectInvariants(ended))
    }

    // MARK: Its steps

    /// Places the orders; each start meets a fault of its own.
    private func start() async throws -> [PhoneOrder] {
        for reason in ["TooManyRequests", "ServiceUnavailable"] {
            try await addFault(#""kind": "answer", "reason": "\#(reason)""#, to: 0, "start")
        }
        try await addFault(#""kind": "silence""#, to: 1, "start")
        var all = [try await place(0), try await place(1)]
        let silent = all[1]
        try await eventually("no answer to a start came", explain: { await silent.explanation }) {
            try await silent.knownCard()?.answered == "unknown"
        }
        // Nobody knows whether the phone shows it; its app does.
        #expect(try await silent.cards().isEmpty)
        try await phones.act(.launchApp, on: silent.phone)
        try await all.expectTruth("though its start was refused or swallowed")

        // What breaks a connection breaks other starts on it too, so these are alone.
        try await addFault(#""kind": "goaway", "isProcessed": false"#, to: 2, "start")
        all.append(try await place(2))
        try await all.expectTruth("after GOAWAY")
        try await addFault(#""kind": "close-connection", "applies": true"#, to: 3, "start")
        all.append(try await place(3))
        try await all.expectTruth("after a start whose answer got lost")
        try await expectFaultsMet()
        return all
    }

    /// Each next update meets a fault of its own.
    private func change(_ all: [PhoneOrder]) async throws {
        try await addFault(#""kind": "answer", "reason": "ServiceUnavailable""#, to: 0, "update")
        try await addFault(#""kind": "answer", "reason": "InternalServerError""#, to: 1, "update")
        try await addFault(#""kind": "goaway", "isProcessed": true"#, to: 2, "update")
        try await addFault(#""kind": "silence""#, to: 3, "update")
        try await all.report(.accepted)
        try await all.report(.picking)
        try await expectFaultsMet()
        try await all.expectTruth("though updates were refused and lost")
    }

    /// One phone is offline and another's app is killed while something changes.
    private func leave(away: PhoneOrder, appKilled: PhoneOrder, _ all: [PhoneOrder]) async throws {
        try await phones.act(.goOffline, on: away.phone)
        try await phones.act(.killApp, on: appKilled.phone)
        try await all.forEachAtOnce { try await $0.run.assign() }
        try await all.report(.staged)
        try await all.filter { $0.phone != away.phone }.expectTruth("without its app")
        try await eventually("Apple keeps a push", explain: { await away.explanation }) {
            try await phones.phone(away.phone).counts["stored", default: 0] > 0
        }
        let shown = try await away.cards().map(\.content.phase)
        #expect(shown == [.picking], "what it showed when it went offline")
        try await phones.act(.goOnline, on: away.phone)
        try await phones.act(.launchApp, on: appKilled.phone)
        try await all.expectTruth("when it is back")
    }

    /// `activity-dispatch` is killed while something changes.
    private func loseService(_ all: [PhoneOrder]) async throws {
        try await stack.kill9(ServiceName.dispatch.rawValue)
        try await all.report(.atStore)
        try await all.report(.pickedUp)
        try await stack.start(ServiceName.dispatch.rawValue)
        try await stack.waitUntilReady()
        try await all.expectTruth("after activity-dispatch was killed")
    }

    /// The emulator is off the network during the ride; no order is handed over before that is over.
    private func deliver(_ all: [PhoneOrder]) async throws -> [Simulation.Ended] {
        let handOvers = all.map { _ in AsyncStream.makeStream(of: Never.self) }
        let refused = all[0]
        return try await withThrowingTaskGroup(of: Simulation.Ended?.self) { group in
            for (order, handOver) in zip(all, handOvers) {
                group.addTask {
                    var run = order.run
                    run.beforeHandOver = { for await _ in handOver.stream {} }
                    try await run.ride()
                    let ended = try await simulation.ended(order.delivery, .delivered)
                    try await order.expectEnd(ended)
                    return ended
                }
            }
            group.addTask {
                defer { for handOver in handOvers { handOver.continuation.finish() } }
                try await loseNetwork(all)
                // What breaks a connection takes the other answers on it along, and these pushes are unknown then: so
                // the end that Apple refuses is repeated and accepted before that.
                try await addFault(#""kind": "answer", "reason": "ServiceUnavailable""#, to: 0, "end")
                handOvers[0].continuation.finish()
                try await eventually(
                    "Apple takes the end at last", within: 180, explain: { await refused.explanation }
                ) {
                    let card = try await refused.knownCard()
                    return ["ended", "dismissed"].contains(card?.state ?? "") && card?.answered == "taken"
                }
                try await addFault(#""kind": "goaway", "isProcessed": true, "applies": true"#, to: 1, "end")
                try await addFault(#""kind": "close-connection""#, to: 2, "end")
                return nil
            }
            let ended = try await group.reduce(into: []) { ended, one in ended += [one].compactMap(\.self) }
            try await expectFaultsMet()
            return ended
        }
    }

    private func loseNetwork(_ all: [PhoneOrder]) async throws {
        try await stack.disconnect(ComposeStack.emulator)
        try await all.forEachAtOnce { order in
            try await eventually("\(order.phone) is behind", explain: { await order.explanation }) {
                try await order.knownCard()?.isBehind == true
            }
        }
        try await stack.reconnect(ComposeStack.emulator)
        try await all.expectTruth("when the emulator is back on the network")
    }

    /// Expects that an operator is given the pushes of a card and what became of them: each push that met a fault, and
    /// after it the one that Apple accepted.
    ///
    /// - Parameter failures: what is known of the push that met the fault, by event. Apple refused it where its answer
    ///   came; where the answer got lost nobody knows.
    private func expectExplained(_ order: PhoneOrder, failures: [String: String]) async throws {
        let why = try await stack.ops(["why", order.delivery.rawValue])
        let pushes = why.split(separator: "\n").filter { $0.contains(" to \(order.phone) of ") }
        for (event, result) in failures {
            let ofEvent = pushes.filter { $0.contains("push \(event) ") }
            let failed = try #require(ofEvent.firstIndex { $0.hasSuffix(": \(result)") }, "\(event): \(why)")
            #expect(ofEvent[failed...].contains { $0.hasSuffix(": accepted") }, "\(event): \(why)")
        }
    }

    // MARK: Its parts

    private func place(_ number: Int) async throws -> PhoneOrder {
        let basket = baskets[number]
        let order = try await simulation.place(basket, number: number, routes: [.synthetic(number)])
        let delivery = try #require(order.deliveries.first)
        let run = simulation.deliveryRun(
            delivery, courier: "courier-\(number)", route: .synthetic(number), ending: basket.endings[0])
        return PhoneOrder(
            simulation: simulation, phones: phones, phone: Self.phone(of: basket), delivery: delivery.id, run: run)
    }

    private func addFault(_ properties: String, to number: Int, _ event: String) async throws {
        let phone = Self.phone(of: baskets[number])
        try await phones.addFault(#"{\#(properties), "phone": "\#(phone)", "event": "\#(event)", "times": 1}"#)
    }

    private func expectFaultsMet() async throws {
        var left: [String] = []
        try await eventually("each fault has met its push", explain: { left.joined(separator: "\n") }) {
            left = try await phones.faultsLeft
            return left.isEmpty
        }
    }
}
