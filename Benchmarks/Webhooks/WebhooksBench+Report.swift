extension WebhooksBench {
    /// - Parameter sent: by the behaviour of the last endpoint, first while it answers.
    func report(
        _ machine: Machine, deliveries: Int, _ received: ReportsReceived, _ sent: [EventsSent], _ drained: QueueDrained
    ) -> Report {
        var report = Report(
            of: machine,
            [
                "deliveries": deliveries, "endpoints": Self.endpoints, "eventsPerSecond": rate, "taken": received,
                "sent": sent, "drained": drained,
            ])
        add(received, deliveries: deliveries, to: &report)
        add(sent, to: &report)
        report.add(
            "\(drained.queued) events wait for \(Self.endpoints) endpoints",
            [
                Figure("resident memory of partners before", drained.before, "MiB"),
                Figure("with the queue, endpoints disabled", drained.waiting, "MiB"),
                Figure("endpoints enabled", drained.enabled, "MiB"),
                Figure("while the queue drains, highest", drained.highestDraining, "MiB"),
                Figure("at the end", drained.afterDraining, "MiB"),
                Figure("events/s in \(drained.seconds.text) s", drained.drainedPerSecond),
            ])
        report.add(processes: [
            "CPU ms a report": received.cpuMillisecondsPerReport,
            "an event sent": sent.first?.cpuMillisecondsPerEvent ?? [:],
        ])
        return report
    }

    private func add(_ received: ReportsReceived, deliveries: Int, to report: inout Report) {
        let (empty, latency) = (received.emptyLatency, received.latency)
        report.add(
            [
                "\(deliveries) deliveries, \(received.connections) connections", "a second", "of empty requests",
                "p50 ms", "p99 ms", "Aim",
            ],
            [
                [
                    "empty request, before and after",
                    received.emptyRequestsPerSecond.map(\.text).joined(separator: ", "), "", empty.p50Milliseconds,
                    empty.p99Milliseconds, "",
                ],
                [
                    "report taken", received.reportsPerSecond, received.ratio, latency.p50Milliseconds,
                    latency.p99Milliseconds, "≥ 0.3 of empty requests",
                ],
            ])
        report.add("\(received.applied) of \(received.answered) reports were kept as those of a delivery.")
    }

    private func add(_ sent: [EventsSent], to report: inout Report) {
        report.add(
            [
                "The last of \(Self.endpoints) endpoints", "events/s to all that answer",
                "to the other \(Self.endpoints - 1)", "of those while all answer", "p50 ms at \(rate.text) events/s",
                "p99 ms",
            ],
            sent.map { one in
                [
                    one.last.behaviour, one.perSecond, one.perSecondToOthers,
                    one.perSecondToOthers / sent[0].perSecondToOthers, one.p50Milliseconds, one.p99Milliseconds,
                ]
            })
    }
}
