import Foundation
import ServiceRuntime

/// Measures changes a second through the whole path of a private stack, and what its database alone could do.
///
/// HTTP → Postgres → NATS → dispatch → device stream. Progress goes to standard error, the table to standard output,
/// everything to a JSON file.
@main
struct Bench {
    static func main() async {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            switch arguments.first {
            case "ingest":
                let settings = try IngestSettings(arguments.dropFirst())
                try await IngestBench.measure(settings).publish(to: settings.output)
            case "flood":
                let settings = try FloodSettings(arguments.dropFirst())
                try await FloodBench.measure(settings).publish(to: settings.output)
            case "streams":
                let settings = try StreamsSettings(arguments.dropFirst())
                try await StreamsBench.measure(settings).publish(to: settings.output)
            case "pages":
                let settings = try PagesSettings(arguments.dropFirst())
                try await PagesBench.measure(settings).publish(to: settings.output)
            case "desk":
                let settings = try DeskSettings(arguments.dropFirst())
                try await DeskBench.measure(settings).publish(to: settings.output)
            case "cards":
                let settings = try CardsSettings(arguments.dropFirst())
                try await CardsBench.measure(settings).publish(to: settings.output)
            case "phones":
                let settings = try PhonesSettings(arguments.dropFirst())
                try await PhonesBench.measure(settings).publish(to: settings.output)
            case "resync":
                let settings = try ResyncSettings(
                    arguments.dropFirst(), environment: ProcessInfo.processInfo.environment)
                try await ResyncBench.measure(settings).publish(to: settings.output)
            case "outage":
                let settings = try OutageSettings(arguments.dropFirst())
                try await OutageBench.measure(settings).publish(to: settings.output)
            case "webhooks":
                let settings = try WebhooksSettings(arguments.dropFirst())
                try await WebhooksBench.measure(settings).publish(to: settings.output)
            case "slow-receivers":
                let settings = try SlowReceiversSettings(arguments.dropFirst())
                try await SlowReceiversBench.measure(settings).publish(to: settings.output)
            case "push":
                let settings = try PushSettings(arguments.dropFirst())
                try await PushBench.measure(settings).publish(to: settings.output)
            default:
                let settings = try BenchSettings(arguments)
                try await measure(settings).publish(to: settings.output)
            }
        } catch {
            log("\(error)")
            exit(1)
        }
    }

    static func log(_ text: String) { FileHandle.standardError.write(Data("bench: \(text)\n".utf8)) }

    private static func measure(_ settings: BenchSettings) async throws -> Report {
        let stack = try Stack(folder: settings.folder)
        try DatabaseCounters.begin(on: stack)
        let placed = try await PlacedLoad(on: stack, rate: settings.rateMax, connections: settings.connections)
        let load = placed.load

        log("warming up")
        _ = try load.step(changesPerSecond: settings.latencyRate, seconds: 5)
        let meter = ResourceMeter(stack: stack)
        log("\(settings.latencyRate) changes/s for \(settings.latencySeconds) s")
        let latency = try meter.step(load, changesPerSecond: settings.latencyRate, seconds: settings.latencySeconds)
        var ramp: [Step] = []
        var failures = 0
        var rate = settings.latencyRate * 1.25
        while rate <= load.rateMax, failures < 2 {
            let step = try meter.step(load, changesPerSecond: rate.rounded(), seconds: settings.stepSeconds)
            log("\(rate.rounded()) changes/s: \(step.outcome.isKeptUpWith ? "kept up with" : "too many")")
            ramp.append(step)
            failures = step.outcome.isKeptUpWith ? 0 : failures + 1
            rate *= 1.25
        }
        let memory = ProcessUsage(of: stack).memory

        try stack.stopServices()
        log("running the hand-written transaction")
        let handWritten = try HandWrittenChange(on: stack)
        return Report(
            machine: placed.machine, deliveries: placed.deliveries, devices: placed.devices, latency: latency,
            ramp: ramp,
            handWritten: handWritten, memory: memory)
    }

    /// - Parameter store: the only one that the token is good for; nil for every store.
    static func token(
        _ signer: TokenSigner, _ role: Role, _ subject: String, store: String? = nil
    ) async throws -> String {
        let now = Date()
        return try await signer.sign(
            Identity(
                subject: subject, role: role, store: store, tokenID: UUID().uuidString.lowercased(),
                expiresAt: now.addingTimeInterval(6 * 3600)),
            at: now)
    }
}
