import ArrivalEstimate
import DeclaredMetrics
import DomainTime
import Foundation
import Messages
import OrderDomain
import ReliableMessaging
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import CourierETA

@Suite("Observation of errors", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct EstimateErrorObservationTests {
    private final class Observer: Sendable {
        let errors = Mutex<[[EstimateError]]>([])
    }

    @Test("A ride to the door is judged once, by what was shown on the way and in domain seconds")
    func ride() async throws {
        try await Harness.run { harness in
            let observer = Observer()
            let parts = CourierETA.Parts(
                pool: harness.pool, clock: harness.wall.domain, partitions: harness.partitions, outbox: UnreadOutbox(),
                observeErrors: { errors in observer.errors.withLock { $0.append(errors) } })
            var delivery = try Delivery.sample(in: .pickedUp)
            try await parts.applyDeliveryChange(delivery.changed(at: 0))
            try delivery.change(.status(.enRoute, reason: nil), at: 10)
            try await parts.applyDeliveryChange(delivery.changed(at: 10))
            for fix in CourierETATests.ride(from: 15, until: 0.9) {
                harness.move(to: fix.time.timeIntervalSince(start))
                _ = try await parts.ingestFixes([fix], of: mira.id)
            }
            try delivery.change(.status(.atDoor, reason: nil), at: 930)
            let arrived = delivery.changed(at: 930)
            try await parts.applyDeliveryChange(arrived)
            try await parts.applyDeliveryChange(arrived)
            try delivery.change(.status(.delivered, reason: nil), at: 990)
            try await parts.applyDeliveryChange(delivery.changed(at: 990))

            let observed = observer.errors.withLock { $0 }
            try #require(observed.count == 1, "neither the redelivery nor the hand-over is an arrival")
            #expect(Set(observed[0].map(\.horizon)).isSuperset(of: [.fiveMinutes, .tenMinutes, .last]))
            #expect(observed[0].allSatisfy { $0.seconds.magnitude < 900 })

            // What a day's report is made of, with the last message of the delivery, also where the broker has lost it.
            let last = try #require(try await harness.published().estimates.last)
            let pages = try await parts.republishAll(on: harness.pool)
            let change = try #require(try await harness.published().estimates.last)
            #expect(change == last)
            #expect(
                pages.flatMap(\.objects).map { $0.revisions[Subject.ordersEstimates] } == [
                    PublishedRevision(id: delivery.id.rawValue, version: change.version, step: change.step)
                ])
            let shown = observed[0].map {
                EstimateChanged.ShownError(horizon: $0.horizon.rawValue, seconds: $0.seconds)
            }
            #expect(change.errors == shown)
            #expect(change.fault(on: Subject.estimatesChanged) == nil)
        }
    }

    @Test("An error is counted without its sign, by horizon and by whether the courier came early or late")
    func metric() {
        let metrics = MetricsRegistry()
        CourierETAMetrics.record(
            [.init(horizon: .tenMinutes, seconds: -100), .init(horizon: .tenMinutes, seconds: 700)], in: metrics)
        let text = metrics.exposition()
        let early = #"doorstep_estimate_error_seconds_bucket{arrival="early",horizon="10m",le="#
        #expect(text.contains(early + "\"60\"} 0\n") && text.contains(early + "\"120\"} 1\n"))
        #expect(text.contains(#"doorstep_estimate_error_seconds_sum{arrival="late",horizon="10m"} 700"#))
    }
}
