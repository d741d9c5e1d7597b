import DeliverySamples
import Foundation
import OrderDomain
import Testing
import TimePresentation

@testable import Doorstep

@Suite("doorstep ops promise")
struct OpsPromiseTests {
    @Test("A preview names a window that has passed, and one that is over before the delivery can arrive")
    func doubts() throws {
        let times = StoreTimes(timeZone: .gmt, now: SampleDeliveries.at(30))
        func text(endingAt minutes: Double) throws -> String {
            let promise = try #require(
                Promise(start: SampleDeliveries.at(minutes - 20), end: SampleDeliveries.at(minutes)))
            let estimate = Estimate(
                arrivesAt: SampleDeliveries.at(70), earliest: SampleDeliveries.at(66),
                latest: SampleDeliveries.at(76), madeAt: SampleDeliveries.at(29))
            return OpsPromise.text(promise, estimate, times)
        }
        #expect(try text(endingAt: 25) == "promised 17:05 to 17:25 UTC (this window has passed)")
        #expect(
            try text(endingAt: 60)
                == "promised 17:40 to 18:00 UTC (this window ends before the earliest expected arrival, 18:06)")
        #expect(try text(endingAt: 75) == "promised 17:55 to 18:15 UTC")
    }
}
