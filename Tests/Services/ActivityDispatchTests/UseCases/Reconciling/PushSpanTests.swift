import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import Synchronization
import TestSupport
import Testing
import Tracing

@testable import ActivityDispatch
@testable import ServiceRuntime

@Suite("Spans of pushes", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PushSpanTests {
    private static let handled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private static let later = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private func reconciled(_ service: DispatchUnderTest) async throws -> [SpanRecord] {
        let queue = SpanQueue(spansMax: 64, batchMax: 64, metrics: MetricsRegistry())
        let tracer = SpanTracer(.init(sampler: TraceSampler(share: 1), queue: queue))
        try await withTracer(tracer) { try await service.reconcile() }
        return queue.takeBatch()
    }

    private func intent(_ version: Int, of delivery: DeliveryID) -> Intent {
        let id = DispatchUnderTest.activity(delivery)
        return Intent(
            activity: id, customer: DispatchUnderTest.mira, delivery: delivery, writer: .orders,
            step: .shows(version, activity: id.rawValue, phase: version > 1 ? .packed : .picking))
    }

    @Test("A push is below the span that handled the intent which it shows, through the database")
    func pushes() async throws {
        try await DispatchUnderTest.run { service in
            let delivery = DeliveryID(UUID())
            try await service.register()
            try await service.applyIntent([(intent: intent(1, of: delivery), traceparent: Self.handled)])
            let start = try #require(try await reconciled(service).first)
            #expect(start.name == "push start" && start.kind == .producer)
            #expect(start.trace.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
            #expect(start.parentSpanID == "00f067aa0ba902b7")
            #expect(start.startedAt <= start.endedAt)

            service.clock.advance(by: 60)
            try await service.applyIntent([(intent: intent(2, of: delivery), traceparent: Self.later)])
            let update = try #require(try await reconciled(service).first)
            #expect(update.name == "push update" && update.parentSpanID == "b7ad6b7169203331")
        }
    }

    @Test("A push that shows what came without a trace has no span")
    func untraced() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            try await service.show(1, of: DeliveryID(UUID()))
            #expect(try await reconciled(service).isEmpty)
        }
    }

    @Test("The batcher keeps each intent's own trace, though one transaction applies several")
    func batcher() async throws {
        let seen = Mutex<[String?]>([])
        let batcher = IntentBatcher { batch in seen.withLock { $0 += batch.map(\.traceparent) } }
        let tracer = SpanTracer()
        let span = tracer.startSpan("process", context: .topLevel)
        try await ServiceContext.withValue(span.context) { try await batcher(intent(1, of: DeliveryID(UUID()))) }
        try await batcher(intent(1, of: DeliveryID(UUID())))
        #expect(seen.withLock { $0 } == [span.context.trace?.traceparent, nil])
    }
}
