import DeliverySamples
import Foundation
import OrderDomain
import Testing
import TimePresentation

@testable import DeliveryDiagnosis

@Suite("Windows that cannot be kept")
struct PromiseDoubtTests {
    private static let now = SampleDeliveries.at(30)

    private func doubt(endingAt minutes: Double, earliest: Double? = nil) throws -> String? {
        let promise = try #require(
            Promise(start: SampleDeliveries.at(minutes - 20), end: SampleDeliveries.at(minutes)))
        let estimate = earliest.map {
            Estimate(
                arrivesAt: SampleDeliveries.at($0 + 5), earliest: SampleDeliveries.at($0),
                latest: SampleDeliveries.at($0 + 9), madeAt: Self.now)
        }
        return PromiseDoubt(promise, estimate: estimate, now: Self.now)?
            .text(StoreTimes(timeZone: .gmt, now: Self.now))
    }

    @Test("A window passes with its end, with or without an estimate")
    func passed() throws {
        for earliest in [nil, 10, 90] as [Double?] {
            #expect(try doubt(endingAt: 30, earliest: earliest) == "this window has passed")
        }
        #expect(try doubt(endingAt: 31) == nil)
    }

    @Test("A window that ends before the earliest arrival is too early; one that ends with it may be kept")
    func tooEarly() throws {
        #expect(
            try doubt(endingAt: 60, earliest: 61)
                == "this window ends before the earliest expected arrival, 18:01")
        #expect(try doubt(endingAt: 60, earliest: 60) == nil)
    }
}
