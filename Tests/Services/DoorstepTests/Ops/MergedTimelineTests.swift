import CommandLineTestSupport
import CommandOutput
import DeliveryDiagnosis
import DeliverySamples
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Doorstep

@Suite("The merged timeline of a delivery")
struct MergedTimelineTests {
    static let id = SampleDeliveries.delivery().id.rawValue

    static let timelines: [String: MergedTimeline] = {
        let orders = SampleTimeline.orders(SampleDeliveries.delivery(SampleDeliveries.toEnRoute))
        let estimate = SampleTimeline.estimate(arriving: 24)
        let activity = SampleTimeline.activity(isBehind: false)
        let reason = "a service does not answer"
        return [
            "well": .init(orders: .body(orders), estimate: .body(estimate), activities: .body([activity])),
            "late": .init(
                orders: .body(orders), estimate: .body(SampleTimeline.estimate(arriving: 61)),
                activities: .body([activity])
            ),
            "behind": .init(
                orders: .body(orders), estimate: .body(estimate),
                activities: .body([SampleTimeline.activity(isBehind: true)])),
            "orders-silent": .init(
                orders: .unavailable(reason: reason), estimate: .body(estimate), activities: .body([activity])),
            "courier-eta-silent": .init(
                orders: .body(orders), estimate: .unavailable(reason: reason), activities: .body([activity])),
            "activity-dispatch-silent": .init(
                orders: .body(orders), estimate: .body(estimate), activities: .unavailable(reason: reason)),
            "new": .init(
                orders: .body(.init(delivery: SampleDeliveries.delivery(), entries: orders.entries.dropLast(2))),
                estimate: .notFound, activities: .body([])),
        ]
    }()

    static func text(_ timeline: MergedTimeline) -> String {
        timeline.lines(id: id, now: SampleDeliveries.at(14)).joined(separator: "\n") + "\n"
    }

    @Test("Each timeline is the one that was reviewed", arguments: timelines.keys.sorted())
    func golden(name: String) throws {
        let timeline = try #require(Self.timelines[name])
        try expectGolden(Self.text(timeline), "ops/why-\(name).txt")
    }

    @Test("A service that does not answer is named once, and what the others know is all there")
    func missing() throws {
        let whole = Self.text(try #require(Self.timelines["well"]))
        let text = Self.text(try #require(Self.timelines["courier-eta-silent"]))
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("! ") }.count == 1)
        let others = whole.split(separator: "\n").filter {
            $0.contains("  orders  ") || $0.contains("activity-dispatch  ")
        }
        #expect(!others.isEmpty)
        for line in others { #expect(text.contains(line)) }
    }

    @Test("What happened is in the order of its times")
    func order() throws {
        let lines = Self.text(try #require(Self.timelines["well"])).split(separator: "\n")
        let times = lines.compactMap { $0.firstMatch(of: /^ +(\d\d:\d\d:\d\d)\s/)?.output.1 }
        #expect(times.count == 8)
        #expect(times == times.sorted())
    }

    @Test("A service that has nothing or does not answer is a result, a bad token is an error")
    func request() async throws {
        let absent: PeerAnswer<Int> = try await .request { throw CommandFailure(.notFound, "none") }
        guard case .notFound = absent else { return #expect(Bool(false), "not found is an answer") }
        let unavailable: PeerAnswer<Int> = try await .request { throw CommandFailure(.unavailable, "away") }
        guard case .unavailable(reason: "away") = unavailable else { return #expect(Bool(false), "away is no answer") }
        await #expect(throws: CommandFailure.self) {
            let _: PeerAnswer<Int> = try await .request { throw CommandFailure(.notAllowed, "expired") }
        }
    }
}
