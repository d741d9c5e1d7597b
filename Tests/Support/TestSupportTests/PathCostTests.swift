import TestSupport
import Testing

@Suite("The cost of an action")
struct PathCostTests {
    private static let update = CountedStatement(role: "courier_eta", text: "UPDATE couriers SET position = $1")
    private static let poll = CountedStatement(role: "courier_eta", text: "SELECT min(due_at) FROM timers")
    private static let commit = CountedStatement(role: "courier_eta", text: "COMMIT")
    private static let begin = CountedStatement(role: "courier_eta", text: "BEGIN ISOLATION LEVEL READ COMMITTED")

    private func window(_ calls: [CountedStatement: Int], published: Int = 1, bytes: Int = 100) -> PathCounts {
        PathCounts(
            calls: calls, walBytes: calls.mapValues { $0 * 50 },
            broker: ["messages published to COURIERS": published, "bytes of COURIERS": bytes])
    }

    @Test("What each window has counts, and what a few have beside it does not")
    func quartile() {
        let plain = window([Self.update: 2, Self.begin: 1, Self.commit: 1])
        // A window with a round of the resync, and one that lost a statement to the next.
        let busy = window([Self.update: 9, Self.begin: 4, Self.commit: 4], published: 5, bytes: 900)
        let late = window([Self.update: 1, Self.begin: 1, Self.commit: 1])
        let cost = PathCost(of: [plain, late, plain, busy, plain, plain], besides: [])
        #expect(
            cost.figures == [
                "statements of courier-eta": 2, "commits of courier-eta": 1, "WAL bytes of courier-eta": 100,
                "messages published to COURIERS": 1, "bytes of COURIERS": 100,
            ])
        #expect(cost.statements == [Self.update: 2])
    }

    @Test("A statement that runs while nothing happens is left out, and the commits are not")
    func background() {
        let windows = [3, 1, 4].map { window([Self.update: 1, Self.poll: $0, Self.commit: 1]) }
        let cost = PathCost(of: windows, besides: [Self.poll, Self.commit])
        #expect(cost.statements == [Self.update: 1])
        #expect(cost.figures["commits of courier-eta"] == 1)
    }

    @Test("One more statement is too much, and so is what was never measured; half more bytes are not")
    func bounds() {
        let measured = [
            "statements of courier-eta": 1, "WAL bytes of courier-eta": 40, "messages published to COURIERS": 1,
            "bytes of COURIERS": 80,
        ]
        #expect(PathCost(of: [window([Self.update: 1])], besides: []).excesses(over: measured).isEmpty)
        let more = PathCost(of: [window([Self.update: 2, Self.commit: 1], bytes: 121)], besides: [])
        #expect(
            more.excesses(over: measured) == [
                "WAL bytes of courier-eta: 100, at most 60", "bytes of COURIERS: 121, at most 120",
                "commits of courier-eta: 1, at most 0", "statements of courier-eta: 2, at most 1",
            ])
    }

    @Test("The counts of a window are what was added since it began")
    func difference() {
        let before = window([Self.update: 4], published: 7, bytes: 700)
        let after = window([Self.update: 6, Self.commit: 1], published: 8, bytes: 790)
        #expect(after.since(before) == window([Self.update: 2, Self.commit: 1], published: 1, bytes: 90))
    }
}
