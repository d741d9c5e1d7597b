package import CoreMetrics

/// A metric's name and help text, declared once beside the code that counts it.
///
/// The project makes every metric from a declaration, so that each has the prefix and a help text.
package struct DeclaredMetric: Hashable, Sendable {
    /// The name that Prometheus shows: the prefix `doorstep_`, base units, `_total` for counters only.
    ///
    /// - Source: https://prometheus.io/docs/practices/naming/
    package let name: String
    /// One sentence for the metric's HELP line; it explains labels whose names do not.
    package let help: String
    /// Ascending upper bounds of a histogram's buckets, in its unit; nil for the backend's own, which suit durations of
    /// requests.
    package let bounds: [Double]?

    package init(_ name: String, help: String, bounds: [Double]? = nil) {
        precondition(name.hasPrefix("doorstep_"), "Metrics of ours begin with doorstep_")
        self.name = name
        self.help = help
        self.bounds = bounds
    }

    /// A number that only rises.
    package func counter(
        _ dimensions: [(String, String)] = [], in factory: any MetricsFactory = MetricsSystem.factory
    ) -> Counter {
        describe(in: factory)
        return Counter(label: name, dimensions: dimensions, factory: factory)
    }

    /// A number that is set.
    package func gauge(
        _ dimensions: [(String, String)] = [], in factory: any MetricsFactory = MetricsSystem.factory
    ) -> Gauge {
        describe(in: factory)
        return Gauge(label: name, dimensions: dimensions, factory: factory)
    }

    /// A number that rises and falls by steps.
    package func meter(
        _ dimensions: [(String, String)] = [], in factory: any MetricsFactory = MetricsSystem.factory
    ) -> Meter {
        describe(in: factory)
        return Meter(label: name, dimensions: dimensions, factory: factory)
    }

    /// A histogram of numbers in the unit that its name ends with.
    package func histogram(
        _ dimensions: [(String, String)] = [], in factory: any MetricsFactory = MetricsSystem.factory
    ) -> Recorder {
        describe(in: factory)
        return Recorder(label: name, dimensions: dimensions, aggregate: true, factory: factory)
    }

    /// A histogram of seconds of wall time.
    package func timer(
        _ dimensions: [(String, String)] = [], in factory: any MetricsFactory = MetricsSystem.factory
    ) -> CoreMetrics.Timer {
        describe(in: factory)
        return CoreMetrics.Timer(label: name, dimensions: dimensions, factory: factory)
    }

    private func describe(in factory: any MetricsFactory) {
        (factory as? any DescribingMetricsFactory)?.describe(self)
    }
}

/// A metrics backend that publishes each metric's declaration.
package protocol DescribingMetricsFactory: MetricsFactory {
    /// Receives the declaration of a metric before the metric is made; called for every series.
    func describe(_ metric: DeclaredMetric)
}
