internal import DeclaredMetrics
internal import Synchronization

extension MetricsRegistry {
    /// The `Content-Type` of the format.
    package static let expositionType = "text/plain; version=0.0.4; charset=utf-8"

    /// Every metric in Prometheus' text format 0.0.4, sorted by name.
    package func exposition() -> String {
        let (families, declared, samples, refused) = state.withLock {
            ($0.families, $0.declared, $0.samples, $0.refused)
        }
        var blocks: [(name: String, text: String)] = families.map { name, family in
            (name, head(name, help: declared[name]?.help, family.kind) + text(of: family, named: name))
        }
        for sample in samples {
            guard let value = sample.read() else { continue }
            let head = head(sample.name, help: sample.help, .gauge)
            blocks.append((sample.name, head + "\(sample.name) \(number(value))\n"))
        }
        let own = Self.seriesRefused
        blocks.append((own.name, head(own.name, help: own.help, .counter) + "\(own.name) \(refused)\n"))
        return blocks.sorted { $0.name < $1.name }.map(\.text).joined()
    }

    private static let seriesRefused = DeclaredMetric(
        "doorstep_metrics_series_refused_total",
        help: "Series refused because their metric was full, or of another kind.")

    private func head(_ name: String, help: String?, _ kind: Kind) -> String {
        (help.map { "# HELP \(name) \(escapedHelp($0))\n" } ?? "") + "# TYPE \(name) \(kind.rawValue)\n"
    }

    private func text(of family: Family, named name: String) -> String {
        var text = ""
        let series = family.series.map { (labels: labelText($0.key), series: $0.value) }.sorted {
            $0.labels < $1.labels
        }
        for (labels, series) in series {
            switch series {
            case .counter(let counter): text += line(name, labels, counter.value)
            case .gauge(let gauge): text += line(name, labels, gauge.value)
            case .histogram(let histogram): text += lines(name, labels, histogram)
            }
        }
        return text
    }

    private func lines(_ name: String, _ labels: String, _ histogram: HistogramSeries) -> String {
        let observed = histogram.value
        let comma = labels.isEmpty ? "" : ","
        var text = ""
        var total = 0
        for (bound, count) in zip(histogram.bounds.map(number) + ["+Inf"], observed.counts) {
            total += count
            text += line(name + "_bucket", labels + comma + "le=\"\(bound)\"", Double(total))
        }
        return text + line(name + "_sum", labels, observed.sum) + line(name + "_count", labels, Double(total))
    }

    private func line(_ name: String, _ labels: String, _ value: Double) -> String {
        "\(name)" + (labels.isEmpty ? "" : "{\(labels)}") + " \(number(value))\n"
    }

    private func labelText(_ labels: [Label]) -> String {
        labels.map { "\($0.name)=\"\(escapedLabel($0.value))\"" }.joined(separator: ",")
    }

    /// "label_value … the backslash, double-quote, and line feed characters have to be escaped" (the format's page).
    private func escapedLabel(_ value: String) -> String {
        escapedHelp(value).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
    }

    private func escapedHelp(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    private func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value.rounded() == value && value.magnitude < 1e15 ? String(Int64(value)) : String(value)
    }
}
