package import CoreMetrics

/// A metric's name and what it means, declared once where it is counted.
///
/// Every metric of ours is made from a declaration, so that each has the prefix and a help text.
package struct DeclaredMetric: Hashable, Sendable {
    /// As Prometheus shows it: the prefix `doorstep_`, base units, `_total` for counters only.
    ///
    /// - Source: https://prometheus.io/docs/practices/naming/
    package let name: String
    /// One sentence; names labels that explain themselves badly.
    package let help: String

    package init(_ name: String, help: String) {
        precondition(name.hasPrefix("doorstep_"), "Metrics of ours begin with doorstep_")
        self.name = name
        self.help = help
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

    /// A histogram of seconds.
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

/// A backend that shows help texts.
package protocol DescribingMetricsFactory: MetricsFactory {
    /// Takes the help text of a metric that is about to be made; called for every series.
    func describe(_ metric: DeclaredMetric)
}
