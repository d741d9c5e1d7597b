import FlowControl
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import ProcessSettings
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing
import Tracing

@testable import ServiceRuntime

@Suite("Spans on their way to a collector", .timeLimit(.minutes(10)))
struct SpanExporterTests {
    /// - Parameters:
    ///   - requestTimeout: so long that a busy machine does not end it.
    ///   - flushTimeout: so long too, where there is a collector.
    private static func export(
        to endpoint: String, sampleShare: Double = 1, queueSpansMax: Int = 4_096, headers: [OTLPSettings.Header] = [],
        requestTimeout: Duration = .seconds(300), flushTimeout: Duration = .seconds(300),
        interval: Duration = SpanExporter.Configuration().interval,
        metrics: MetricsRegistry = MetricsRegistry()
    ) -> TraceExport {
        var settings = OTLPSettings(url: endpoint + "/v1/traces")
        settings.sampleShare = sampleShare
        settings.queueSpansMax = queueSpansMax
        settings.headers = headers
        var configuration = SpanExporter.Configuration()
        configuration.requestTimeout = requestTimeout
        configuration.flushTimeout = flushTimeout
        configuration.interval = interval
        configuration.retry = BackOff(first: .milliseconds(1), longest: .milliseconds(1))
        return TraceExport(
            settings, resource: traceResource(service: "orders", instance: UUID(), environment: .test),
            metrics: metrics, logger: LogRecorder().logger(), configuration: configuration)
    }

    /// Runs the exporter while the body makes spans, and shuts it down as a process does.
    ///
    /// The tracer is the process's, as it is in a service: what the exporter itself does must make no spans.
    private static func running(
        _ export: TraceExport, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withTracer(export.tracer) {
            let group = ServiceGroup(services: [export.exporter], logger: LogRecorder().logger())
            async let run: Void = group.run()
            try await body()
            await group.triggerGracefulShutdown()
            try await run
        }
    }

    @Test("What a process did before it stopped is at the collector when it has stopped")
    func shutdown() async throws {
        let collector = FakeCollector()
        let metrics = MetricsRegistry()
        try await collector.run { endpoint in
            let export = Self.export(
                to: endpoint, headers: [.init(name: "authorization", value: "Bearer x")], metrics: metrics)
            try await Self.running(export) {
                // More than one request's, so that one is on its way when the process stops.
                for number in 0..<1_000 {
                    export.tracer.withSpan("work \(number)", context: .topLevel, ofKind: .consumer) { span in
                        span.attributes["number"] = number
                    }
                }
            }
        }
        #expect(collector.spans.count == 1_000, "and none of the exporter's own requests")
        #expect(Set(collector.spans.map(\.name)).count == 1_000)
        let span = try #require(collector.spans.first { $0.name == "work 7" })
        #expect(span.kind == 5 && span.attributes == ["number": "7"] && span.parentSpanID == nil)
        #expect(span.resource["service.name"] == "orders" && span.resource["service.instance.id"]?.count == 36)
        #expect(span.endedAt >= span.startedAt)
        let request = try #require(collector.requests.first)
        #expect(request.headers[.contentType] == "application/x-protobuf")
        #expect(request.headers[.authorization] == "Bearer x")
        #expect(collector.requests.allSatisfy { $0.spans.count <= TraceExport.batchMax })
        #expect(metrics.exposition().contains("doorstep_spans_exported_total 1000\n"))
    }

    @Test("A collector that is away for a while gets everything once, and one that refuses is not asked again")
    func outage() async throws {
        let metrics = MetricsRegistry()
        let collector = FakeCollector { $0 < 3 ? .serviceUnavailable : $0 == 3 ? .badRequest : .ok }
        try await collector.run { endpoint in
            let export = Self.export(to: endpoint, interval: .seconds(3_600), metrics: metrics)
            try await Self.running(export) {
                for _ in 0..<(2 * TraceExport.batchMax) { export.tracer.startSpan("work", context: .topLevel).end() }
                while collector.requests.count < 5 { await Task.yield() }
            }
        }
        #expect(collector.spans.count == TraceExport.batchMax)
        let text = metrics.exposition()
        #expect(text.contains("doorstep_spans_dropped_total{reason=\"refused\"} 512\n"))
        #expect(text.contains("doorstep_spans_exported_total 512\n"))
    }

    @Test("Spans are sent again where the body of the collector's answer never comes")
    func endlessAnswer() async throws {
        let metrics = MetricsRegistry()
        let collector = FakeCollector(endless: 0)
        try await collector.run { endpoint in
            let export = Self.export(to: endpoint, requestTimeout: .seconds(1), metrics: metrics)
            try await Self.running(export) {
                export.tracer.startSpan("work", context: .topLevel).end()
                try await eventually("a later request is answered") {
                    metrics.exposition().contains("doorstep_spans_exported_total 1\n")
                }
            }
        }
        #expect(collector.requests.count > 1)
    }

    @Test("Without a collector to take them, spans above the bound are dropped and counted, and nobody waits")
    func bound() async throws {
        let metrics = MetricsRegistry()
        let export = Self.export(
            to: "http://127.0.0.1:1", queueSpansMax: 100, flushTimeout: .milliseconds(1), metrics: metrics)
        for _ in 0..<1_000 { export.tracer.startSpan("work", context: .topLevel).end() }
        #expect(metrics.exposition().contains("doorstep_spans_dropped_total{reason=\"queue_full\"} 900\n"))
        try await Self.running(export) {}
        #expect(metrics.exposition().contains("doorstep_spans_dropped_total{reason=\"shutdown\"} 100\n"))
    }

    @Test("A trace that begins here is recorded by its share, and another's as it decided")
    func sampling() throws {
        let none = Self.export(to: "http://127.0.0.1:1", sampleShare: 0)
        let root = none.tracer.startSpan("root", context: .topLevel)
        #expect(!root.isRecording && root.context.trace?.traceparent.hasSuffix("-00") == true)
        let child = none.tracer.startSpan("child", context: root.context)
        #expect(!child.isRecording)
        let recorded = try context(of: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        #expect(none.tracer.startSpan("child", context: recorded).isRecording)
        let all = Self.export(to: "http://127.0.0.1:1")
        #expect(all.tracer.startSpan("root", context: .topLevel).isRecording)
        let unrecorded = try context(of: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")
        #expect(!all.tracer.startSpan("child", context: unrecorded).isRecording)
    }

    @Test("A quarter of the traces is a quarter of their ids, decided the same by every process")
    func share() {
        let sampler = TraceSampler(share: 0.25)
        let ids = (0..<64).map { "4bf92f3577b34da6a3" + String(UInt64($0) << 50 | 1 << 56, radix: 16).suffix(14) }
        #expect(ids.count { sampler.isSampled($0) } == 16)
        #expect(ids.allSatisfy { TraceSampler(share: 1).isSampled($0) && !TraceSampler(share: 0).isSampled($0) })
        #expect(ids.allSatisfy { !sampler.isSampled($0) || TraceSampler(share: 0.5).isSampled($0) })
    }

    @Test("A request is a server span below its caller's, named after its route, without what is secret in its path")
    func requests() async throws {
        let collector = FakeCollector()
        try await collector.run { endpoint in
            let export = Self.export(to: endpoint)
            let service = makeService(tokens: try await TestTokens(), tracer: export.tracer) { router in
                router.get("l/{link}") { _, _ in "shown" }
            }
            try await Self.running(export) {
                try await service.application.test(.router) { client in
                    let name = try #require(HTTPField.Name("traceparent"))
                    let caller = [name: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"] as HTTPFields
                    for path in ["/l/very-secret", "/nowhere/very-secret", "/metrics", "/health/live"] {
                        _ = try await client.execute(uri: path, method: .get, headers: caller)
                    }
                }
            }
        }
        let spans = collector.spans
        #expect(Set(spans.map(\.name)) == ["GET /l/{link}", "GET unmatched"])
        for span in spans {
            #expect(span.kind == 2 && span.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
            #expect(span.parentSpanID == "00f067aa0ba902b7")
            #expect(!span.attributes.values.contains { $0.contains("secret") }, "\(span.attributes)")
        }
        #expect(Set(spans.map { $0.attributes["http.response.status_code"] }) == ["200", "404"])
    }

    @Test("A request that fails here is an error, and one that its caller got wrong is none")
    func failures() async throws {
        struct Fault: Error {}
        let collector = FakeCollector()
        try await collector.run { endpoint in
            let export = Self.export(to: endpoint)
            let tokens = try await TestTokens()
            let service = makeService(tokens: tokens, tracer: export.tracer) { router in
                router.get("fault") { _, _ -> String in throw Fault() }
            }
            try await Self.running(export) {
                let headers = HTTPFields.bearer(try await tokens.token(.operator))
                try await service.application.test(.router) { client in
                    for path in ["/fault", "/missing"] {
                        _ = try await client.execute(uri: path, method: .get, headers: headers)
                    }
                }
            }
        }
        let codes = Dictionary(uniqueKeysWithValues: collector.spans.map { ($0.name, $0.statusCode) })
        #expect(codes == ["GET /fault": 2, "GET unmatched": 0])
    }
}
