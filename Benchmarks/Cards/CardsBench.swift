import ArgumentParser

/// Measures the cost of a change, and the memory of `activity-dispatch`, while few and while many cards are live.
struct CardsBench: StackBenchmark {
    static let configuration = CommandConfiguration(
        commandName: "cards", abstract: "Measure the cost of a change while few and while many cards are live.")

    /// The aim: the cost of a change with the most cards, of that with the fewest.
    private static let ratioMax = 1.2

    @OptionGroup var target: StackOptions
    @Option(help: "Numbers of live cards, measured in turn (default: 1000,100000).", transform: rising)
    var counts = [1_000, 100_000]
    @Option(positive: "Changes a second of the load.") var rate = 50.0
    @Option(positive: "Seconds of the load for each number of cards.") var seconds = 20.0

    /// The load at this number of live cards.
    private struct Line: Encodable {
        let cards: Int
        let step: Step
        /// The resident memory of `activity-dispatch` after the load.
        let residentMebibytes: Double

        /// Milliseconds of processor time a change, of `activity-dispatch` and the database.
        var milliseconds: Double {
            ["activity-dispatch", "postgres"].compactMap { step.cpuMillisecondsPerChange[$0] }.reduce(0, +)
        }
    }

    func measure(on stack: Stack) async throws -> Report {
        let placed = try await PlacedLoad(on: stack, rate: rate, connections: 1)
        let meter = ResourceMeter(stack: stack)
        let rate = min(rate, placed.load.rateMax)
        let live = LiveCards(stack: stack)
        let lines = try counts.map { cards in
            Bench.log("adding live cards, until there are \(cards)")
            try live.fill(to: cards)
            _ = try placed.load.step(changesPerSecond: rate, seconds: 5)
            Bench.log("\(rate) changes/s for \(seconds) s")
            let step = try meter.step(placed.load, changesPerSecond: rate, seconds: seconds)
            return Line(
                cards: try live.count(), step: step,
                residentMebibytes: try ProcessUsage.resident("activity-dispatch", of: stack))
        }
        return Self.report(placed.machine, lines, rate: rate)
    }

    private static func report(_ machine: Machine, _ lines: [Line], rate: Double) -> Report {
        var report = Report(of: machine, ["lines": lines])
        report.add(
            [
                "Live cards", "CPU ms a change, activity-dispatch and postgres", "of the first", "p50 ms", "p99 ms",
                "activity-dispatch, MiB",
            ],
            lines.map { line in
                let arrival = line.step.outcome.fromAnswerToArrival
                return [
                    line.cards, line.milliseconds, line.milliseconds / lines[0].milliseconds, arrival.p50Milliseconds,
                    arrival.p99Milliseconds, line.residentMebibytes,
                ]
            })
        report.add("Aim: ≤ \(ratioMax.text) of the first. \(rate.text) changes/s, from answer to arrival.")
        return report
    }
}

@Sendable
private func rising(_ text: String) throws -> [Int] {
    let counts = text.split(separator: ",").map { Int($0) ?? 0 }
    guard let first = counts.first, first > 0, counts == counts.sorted() else {
        throw ValidationError("It is a list of rising numbers, such as 1000,100000.")
    }
    return counts
}
