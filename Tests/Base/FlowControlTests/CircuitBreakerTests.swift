import FlowControl
import Testing

@Suite("Circuit breaker")
struct CircuitBreakerTests {
    private let begin = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { begin.advanced(by: .seconds(seconds)) }

    private let closed = CircuitBreaker<ContinuousClock.Instant>(
        failuresMax: 5, pauses: BackOff(first: .seconds(10), longest: .seconds(300)))

    /// One that has just opened, at second 0.
    private func opened() -> CircuitBreaker<ContinuousClock.Instant> {
        var breaker = closed
        for _ in 0..<5 { _ = breaker.recordFailure(at: begin) }
        return breaker
    }

    @Test("It opens at the fifth failure in a row, and says so once")
    func opens() {
        var breaker = closed
        var changes: [Bool] = []
        for _ in 0..<7 { changes.append(breaker.recordFailure(at: begin)) }
        #expect(changes == [false, false, false, false, true, false, false])
        #expect(!breaker.admits(at: at(9)) && breaker.admits(at: at(10)))
    }

    @Test("An answer between failures begins the count anew")
    func answerBetween() {
        var breaker = closed
        for _ in 0..<4 { _ = breaker.recordFailure(at: begin) }
        let closes = breaker.recordSuccess()
        let opens = (0..<4).map { _ in breaker.recordFailure(at: begin) }
        #expect(!closes && !opens.contains(true) && breaker.admits(at: begin))
    }

    @Test("After its pause one question goes through, and no second one beside it")
    func halfOpen() {
        var breaker = opened()
        let asked = [9, 10, 10, 19].map { breaker.admit(at: at($0)) }
        #expect(asked == [false, true, false, false])
        let closes = breaker.recordSuccess()
        #expect(closes && breaker.state == .closed(failures: 0) && breaker.admits(at: at(11)))
    }

    @Test("Each question that fails doubles the pause, up to five minutes")
    func doubling() {
        var breaker = opened()
        var (now, pauses) = (0, [Int]())
        for _ in 0..<7 {
            let since = now
            while !breaker.admits(at: at(now)) { now += 1 }
            pauses.append(now - since)
            let (asks, opens) = (breaker.admit(at: at(now)), breaker.recordFailure(at: at(now)))
            #expect(asks && !opens)
        }
        #expect(pauses == [10, 20, 40, 80, 160, 300, 300])
    }

    @Test("A question whose outcome nobody notes does not close it for ever")
    func lostQuestion() {
        var breaker = opened()
        let asked = [10, 19, 20].map { breaker.admit(at: at($0)) }
        #expect(asked == [true, false, true])
    }

    @Test("An answer to a question from before it opened is no proof")
    func lateAnswer() {
        var breaker = opened()
        let closes = breaker.recordSuccess()
        #expect(!closes && !breaker.admits(at: at(1)))
    }
}
