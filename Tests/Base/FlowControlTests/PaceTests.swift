import FlowControl
import Testing

@Suite("Pace")
struct PaceTests {
    /// 100 a second, 200 at once.
    private func pace(callersMax: Int = 10) -> Pace {
        Pace(perSecond: 100, burst: 200, waitMax: .seconds(5), callersMax: callersMax)
    }

    @Test("A caller sends its burst at once, and then waits as long as what it sent takes at its rate")
    func burst() {
        var pace = pace()
        #expect(pace.admit(150, of: "greedy", at: .zero) == .after(.zero))
        #expect(pace.admit(150, of: "greedy", at: .zero) == .after(.zero))
        #expect(pace.admit(100, of: "greedy", at: .zero) == .after(.seconds(1)))
        #expect(pace.admit(100, of: "greedy", at: .zero) == .after(.seconds(2)))
        #expect(pace.admit(100, of: "greedy", at: .seconds(1)) == .after(.seconds(2)))
        #expect(pace.admit(100, of: "greedy", at: .seconds(60)) == .after(.zero))
    }

    @Test("Another caller does not wait")
    func others() {
        var pace = pace()
        #expect(pace.admit(600, of: "greedy", at: .zero) == .after(.zero))
        #expect(pace.admit(1, of: "greedy", at: .zero) == .after(.seconds(4)))
        #expect(pace.admit(200, of: "other", at: .zero) == .after(.zero))
    }

    @Test("What would wait too long is refused, is told how long to stay away, and delays nothing that follows")
    func refusal() {
        var pace = pace()
        #expect(pace.admit(1_000, of: "greedy", at: .zero) == .after(.zero))
        for _ in 1...3 { #expect(pace.admit(100, of: "greedy", at: .zero) == .refused(retryAfter: .seconds(3))) }
        #expect(pace.admit(100, of: "greedy", at: .seconds(3)) == .after(.seconds(5)))
    }

    @Test("So many callers are remembered however many come, those with something outstanding before the others")
    func memory() {
        var pace = pace(callersMax: 10)
        #expect(pace.admit(10_000, of: "greedy", at: .zero) == .after(.zero))
        for index in 0..<90 {
            #expect(pace.admit(1, of: "caller \(index)", at: .seconds(index)) == .after(.zero))
            #expect(pace.callers <= 10)
        }
        #expect(pace.admit(1, of: "greedy", at: .seconds(90)) == .refused(retryAfter: .seconds(3)))
    }
}
