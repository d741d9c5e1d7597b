import Foundation

/// A rate, what it came to, and what it cost.
struct Step: Codable {
    let outcome: Load.Outcome
    /// Milliseconds of processor time per change, by process.
    let cpuMillisecondsPerChange: [String: Double]
    /// Transactions that the database committed per change, polls included.
    let commitsPerChange: Double
}

/// Reads what the stack's processes use around a step.
struct Meter {
    let stack: Stack

    func step(_ load: Load, changesPerSecond: Double, seconds: Double) throws -> Step {
        let commits = try commits()
        let before = ProcessUse(of: stack)
        let outcome = try load.step(changesPerSecond: changesPerSecond, seconds: seconds)
        let after = ProcessUse(of: stack)
        return Step(
            outcome: outcome,
            cpuMillisecondsPerChange: after.millisecondsPerChange(since: before, changes: outcome.arrived),
            commitsPerChange: (Double(try self.commits() - commits) / Double(max(1, outcome.arrived)) * 100).rounded()
                / 100)
    }

    private func commits() throws -> Int {
        let answer = try stack.ask("SELECT sum(xact_commit)::bigint FROM pg_stat_database")
        return Int(answer.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }
}
