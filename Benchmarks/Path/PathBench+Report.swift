extension PathBench {
    /// - Parameter steps: the one about latency, then the ramp.
    func report(
        _ placed: PlacedLoad, _ steps: [Step], _ handWritten: HandWrittenChange, _ memory: [String: ProcessUsage.Memory]
    ) -> Report {
        let sustained = steps.filter(\.outcome.isKeptUpWith)
            .max { $0.outcome.arrivalsPerSecond < $1.outcome.arrivalsPerSecond }
        let perSecond = sustained?.outcome.arrivalsPerSecond ?? 0
        let share = (perSecond / handWritten.changesPerSecond).rounded(to: 3)
        var report = Report(
            of: placed.machine,
            [
                "deliveries": placed.deliveries, "devices": placed.devices, "latency": steps[0],
                "ramp": Array(steps.dropFirst()), "sustainedChangesPerSecond": perSecond, "handWritten": handWritten,
                "shareOfHandWritten": share, "memory": memory,
            ])
        let latency = steps[0].outcome
        let arrival = latency.fromAnswerToArrival
        var figures = [
            Figure(
                "p50 from answer to arrival at \(latency.changesPerSecond.text) changes/s", arrival.p50Milliseconds,
                "ms", .atMost(12)),
            Figure("p99 of the same", arrival.p99Milliseconds, "ms", .atMost(60)),
            Figure("sustained changes/s", perSecond, "", .atLeast(1_000)),
            Figure(
                "of the hand-written transaction's \(handWritten.changesPerSecond.text)/s", share, "", .atLeast(0.35)),
        ]
        if let sustained {
            figures += [
                Figure(
                    "core-milliseconds a change at that rate", sustained.coreMillisecondsPerChange, "", .atMost(1.9)),
                Figure("commits a change at that rate", sustained.commitsPerChange, "", .atMost(0.5)),
            ]
        }
        figures += Stack.services.map { name in
            Figure(
                "resident memory of \(name), at most", memory[name]?.residentMebibytesMax ?? 0, "MiB", .atMost(100))
        }
        report.add("Figure", figures)
        add(steps, to: &report)
        report.add(
            ["clients of the hand-written transaction", "changes/s"],
            handWritten.measured.map { [$0.clients, $0.changesPerSecond] })
        report.add(
            """
            The hand-written transaction has \(handWritten.statements) statements and writes \
            \(handWritten.walBytesPerChange.text) bytes of WAL.
            \(placed.deliveries) deliveries, \(placed.devices) devices with an open stream each.
            \(placed.machine.packagesSummary)
            """)
        return report
    }

    private func add(_ steps: [Step], to report: inout Report) {
        report.add(
            [
                "changes/s", "arrived in time", "arrivals/s", "p50 ms", "p99 ms", "from due, p99 ms", "CPU ms a change",
                "together",
            ],
            steps.map { step in
                let outcome = step.outcome
                return [
                    outcome.changesPerSecond, "\(outcome.arrivedInTime) of \(outcome.sent)", outcome.arrivalsPerSecond,
                    outcome.fromAnswerToArrival.p50Milliseconds, outcome.fromAnswerToArrival.p99Milliseconds,
                    outcome.fromDueToArrival.p99Milliseconds, step.cpuMillisecondsPerChange.listed,
                    step.coreMillisecondsPerChange,
                ]
            })
        report.add(
            ["changes/s", "commits", "statements", "WAL bytes", "messages", "stream bytes"],
            steps.map { step in
                [
                    step.outcome.changesPerSecond, step.commitsPerChange, step.statementsPerChange,
                    step.walBytesPerChange, step.messagesPerChange, step.streamBytesPerChange,
                ]
            })
    }
}
