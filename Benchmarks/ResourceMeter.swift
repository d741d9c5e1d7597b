import Foundation

/// A rate, its result, and the resources it used.
struct Step: Codable {
    let outcome: OpenLoad.Outcome
    /// Milliseconds of processor time per change, by process.
    let cpuMillisecondsPerChange: [String: Double]
    /// Transactions that the database committed per change, polls included.
    let commitsPerChange: Double
}

/// Measures what the stack's processes use during a step.
struct ResourceMeter {
    let stack: Stack

    func step(_ load: OpenLoad, changesPerSecond: Double, seconds: Double) throws -> Step {
        let commits = try commits()
        let before = ProcessUsage(of: stack)
        let outcome = try load.step(changesPerSecond: changesPerSecond, seconds: seconds)
        let after = ProcessUsage(of: stack)
        return Step(
            outcome: outcome,
            cpuMillisecondsPerChange: after.millisecondsPerChange(since: before, changes: outcome.arrived),
            commitsPerChange: (Double(try self.commits() - commits) / Double(max(1, outcome.arrived)) * 100).rounded()
                / 100)
    }

    private func commits() throws -> Int {
        let answer = try stack.query("SELECT sum(xact_commit)::bigint FROM pg_stat_database")
        return Int(answer.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }
}
