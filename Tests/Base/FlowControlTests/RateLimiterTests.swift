import FlowControl
import Testing

@Suite("Rate limiter: what waits")
struct WaitingRateTests {
    private let waitMax = Duration.seconds(5)

    /// 100 a second, 200 at once.
    private func pace(callersMax: Int = 10) -> RateLimiter {
        RateLimiter(perSecond: 100, burst: 200, callersMax: callersMax)
    }

    @Test("A caller sends its burst at once, and then waits as long as what it sent takes at its rate")
    func burst() {
        var pace = pace()
        #expect(pace.admit(150, of: "greedy", at: .zero, waitMax: waitMax) == .after(.zero))
        #expect(pace.admit(150, of: "greedy", at: .zero, waitMax: waitMax) == .after(.zero))
        #expect(pace.admit(100, of: "greedy", at: .zero, waitMax: waitMax) == .after(.seconds(1)))
        #expect(pace.admit(100, of: "greedy", at: .zero, waitMax: waitMax) == .after(.seconds(2)))
        #expect(pace.admit(100, of: "greedy", at: .seconds(1), waitMax: waitMax) == .after(.seconds(2)))
        #expect(pace.admit(100, of: "greedy", at: .seconds(60), waitMax: waitMax) == .after(.zero))
    }

    @Test("Another caller does not wait")
    func others() {
        var pace = pace()
        #expect(pace.admit(600, of: "greedy", at: .zero, waitMax: waitMax) == .after(.zero))
        #expect(pace.admit(1, of: "greedy", at: .zero, waitMax: waitMax) == .after(.seconds(4)))
        #expect(pace.admit(200, of: "other", at: .zero, waitMax: waitMax) == .after(.zero))
    }

    @Test("What would wait too long is refused, is told how long to stay away, and delays nothing that follows")
    func refusal() {
        var pace = pace()
        #expect(pace.admit(1_000, of: "greedy", at: .zero, waitMax: waitMax) == .after(.zero))
        for _ in 1...3 {
            #expect(pace.admit(100, of: "greedy", at: .zero, waitMax: waitMax) == .refused(retryAfter: .seconds(3)))
        }
        #expect(pace.admit(100, of: "greedy", at: .seconds(3), waitMax: waitMax) == .after(.seconds(5)))
    }

    @Test("So many callers are remembered however many come, those with something outstanding before the others")
    func memory() {
        var pace = pace(callersMax: 10)
        #expect(pace.admit(10_000, of: "greedy", at: .zero, waitMax: waitMax) == .after(.zero))
        for index in 0..<90 {
            #expect(pace.admit(1, of: "caller \(index)", at: .seconds(index), waitMax: waitMax) == .after(.zero))
            #expect(pace.callers <= 10)
        }
        #expect(pace.admit(1, of: "greedy", at: .seconds(90), waitMax: waitMax) == .refused(retryAfter: .seconds(3)))
    }
}

@Suite("Rate limiter: what fits")
struct SpendingRateTests {
    @Test("A caller has a burst, then its rate, and saves up no more than the burst")
    func bucket() {
        var limiter = RateLimiter(perSecond: 2, burst: 3, callersMax: 10)
        for _ in 1...3 { #expect(limiter.spend(of: "a", at: .zero) == nil) }
        #expect(limiter.spend(of: "a", at: .zero) == .milliseconds(500))
        #expect(limiter.spend(of: "a", at: .milliseconds(500)) == nil)
        #expect(limiter.spend(of: "a", at: .milliseconds(500)) != nil)
        for _ in 1...3 { #expect(limiter.spend(of: "a", at: .seconds(100)) == nil) }
        #expect(limiter.spend(of: "a", at: .seconds(100)) != nil)
        #expect(limiter.spend(5, of: "b", at: .seconds(100)) == nil, "more than the burst fits when all of it is left")
        #expect(limiter.spend(of: "b", at: .seconds(100)) == .milliseconds(500))
    }

    @Test("The table never outgrows its bound, and forgets first those it changes nothing for")
    func bounded() {
        var limiter = RateLimiter(perSecond: 1, burst: 2, callersMax: 3)
        _ = limiter.spend(of: "old", at: .zero)
        _ = limiter.spend(of: "busy", at: .seconds(100))
        _ = limiter.spend(of: "busy", at: .seconds(100))
        _ = limiter.spend(of: "new", at: .seconds(100))
        _ = limiter.spend(of: "newer", at: .seconds(100))
        #expect(limiter.callers == 3)
        #expect(limiter.spend(of: "busy", at: .seconds(100)) != nil)
        for caller in 1...100 { _ = limiter.spend(of: "flood \(caller)", at: .seconds(100)) }
        #expect(limiter.callers == 3)
    }
}
