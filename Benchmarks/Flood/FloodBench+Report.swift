extension FloodBench {
    /// The aim for the 99th percentile from a request to its screen, and for that of `/health/live`.
    private static let p99MillisecondsMax = 1_000.0

    /// - Parameter answers: to each part of the flood by status; 0 is a connection that ended without one.
    func report(
        _ placed: PlacedLoad, _ quiet: FloodPeriod, _ flooded: FloodPeriod, _ answers: [FloodPart: [Int: Int]]
    ) -> Report {
        var report = Report(
            of: placed.machine,
            [
                "parts": parts, "deliveries": placed.deliveries, "devices": placed.devices, "quiet": quiet,
                "flooded": flooded, "answers": answers,
            ])
        report.add(
            ["\(quiet.others.changesPerSecond.text) changes/s of others", "Quiet", "Flood", "Flood / quiet", "Aim"],
            arrivals(quiet, flooded) + liveness(quiet, flooded) + [
                row("the machine's processors, busy", quiet.busyShare.percent, flooded.busyShare.percent)
            ])
        report.add(
            ["Part of the flood", "Requests answered", "By status"],
            parts.map { part in
                let counts = (answers[part] ?? [:]).sorted { $0.key < $1.key }
                let statuses = counts.map { "\($0.key == 0 ? "none" : String($0.key)): \($0.value)" }
                return [part.rawValue, counts.map(\.value).reduce(0, +), statuses.joined(separator: ", ")]
            })
        report.add(processes: [
            "CPU s, quiet": quiet.cpuSeconds, "CPU s, flood": flooded.cpuSeconds,
            "MiB, quiet": quiet.memory.mapValues(\.residentMebibytes),
            "MiB, flood": flooded.memory.mapValues(\.residentMebibytes),
            "MiB, highest": flooded.memory.mapValues(\.residentMebibytesMax),
        ])
        report.add(
            """
            \(quiet.seconds.text) s quiet, \(flooded.seconds.text) s of flood; others have \(placed.deliveries) \
            deliveries and \(placed.devices) devices.
            """)
        return report
    }

    private func arrivals(_ quiet: FloodPeriod, _ flooded: FloodPeriod) -> [[any Cell]] {
        let (before, during) = (quiet.others.fromDueToArrival, flooded.others.fromDueToArrival)
        return [
            row("from request to screen, p50 ms", before.p50Milliseconds, during.p50Milliseconds),
            row(
                "from request to screen, p99 ms", before.p99Milliseconds, during.p99Milliseconds,
                max: Self.p99MillisecondsMax),
            row("from request to screen, highest ms", before.maxMilliseconds, during.maxMilliseconds),
            row("answered with 2xx", quiet.servedShare.percent, flooded.servedShare.percent),
            row(
                "arrived", "\(quiet.others.arrived) of \(quiet.others.sent)",
                "\(flooded.others.arrived) of \(flooded.others.sent)"),
        ]
    }

    private func liveness(_ quiet: FloodPeriod, _ flooded: FloodPeriod) -> [[any Cell]] {
        Stack.services.flatMap { name -> [[any Cell]] in
            guard let before = quiet.liveness[name], let during = flooded.liveness[name] else { return [] }
            return [
                row(
                    "`/health/live` of \(name), p99 ms", before.answers.p99Milliseconds,
                    during.answers.p99Milliseconds, max: Self.p99MillisecondsMax),
                row("… highest ms", before.answers.maxMilliseconds, during.answers.maxMilliseconds),
                row(
                    "… failed", "\(before.failed) of \(before.answers.count)",
                    "\(during.failed) of \(during.answers.count)"),
            ]
        }
    }

    private func row(_ name: String, _ quiet: String, _ flooded: String) -> [any Cell] {
        [name, quiet, flooded, "", ""]
    }

    private func row(_ name: String, _ quiet: Double, _ flooded: Double, max: Double? = nil) -> [any Cell] {
        [
            name, quiet, flooded, quiet > 0 ? (flooded / quiet).rounded(to: 1).text : "",
            max.map { Figure(name, flooded, "", .atMost($0)).aim } ?? "",
        ]
    }
}
