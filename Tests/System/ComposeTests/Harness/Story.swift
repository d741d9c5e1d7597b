import DoorstepAPI
import Foundation
import Testing
import TownSupport

typealias Town = TownSupport.Town<Containers>

/// Tells a story in a stack of its own, and says which, how long it took, and what was checked.
func story(
    _ name: String, rate: Double = 30, _ baskets: [Town.Basket] = Town.ten, _ tell: (Town) async throws -> [String]
) async throws {
    print("story: \(name) …")
    let began = ContinuousClock.now
    let stack = try await Containers.start(rate: rate)
    let up = ContinuousClock.now
    var checked: [String] = []
    try await Town.live(in: stack, baskets) { checked = try await tell($0) }
    let seconds = { (duration: Duration) in Int(duration / .seconds(1)) }
    print("story: \(name): told in \(seconds(.now - up)) s, after \(seconds(up - began)) s to bring the stack up")
    for claim in checked { print("    checked: \(claim)") }
}

extension TownSupport.Town where Stack == Containers {
    /// What must hold after every fault.
    ///
    /// - Returns: what was checked, to be said.
    func everythingHolds(_ ended: [Ended], wholeDeliveriesMissed: Bool = false) async throws -> [String] {
        try await everyCardEndsRight(ended, wholeDeliveriesMissed: wholeDeliveriesMissed)
        try await nothingComesBack()
        let dead = try await deadLetters()
        #expect(dead.isEmpty, "dead letters: \(dead)")
        let pushes = await watchers.asyncCount { await $0.screen.cards.values.reduce(0) { $0 + $1.pushes.count } }
        return [
            "all \(ended.count) acknowledged deliveries are there and ended as they were lived",
            "each has one card on each of its customer's devices, ended with its last word, dismissed in its time",
            "none of \(pushes) pushes went back, came twice, or would be refused by a phone; nothing ended came back",
            "no dead letters in any service",
        ]
    }

    /// Every service's, each in a line.
    func deadLetters() async throws -> [String] {
        let caller = Caller(stack: stack, token: stack.tokens.operator)
        var found: [String] = []
        for service in ServiceName.allCases {
            let page: DeadLettersBody = try await caller.get(service, "/v1/admin/dead-letters")
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
