/// A rate, its result, and the resources it used.
struct Step: Codable {
    let outcome: OpenLoad.Outcome
    /// Milliseconds of processor time per change, by process.
    let cpuMillisecondsPerChange: [String: Double]
    /// Transactions that the database committed per change, polls included.
    let commitsPerChange: Double
    /// 0 where the server does not count them.
    let statementsPerChange: Double
    let walBytesPerChange: Double
    /// Messages that services enqueued for the broker.
    let messagesPerChange: Double
    let streamBytesPerChange: Double

    /// The CPU time of all processes except the load.
    var coreMillisecondsPerChange: Double { cpuMillisecondsPerChange.ofStack }
}

/// Measures what the stack's processes use during a step.
struct ResourceMeter {
    let stack: Stack

    func step(_ load: OpenLoad, changesPerSecond: Double, seconds: Double) throws -> Step {
        let (database, broker) = (try DatabaseCounters(of: stack), try BrokerCounters(of: stack))
        let before = ProcessUsage(of: stack)
        let outcome = try load.step(changesPerSecond: changesPerSecond, seconds: seconds)
        let after = ProcessUsage(of: stack)
        let (databaseAfter, brokerAfter) = (try DatabaseCounters(of: stack), try BrokerCounters(of: stack))
        func perChange(_ count: Int, digits: Int) -> Double {
            (Double(count) / Double(max(1, outcome.arrived))).rounded(to: digits)
        }
        return Step(
            outcome: outcome,
            cpuMillisecondsPerChange: after.millisecondsPerChange(since: before, changes: outcome.arrived),
            commitsPerChange: perChange(databaseAfter.commits - database.commits, digits: 2),
            statementsPerChange: perChange(databaseAfter.statements - database.statements, digits: 1),
            walBytesPerChange: perChange(databaseAfter.walBytes - database.walBytes, digits: 0),
            messagesPerChange: perChange(databaseAfter.messages - database.messages, digits: 2),
            streamBytesPerChange: perChange(brokerAfter.streamBytes - broker.streamBytes, digits: 0))
    }
}
