import Foundation

/// One period of the others' load, with probes of every service.
struct FloodPeriod: Encodable {
    /// Seconds until the last change had arrived.
    let seconds: Double
    let others: OpenLoad.Outcome
    /// Probes of `/health/live`, by service.
    let liveness: [String: LivenessProbe.Outcome]
    /// Processor time by process; `load` is the benchmark, the flood included.
    let cpuSeconds: [String: Double]
    /// The used share of the machine's processor time, from 0 to 1, other processes included.
    let busyShare: Double
    let memory: [String: ProcessUsage.Memory]

    init(of load: OpenLoad, on stack: Stack, seconds: Double) throws {
        let threads = WorkThreads()
        let probes = stack.ports.map { service, port in
            let probe = LivenessProbe()
            threads.start("probe of \(service)") { probe.run(port: port, until: $0) }
            return (service, probe)
        }
        let before = ProcessUsage(of: stack)
        let startedAt = now()
        others = try load.step(changesPerSecond: load.rateMax, seconds: seconds)
        let elapsed = (now() - startedAt).inSeconds
        let after = ProcessUsage(of: stack)
        try threads.stop()
        let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
        self.seconds = elapsed.rounded(to: 1)
        liveness = Dictionary(uniqueKeysWithValues: probes.map { ($0.0, $0.1.outcome) })
        cpuSeconds = after.seconds(since: before)
        busyShare = ((after.machineSeconds - before.machineSeconds) / (elapsed * cores)).rounded(to: 3)
        memory = after.memory
    }

    /// Others' requests that were answered with 2xx, as a share of all.
    var servedShare: Double { Double(others.sent - others.refused) / Double(max(1, others.sent)) }
}
