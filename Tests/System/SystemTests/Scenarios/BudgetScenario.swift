import DeliveryProviders
import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ProviderSamples
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    /// Counts that do not depend on the machine: commits, statements and bytes of the write-ahead log by service,
    /// messages and bytes by stream.
    @Suite("The budget of a change, a fix and a report")
    struct BudgetScenario {
        /// Actions of a kind, each about a delivery of its own, so that no card is throttled.
        private static let actions = 9
        private static let providerSteps = 3
        private static let firstFixSecondsAgo = 2.0

        private static let customers = ["change", "fix", "report"].flatMap { kind in
            (0..<actions).map { "\(kind)-\($0)" }
        }

        @Test(
            "None of them costs more statements, commits, messages or bytes than when its cost was last accepted",
            .timeLimit(.minutes(8)))
        func costs() async throws {
            let stack = try await ProcessStack.start(rate: 1, databaseSettings: PathCounter.databaseSettings)
            try await stack.whileUp {
                try await PathCounter.run(on: stack) { counter in
                    // Before there is an order, so that nothing of an order's path can be in it.
                    let background = try await counter.background()
                    let baskets = Self.customers.map { Simulation.Basket(customer: $0, endings: [.delivered]) }
                    let simulation = try await Simulation(stack, baskets: baskets, spacing: 0)
                    try await simulation.whileDevicesRun { simulation in
                        let windows = try await Self.windows(of: simulation, counter)
                        try Self.compare(windows.mapValues { PathCost(of: $0, besides: background) })
                    }
                }
            }
        }

        private static func compare(_ costs: [String: PathCost]) throws {
            for (action, cost) in costs.sorted(by: { $0.key < $1.key }) { print("\(action):\n\(cost.text)") }
            guard !PathBudget.isUpdating else { return try PathBudget.write(costs) }
            let budget = try PathBudget.read()
            for (action, cost) in costs {
                let excesses = cost.excesses(over: budget[action] ?? [:])
                #expect(excesses.isEmpty, "\(action) costs more than it did; its statements are printed above")
            }
        }

        // MARK: The actions

        /// The windows of each kind of action, by its name.
        private static func windows(
            of simulation: Simulation, _ counter: PathCounter
        ) async throws -> [String: [PathCounts]] {
            var windows: [String: [PathCounts]] = [:]
            let picked = try await pickedDeliveries(in: simulation)
            try await counter.settle()
            for delivery in picked {
                windows["a change", default: []].append(
                    try await counter.window {
                        try await simulation.stack.asStore.exchange(
                            .PATCH, .orders, "/v1/deliveries/\(delivery.id)/items/item-1",
                            Data(#"{"status":"found","quantity":1}"#.utf8))
                    })
            }
            let carried = try await carriedDeliveries(in: simulation)
            let clock = simulation.stack.clock
            let fixableAt = clock.now.addingTimeInterval(firstFixSecondsAgo)
            try await eventually("the first fixes are of after the pickup") { clock.now >= fixableAt }
            try await counter.settle()
            for delivery in carried {
                // The second is where the estimate of the first expects the courier.
                windows["a first fix", default: []].append(
                    try await counter.window {
                        try await sendFix(of: delivery, secondsAgo: firstFixSecondsAgo, metresNorth: 0)
                    })
                windows["a fix", default: []].append(
                    try await counter.window { try await sendFix(of: delivery, secondsAgo: 0, metresNorth: 4) })
            }
            let account = try await ProviderAccount.add(.uber, to: simulation.stack)
            let lives = try await providerLives(of: account, in: simulation)
            try await counter.settle()
            for life in lives {
                windows["a report", default: []].append(
                    try await counter.window { try await account.post(life.bodies[providerSteps]) })
            }
            return windows
        }

        /// Deliveries in picking, whose items are found one after the other.
        private static func pickedDeliveries(in simulation: Simulation) async throws -> [DeliveryRun] {
            var runs: [DeliveryRun] = []
            for number in 0..<actions {
                let run = try await place(number, in: simulation)
                try await run.report(.accepted)
                try await run.report(.picking)
                runs.append(run)
            }
            return runs
        }

        /// Deliveries that were picked up, each by a courier who has sent no position.
        private static func carriedDeliveries(in simulation: Simulation) async throws -> [DeliveryRun] {
            var runs: [DeliveryRun] = []
            for number in actions..<(2 * actions) {
                let run = try await place(number, in: simulation)
                try await run.prepare()
                try await run.report(.atStore)
                try await run.report(.pickedUp)
                runs.append(run)
            }
            return runs
        }

        /// What the provider posts of deliveries of which it has posted the first steps.
        private static func providerLives(
            of account: ProviderAccount, in simulation: Simulation
        ) async throws -> [ProviderLife] {
            var lives: [ProviderLife] = []
            for number in (2 * actions)..<(3 * actions) {
                let run = try await place(number, in: simulation)
                let life = ProviderLife(
                    of: account.provider, reference: "uber-\(run.id)",
                    from: Date(timeIntervalSince1970: simulation.stack.clock.now.timeIntervalSince1970.rounded() - 600),
                    secondsBetween: 30)
                let _: ProviderReferencesBody = try await simulation.stack.asStore.send(
                    .PUT, .partners, "/v1/deliveries/\(run.id)/provider",
                    ProviderReferenceBody(source: account.source, reference: life.reference))
                for body in life.bodies.prefix(providerSteps) { try await account.post(body) }
                lives.append(life)
            }
            return lives
        }

        private static func place(_ number: Int, in simulation: Simulation) async throws -> DeliveryRun {
            var run = try await simulation.placeRun(
                Simulation.Basket(customer: customers[number], endings: [.delivered]), number: number,
                courier: "courier-\(number)")
            run.storeStepSeconds = 0
            return run
        }

        private static func sendFix(of run: DeliveryRun, secondsAgo: Double, metresNorth: Double) async throws {
            let client = RetryingClient(stack: run.stack, token: try await run.stack.tokens.courier(run.courier))
            let fix = FixBody.readable(
                .init(
                    time: run.stack.clock.now.addingTimeInterval(-secondsAgo),
                    latitude: run.route.store.latitude + metresNorth / 111_195, longitude: run.route.store.longitude,
                    accuracy: 10))
            let _: FixesAnswer = try await client.send(.POST, .courierETA, "/v1/fixes", FixesBody(fixes: [fix]))
        }
    }
}
