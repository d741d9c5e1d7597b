import DeclaredMetrics
import Foundation
import Metrics
import Testing

@testable import ServiceRuntime

@Suite("Metrics")
struct MetricsTests {
    @Test("Counters, gauges and histograms are written in the text format 0.0.4, sorted")
    func exposition() {
        let registry = MetricsRegistry()
        Counter(label: "orders_placed_total", dimensions: [("store", "a\"b\\c\nd"), ("kind", "x")], factory: registry)
            .increment(by: 2)
        Counter(label: "orders_placed_total", dimensions: [("kind", "x"), ("store", "a\"b\\c\nd")], factory: registry)
            .increment()
        Gauge(label: "cards.live", dimensions: [], factory: registry).record(1.5)
        let bytes = DeclaredMetric("doorstep_push_bytes", help: "Bytes.", bounds: [512, 4096]).histogram(in: registry)
        for value in [100, 512, 513, 9_999] { bytes.record(value) }
        registry.sample("uptime_seconds", help: "Seconds\nrunning.") { 7 }
        registry.sample("absent", help: "Not readable here.") { nil }
        #expect(
            registry.exposition() == """
                # TYPE cards_live gauge
                cards_live 1.5
                # HELP doorstep_metrics_series_refused_total Series refused because their metric was full, or of another kind.
                # TYPE doorstep_metrics_series_refused_total counter
                doorstep_metrics_series_refused_total 0
                # HELP doorstep_push_bytes Bytes.
                # TYPE doorstep_push_bytes histogram
                doorstep_push_bytes_bucket{le="512"} 2
                doorstep_push_bytes_bucket{le="4096"} 3
                doorstep_push_bytes_bucket{le="+Inf"} 4
                doorstep_push_bytes_sum 11124
                doorstep_push_bytes_count 4
                # TYPE orders_placed_total counter
                orders_placed_total{kind="x",store="a\\"b\\\\c\\nd"} 3
                # HELP uptime_seconds Seconds\\nrunning.
                # TYPE uptime_seconds gauge
                uptime_seconds 7

                """)
    }

    @Test("A declared metric shows its help text, once for all its series")
    func help() {
        let registry = MetricsRegistry()
        let pushes = DeclaredMetric("doorstep_pushes_total", help: "Pushes by\nresult.")
        for result in ["taken", "refused"] { pushes.counter([("result", result)], in: registry).increment() }
        DeclaredMetric("doorstep_push_duration_seconds", help: "Time of a push.").timer(in: registry).recordSeconds(1)
        let text = registry.exposition()
        #expect(
            text.contains(
                """
                # HELP doorstep_pushes_total Pushes by\\nresult.
                # TYPE doorstep_pushes_total counter
                doorstep_pushes_total{result="refused"} 1
                doorstep_pushes_total{result="taken"} 1

                """))
        #expect(text.contains("# HELP doorstep_push_duration_seconds Time of a push.\n"))
    }

    @Test("A timer is a histogram of seconds")
    func timer() {
        let registry = MetricsRegistry()
        Metrics.Timer(label: "push_seconds", dimensions: [("to", "apns")], factory: registry).recordMilliseconds(30)
        let text = registry.exposition()
        #expect(text.contains(#"push_seconds_bucket{to="apns",le="0.025"} 0"#))
        #expect(text.contains(#"push_seconds_bucket{to="apns",le="0.05"} 1"#))
        #expect(text.contains(#"push_seconds_sum{to="apns"} 0.03"#))
    }

    @Test("One label value too many is counted together with the others, and the refusal is counted")
    func bounded() {
        let registry = MetricsRegistry(seriesMax: 2)
        for id in 1...5 {
            Counter(label: "seen_total", dimensions: [("id", String(id))], factory: registry).increment()
        }
        let text = registry.exposition()
        #expect(text.contains(#"seen_total{id="1"} 1"#) && text.contains(#"seen_total{id="2"} 1"#))
        #expect(text.contains(#"seen_total{id="other"} 3"#))
        #expect(!text.contains(#"id="3""#))
        #expect(text.contains("doorstep_metrics_series_refused_total 3"))
    }

    @Test("A name that is taken by another kind does not mix with it")
    func kinds() {
        let registry = MetricsRegistry()
        Counter(label: "same", dimensions: [], factory: registry).increment()
        Gauge(label: "same", dimensions: [], factory: registry).record(99)
        #expect(registry.exposition().contains("# TYPE same counter\nsame 1\n"))
    }

    @Test("A counter never falls")
    func monotonic() {
        let registry = MetricsRegistry()
        let counter = FloatingPointCounter(label: "sum_total", dimensions: [], factory: registry)
        for amount in [1, -5, Double.nan, .infinity] { counter.increment(by: amount) }
        #expect(registry.exposition().contains("sum_total 1\n"))
    }

    @Test("A destroyed gauge is gone")
    func destroyed() {
        let registry = MetricsRegistry()
        let gauge = Gauge(label: "gone", dimensions: [], factory: registry)
        gauge.record(1)
        gauge.destroy()
        #expect(!registry.exposition().contains("gone 1"))
    }

    @Test("A process reports its memory, descriptors and uptime")
    func process() {
        let registry = MetricsRegistry()
        registry.addProcessMetrics(startedAt: wallNow, wall: { wallNow.addingTimeInterval(90) })
        let text = registry.exposition()
        for name in ["process_resident_memory_bytes ", "process_open_fds ", "process_uptime_seconds 90"] {
            #expect(text.contains("\n" + name))
        }
    }
}
