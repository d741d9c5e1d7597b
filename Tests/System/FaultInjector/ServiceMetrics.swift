import SimulationSupport

/// The samples that a service answers on `/metrics`.
struct ServiceMetrics {
    /// Gauges that are 0 once everything is worked off.
    static let backlogs = [
        "doorstep_consumers_ahead", "doorstep_cards_past_end", "doorstep_outbox_oldest_unsent_seconds",
    ]
    /// Counters that stay 0.
    static let faults = [
        "doorstep_outbox_dead_lettered_total", "doorstep_messages_dead_lettered_total",
        "doorstep_timers_dead_lettered_total", "doorstep_resync_skipped_total", "doorstep_device_faults_total",
        "doorstep_buttons_dropped_total", "doorstep_metrics_series_refused_total",
    ]

    private let samples: [(name: String, value: Double)]

    init(_ text: String) {
        samples = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            guard let value = line.split(separator: " ").last.flatMap({ Double($0) }) else { return nil }
            return (String(line.prefix { $0 != "{" && $0 != " " }), value)
        }
    }

    /// The sum of each metric over its labels, rounded up, by a name that says the service.
    func values(of names: [String], _ service: ServiceName) -> [String: Int] {
        var sums: [String: Int] = [:]
        for name in names {
            let sum = samples.filter { $0.name == name }.reduce(0) { $0 + $1.value }
            sums["\(name) of \(service.rawValue)"] = Int(sum.rounded(.up))
        }
        return sums
    }
}
