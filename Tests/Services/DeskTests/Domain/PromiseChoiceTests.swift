import DeliverySamples
import Foundation
import OrderDomain
import Testing

@testable import Desk

@Suite("A new window by one press")
struct PromiseChoiceTests {
    private static let promise = Promise(start: SampleDeliveries.at(20), end: SampleDeliveries.at(50)).unsafelyUnwrapped

    private func estimate(_ earliest: Double, _ latest: Double, arriving: Double? = nil) -> Estimate {
        Estimate(
            arrivesAt: SampleDeliveries.at(arriving ?? latest), earliest: SampleDeliveries.at(earliest),
            latest: SampleDeliveries.at(latest), madeAt: SampleDeliveries.at(0))
    }

    @Test("The expected window has whole five minutes, holds the estimate, and is not over")
    func expected() {
        func window(_ estimate: Estimate?, now: Double) -> Promise? {
            PromiseChoice.expected.promise(inPlaceOf: Self.promise, estimate: estimate, now: SampleDeliveries.at(now))
        }
        #expect(window(nil, now: 0) == nil && window(estimate(52, 58), now: 58) == nil)
        #expect(window(estimate(52, 58, arriving: 54), now: 54) == nil, "its arrival has passed")
        #expect(
            window(estimate(52, 58), now: 51)
                == Promise(start: SampleDeliveries.at(50), end: SampleDeliveries.at(60)))
        #expect(
            window(estimate(50, 56), now: 55.5)
                == Promise(start: SampleDeliveries.at(55), end: SampleDeliveries.at(60)))
        #expect(
            window(estimate(55, 55), now: 51)
                == Promise(start: SampleDeliveries.at(55), end: SampleDeliveries.at(60)))
    }

    @Test("A later window is as long as the promised one, and not over")
    func later() {
        func window(_ minutes: Int, now: Double) -> Promise? {
            PromiseChoice.later(minutes: minutes)
                .promise(inPlaceOf: Self.promise, estimate: nil, now: SampleDeliveries.at(now))
        }
        #expect(window(30, now: 60) == Promise(start: SampleDeliveries.at(50), end: SampleDeliveries.at(80)))
        #expect(window(15, now: 65) == nil)
        for choice in PromiseChoice.all { #expect(PromiseChoice(rawValue: choice.rawValue) == choice) }
        #expect(PromiseChoice(rawValue: "17") == nil)
    }

    @Test("A window of a button replaces what was written, and is exact in every zone")
    func chosen() throws {
        let written = ["start": "2026-11-21T18:00", "end": "2026-11-21T18:30", "reason": "late", "version": "3"]
        let start = Int(Self.promise.start.timeIntervalSince1970), end = Int(Self.promise.end.timeIntervalSince1970)
        let fields = ChangeForm.choosingWindow(written.merging(["window": "\(start)-\(end)"]) { $1 })
        for zone in ["UTC", "Europe/Copenhagen"] {
            let form = try ChangeForm(.promise, fields, timeZone: try #require(TimeZone(identifier: zone)))
            #expect(form.change == .promise(Self.promise))
        }
        #expect(ChangeForm.choosingWindow(written) == written)
    }
}
