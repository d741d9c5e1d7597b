import DoorstepAPI
import Foundation
import SimulationSupport
import Testing

typealias Simulation = SimulationSupport.Simulation<ComposeStack>

/// Runs a scenario in a stack of its own, and prints its name, its duration and what was checked.
func runScenario(
    _ name: String, rate: Double = 30, _ baskets: [Simulation.Basket] = Simulation.ten, hasPhones: Bool = false,
    _ scenario: (Simulation) async throws -> [String]
) async throws {
    print("scenario: \(name) …")
    let began = ContinuousClock.now
    let stack = try await ComposeStack.start(rate: rate, hasPhones: hasPhones)
    let up = ContinuousClock.now
    var checked: [String] = []
    try await Simulation.run(in: stack, baskets) { checked = try await scenario($0) }
    let seconds = { (duration: Duration) in Int(duration / .seconds(1)) }
    print("scenario: \(name): ran for \(seconds(.now - up)) s, after \(seconds(up - began)) s to start the stack")
    for claim in checked { print("    checked: \(claim)") }
}

extension SimulationSupport.Simulation where Stack == ComposeStack {
    /// Expects what must hold after every fault.
    ///
    /// - Returns: what was checked, to be printed.
    func expectInvariants(_ ended: [Ended], mayMissWholeDeliveries: Bool = false) async throws -> [String] {
        try await expectEveryCardEnded(ended, mayMissWholeDeliveries: mayMissWholeDeliveries)
        try await expectNothingReappears()
        let dead = try await deadLetters()
        #expect(dead.isEmpty, "dead letters: \(dead)")
        let pushes = await devices.asyncCount { await $0.screen.cards.values.reduce(0) { $0 + $1.pushes.count } }
        return [
            "all \(ended.count) acknowledged deliveries are there with the ending they were given",
            "each has one card on each of its customer's devices, ended with its last revision, dismissed on time",
            "none of \(pushes) pushes went back, came twice, or would be refused by a phone; nothing ended reappeared",
            "no dead letters in any service",
        ]
    }

    /// The dead letters of every service, one a line.
    func deadLetters() async throws -> [String] {
        var found: [String] = []
        for service in ServiceName.messaging {
            let page: DeadLettersBody = try await stack.asOperator.get(service, "/v1/admin/dead-letters")
            found += page.deadLetters.map { "\(service.rawValue): \($0.subject): \($0.error)" }
        }
        return found
    }
}

extension Array where Element: Sendable {
    fileprivate func asyncCount(_ count: (Element) async -> Int) async -> Int {
        var sum = 0
        for element in self { sum += await count(element) }
        return sum
    }
}
