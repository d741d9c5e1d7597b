import LiveActivity
import ServiceRuntime
import Testing

@testable import ActivityDispatch

@Suite("Counters of refused payloads")
struct RefusedPayloadCountersTests {
    @Test("Every series is exported with 0 from the start, and a refused payload counts in its own")
    func fromZero() {
        let metrics = MetricsRegistry()
        let counters = RefusedPayloadCounters(in: metrics)
        func values() -> [Substring] {
            metrics.exposition().split(separator: "\n").filter { $0.hasPrefix("doorstep_payloads_refused_total{") }
                .map { $0.suffix(2) }
        }
        let count = Device.Transport.allCases.count * Push.Event.allCases.count * PayloadFault.allCases.count
        #expect(values() == Array(repeating: " 0", count: count))
        counters.count(.tooLarge, of: .update, over: .apns)
        #expect(values().sorted() == Array(repeating: " 0", count: count - 1) + [" 1"])
    }
}
