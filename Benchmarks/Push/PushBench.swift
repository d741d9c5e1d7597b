import ArgumentParser
import Foundation

/// Measures pushes a second of `APNsClient` beside h2load and async-http-client, which post the same bytes to the same
/// server in the same run: `nghttpd`, then `apns-emulator`.
struct PushBench: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Measure the client of Apple's push service, and its stand-in; without a stack.")

    /// The numbers of connections of h2load and the client; async-http-client has one.
    private static let connections = [1, 4]

    @Option(help: "The output file of the figures; .doorstep/bench-push.json by default.") var output: String?
    @Option(help: "Path of apns-emulator; by default in this program's folder.") var emulator: String?
    @Option(help: "The only server to push to; both by default.") var server: PushServer.Kind?
    @Option(positive: "Pushes of each measurement.") var pushes = 30_000
    @Option(positive: "Requests in flight on each connection, which is also what nghttpd allows.") var streams = 100
    @Option(positive: "Times that everything is measured, in turns; the medians are reported.") var rounds = 3
    @Option(positive: "Bytes of each body.") var bodyBytes = 700
    @Option(positive: "Pushes a second of the line about latency.") var latencyRate = 1_000

    var emulatorPath: String {
        emulator
            ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "apns-emulator").path
    }

    func measure() async throws -> Report {
        var results = try PushReport()
        for kind in server.map({ [$0] }) ?? PushServer.Kind.allCases {
            let server = try await PushServer.start(kind, self)
            defer { server.stop() }
            let senders = PushSenders(self, server.place)
            try await senders.untilServed()
            for round in 1...rounds { try await measure(round, senders, on: server, into: &results) }
            if kind == .emulator {
                Bench.log("latency at \(latencyRate) pushes/s")
                results.latency = try await senders.latency()
            }
        }
        return results.report(self)
    }

    private func measure(
        _ round: Int, _ senders: PushSenders, on server: PushServer, into results: inout PushReport
    ) async throws {
        for connections in Self.connections {
            for sender in [PushReport.Sender.h2load, .apnsClient] {
                log(round, sender, server, connections)
                let outcome = try await outcome(of: server, isChild: sender == .h2load) {
                    try await senders.perSecond(of: sender, connections: connections)
                }
                results.add(outcome, of: sender, to: server.place.kind, connections: connections)
            }
        }
        log(round, .asyncHTTPClient, server, 1)
        let other = try await outcome(of: server) { try await senders.perSecond(of: .asyncHTTPClient, connections: 1) }
        results.add(other, of: .asyncHTTPClient, to: server.place.kind, connections: 1)
    }

    private func log(_ round: Int, _ sender: PushReport.Sender, _ server: PushServer, _ connections: Int) {
        Bench.log(
            """
            round \(round) of \(rounds), \(sender.rawValue) to \(server.place.kind.rawValue), \
            connections: \(connections)
            """)
    }

    /// - Parameter isChild: whether the sender is a program that is started, rather than this one.
    private func outcome(
        of server: PushServer, isChild: Bool = false, _ measure: () async throws -> Double
    ) async throws -> PushReport.Outcome {
        func sender() -> Double {
            let id = ProcessInfo.processInfo.processIdentifier
            let own = ProcessUsage.cpu(of: id, withReaped: false)
            return isChild ? ProcessUsage.cpu(of: id, withReaped: true) - own : own
        }
        let before = (sender: sender(), server: server.cpuSeconds)
        let perSecond = try await measure()
        func microseconds(_ seconds: Double) -> Double { (seconds / Double(pushes) * 1e6).rounded() }
        return PushReport.Outcome(
            perSecond: perSecond.rounded(), senderMicroseconds: microseconds(sender() - before.sender),
            serverMicroseconds: microseconds(server.cpuSeconds - before.server))
    }
}
