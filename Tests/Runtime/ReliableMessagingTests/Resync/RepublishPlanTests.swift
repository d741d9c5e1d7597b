import Testing

@testable import ReliableMessaging

@Suite("Plan of a round of republishing")
struct RepublishPlanTests {
    private let plan = RepublishPlan(interval: .seconds(600), pageRowsMax: 200)

    @Test("A round is spread evenly over its interval", arguments: [0, 1, 7, 120, 1_000, 50_000])
    func evenly(_ total: Int) {
        var done = 0
        var ticks: [Int] = []
        for tick in 0..<RepublishPlan.ticks {
            let due = plan.due(elapsed: .seconds(5 * tick), done: done, lastTotal: total)
            ticks.append(due)
            done += due
        }
        #expect(done == total)
        let most = (Double(total) / Double(RepublishPlan.ticks)).rounded(.up)
        #expect(ticks.allSatisfy { Double($0) <= most })
    }

    @Test("The first round goes by pages, and so does one that has run over its time")
    func byPages() {
        #expect(plan.due(elapsed: .zero, done: 0, lastTotal: nil) == 200)
        #expect(plan.due(elapsed: .seconds(601), done: 5_000, lastTotal: 10) == 200)
    }

    @Test("After a pause it catches up")
    func catchesUp() {
        #expect(plan.due(elapsed: .seconds(300), done: 10, lastTotal: 1_200) == 600)
    }
}
