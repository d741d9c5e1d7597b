import FlowControl
import Testing

@Suite("Repeated log lines")
struct LogThrottleTests {
    @Test("A repeated warning is logged first, then once per interval, and again after a reset")
    func logThrottle() {
        let start = ContinuousClock.now
        var warnings = LogThrottle(every: .seconds(30))
        let logged = [0, 1, 29, 30, 31, 61].map { warnings.isDue(at: start + .seconds($0)) }
        #expect(logged == [true, false, false, true, false, true])
        let wasThrottling = warnings.reset()
        #expect(wasThrottling)
        let isLoggedAgain = warnings.isDue(at: start + .seconds(62))
        #expect(isLoggedAgain)
    }
}
