import Foundation
import LiveActivity
import OrderDomain
import Testing

@testable import ActivityDispatch

@Suite("A customer's summary")
struct SummaryTests {
    func shown(_ count: Int, startAt: Int = 0, version: Int = 1) -> [ShownActivity] {
        (0..<count).compactMap { number in
            guard case .show(let shown) = ActivityStep.shows(version, activity: "a\(number)", startAt: startAt)
            else { return nil }
            return shown
        }
    }

    @Test("It starts at three live deliveries, goes on at two, and ends below")
    func thresholds() {
        var summary = Summary(customer: CustomerID(rawValue: "mira")!)
        let atTwo = summary.update(from: shown(2), now: noon)
        #expect(!atTwo && summary.activity == nil)
        let atThree = summary.update(from: shown(3), now: noon)
        #expect(atThree && summary.activity?.isEnded == false)
        #expect(summary.activity?.isSummary == true)
        _ = summary.update(from: shown(2), now: noon)
        #expect(summary.activity?.isEnded == false)
        let below = summary.update(from: shown(1), now: noon)
        #expect(below && summary.activity?.isEnded == true)
        let again = summary.update(from: shown(1), now: noon)
        #expect(!again)
    }

    @Test("A summary that looks the same is not written again")
    func noChange() {
        var summary = Summary(customer: CustomerID(rawValue: "mira")!)
        _ = summary.update(from: shown(3), now: noon)
        let same = summary.update(from: shown(3, version: 2), now: noon)
        #expect(!same)
        let fourth = summary.update(from: shown(4), now: noon)
        #expect(fourth && summary.activity?.wanted.content.revision.version == 2)
    }

    @Test("The next one is another episode")
    func episodes() {
        var summary = Summary(customer: CustomerID(rawValue: "mira")!)
        _ = summary.update(from: shown(3), now: noon)
        let first = summary.activity?.id
        _ = summary.update(from: shown(0), now: noon)
        _ = summary.update(from: shown(3), now: noon)
        #expect(summary.episode == 2 && summary.activity?.id != first)
    }

    @Test("Deliveries that have not started do not count yet")
    func later() {
        var summary = Summary(customer: CustomerID(rawValue: "mira")!)
        let startAt = Int(noon.timeIntervalSince1970) + 60
        let early = summary.update(from: shown(3, startAt: startAt), now: noon)
        #expect(!early)
        #expect(Summary.nextStart(shown(3, startAt: startAt), now: noon) == noon + 60)
        let inTime = summary.update(from: shown(3, startAt: startAt), now: noon + 60)
        #expect(inTime)
    }
}
