package import CoreMetrics
package import DeclaredMetrics
internal import Synchronization

/// Every metric of a process, for Prometheus to scrape.
///
/// A metric has at most `seriesMax` series. Further label sets count in a series whose labels are all `other`, so that
/// a mistaken label costs detail and not memory; `doorstep_metrics_series_refused_total` counts those.
package final class MetricsRegistry: DescribingMetricsFactory {
    /// The text format's three kinds that are used here.
    enum Kind: String { case counter, gauge, histogram }

    struct Label: Hashable {
        let name: String
        let value: String
    }

    enum Series {
        case counter(CounterSeries)
        case gauge(GaugeSeries)
        case histogram(HistogramSeries)
    }

    struct Family {
        let kind: Kind
        var series: [[Label]: Series] = [:]
    }

    struct Sample: Sendable {
        let name: String
        let help: String
        let read: @Sendable () -> Double?
    }

    struct State {
        var families: [String: Family] = [:]
        var declared: [String: DeclaredMetric] = [:]
        var samples: [Sample] = []
        var refused = 0
    }

    /// Upper bounds in seconds of histograms that declare none, from a fast query to a slow push.
    package static let secondsBounds = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]

    let seriesMax: Int
    let state = Mutex(State())

    /// - Parameter seriesMax: series of one metric at most.
    package init(seriesMax: Int = 1_000) { self.seriesMax = seriesMax }

    /// A gauge that is read when it is scraped; nil leaves it out.
    package func sample(_ name: String, help: String, read: @escaping @Sendable () -> Double?) {
        let sample = Sample(name: metricName(name), help: help, read: read)
        state.withLock { $0.samples.append(sample) }
    }

    package func describe(_ metric: DeclaredMetric) {
        state.withLock { $0.declared[metric.name] = metric }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        counter(label, dimensions)
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        counter(label, dimensions)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions)
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        aggregate ? histogram(label, dimensions) : gauge(label, dimensions)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions)
    }

    // A vanished counter would mean a restart, so counters and histograms stay until the process ends.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) { forget(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }

    private func counter(_ label: String, _ dimensions: [(String, String)]) -> CounterSeries {
        let series = find(label, dimensions, .counter) { .counter(CounterSeries()) }
        return if case .counter(let counter) = series { counter } else { CounterSeries() }
    }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeSeries {
        let series = find(label, dimensions, .gauge) { .gauge(GaugeSeries()) }
        return if case .gauge(let gauge) = series { gauge } else { GaugeSeries() }
    }

    private func histogram(_ label: String, _ dimensions: [(String, String)]) -> HistogramSeries {
        let bounds = state.withLock { $0.declared[label]?.bounds } ?? Self.secondsBounds
        let series = find(label, dimensions, .histogram) { .histogram(HistogramSeries(bounds: bounds)) }
        return if case .histogram(let histogram) = series { histogram } else { HistogramSeries(bounds: bounds) }
    }

    /// The series of these labels; nil when the name belongs to another kind, whose numbers must not be mixed with it.
    private func find(
        _ name: String, _ dimensions: [(String, String)], _ kind: Kind, make: () -> Series
    ) -> Series? {
        var labels = dimensions.map { Label(name: labelName($0.0), value: $0.1) }.sorted { $0.name < $1.name }
        return state.withLock { state in
            var family = state.families[metricName(name)] ?? Family(kind: kind)
            guard family.kind == kind else {
                state.refused += 1
                return nil
            }
            if let series = family.series[labels] { return series }
            if family.series.count >= seriesMax {
                state.refused += 1
                labels = labels.map { Label(name: $0.name, value: "other") }
                if let series = family.series[labels] { return series }
            }
            let series = make()
            family.series[labels] = series
            state.families[metricName(name)] = family
            return series
        }
    }

    private func forget(_ handler: AnyObject) {
        state.withLock { state in
            for (name, family) in state.families where family.kind == .gauge {
                for (labels, series) in family.series {
                    if case .gauge(let gauge) = series, gauge === handler {
                        state.families[name]?.series[labels] = nil
                    }
                }
            }
        }
    }
}

/// A name the text format allows: letters, digits, `_` and `:`, no digit first.
private func metricName(_ label: String) -> String { allowed(label, also: ":") }

private func labelName(_ label: String) -> String { allowed(label, also: "_") }

private func allowed(_ label: String, also extra: Character) -> String {
    let name = String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == extra ? $0 : "_" })
    return name.first?.isNumber == false ? name : "_" + name
}
