import APNsClient
import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// Measures pushes a second of `APNsClient` beside h2load and async-http-client, which post the same bytes to the same
/// server in the same run: `nghttpd`, then `apns-emulator`.
struct PushBench: Sendable {
    /// Of h2load's and the client's measurements; async-http-client has one.
    static let connections = [1, 4]
    /// Seconds after which a measurement of h2load counts as failed.
    private static let h2loadSecondsMax = 120
    private static let latencySeconds = 5

    private let settings: PushSettings
    private let server: PushServer.Place
    private let body: [UInt8]
    private static let topic = PushServer.bundleID + ".push-type.liveactivity"
    private static let expiration = 1_795_000_600

    static func measure(_ settings: PushSettings) async throws -> PushReport {
        let load = try String(contentsOfFile: "/proc/loadavg", encoding: .utf8).split(separator: " ").prefix(2)
        var report = PushReport(settings, loadBefore: load.joined(separator: " "))
        for kind in settings.servers {
            let server = try await PushServer.start(kind, settings)
            defer { server.stop() }
            let bench = PushBench(settings, server.place)
            try await bench.untilServed()
            for round in 1...settings.rounds {
                try await bench.measure(round, on: server, into: &report)
            }
            if kind == .emulator {
                Bench.log("latency at \(settings.latencyRate) pushes/s")
                report.latency = try await bench.latency()
            }
        }
        return report
    }

    private func measure(_ round: Int, on server: PushServer, into report: inout PushReport) async throws {
        let kind = server.place.kind
        for connections in Self.connections {
            log(round, .h2load, connections)
            let h2load = try await outcome(of: server, isChild: true) {
                try self.h2load(connections: connections)
            }
            report.add(h2load, of: .h2load, to: kind, connections: connections)
            log(round, .apnsClient, connections)
            let ours = try await outcome(of: server) { try await apnsClient(connections: connections) }
            report.add(ours, of: .apnsClient, to: kind, connections: connections)
        }
        log(round, .asyncHTTPClient, 1)
        let other = try await outcome(of: server) { try await asyncHTTPClient() }
        report.add(other, of: .asyncHTTPClient, to: kind, connections: 1)
    }

    private func log(_ round: Int, _ sender: PushReport.Sender, _ connections: Int) {
        Bench.log(
            """
            round \(round) of \(settings.rounds), \(sender.rawValue) to \(server.kind.rawValue), \
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
        let pushes = Double(settings.pushes)
        return PushReport.Outcome(
            perSecond: perSecond.rounded(), senderMicroseconds: ((sender() - before.sender) / pushes * 1e6).rounded(),
            serverMicroseconds: ((server.cpuSeconds - before.server) / pushes * 1e6).rounded())
    }

    private init(_ settings: PushSettings, _ server: PushServer.Place) {
        self.settings = settings
        self.server = server
        let start = #"{"aps":{"timestamp":1795222000,"event":"update","content-state":{"headline":""#
        let end = #""}}}"#
        let filling = max(0, settings.bodyBytes - start.utf8.count - end.utf8.count)
        body = Array((start + String(repeating: "n", count: filling) + end).utf8)
    }

    private func client(connections: Int) throws -> APNsClient {
        var configuration = APNsConfiguration(key: server.key)
        configuration.productionURL = server.origin
        configuration.trustRootsFile = server.certificate
        configuration.connections = connections
        configuration.requestTimeout = .seconds(60)
        return try APNsClient(configuration, logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Waits until the server answers.
    private func untilServed() async throws {
        let client = try client(connections: 1)
        for _ in 0..<100 {
            if case .accepted = await client.send(request) { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw BenchFailure("\(server.kind.rawValue) does not answer on port \(server.port)")
    }

    private var request: APNsRequest {
        APNsRequest(
            token: server.deviceToken, environment: .production, topic: Self.topic, priority: .immediate,
            expiration: Self.expiration, id: UUID(), body: body)
    }

    // MARK: The three

    /// Twice as many callers as streams, so that one waits for each stream that becomes free.
    private func apnsClient(connections: Int) async throws -> Double {
        let client = try client(connections: connections)
        // Each connection shows its token first, as to APNs.
        for _ in 0..<(2 * connections) { _ = await client.send(request) }
        return try await perSecond(callers: 2 * settings.streams * connections) {
            let result = await client.send(request)
            guard case .accepted = result else { throw BenchFailure("a push was not accepted: \(result)") }
        }
    }

    private func asyncHTTPClient() async throws -> Double {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(server.certificate)
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = tls
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<Double, any Error>
        do {
            result = .success(
                try await perSecond(callers: settings.streams) {
                    var request = HTTPClientRequest(url: server.url)
                    request.method = .POST
                    for (name, value) in headers { request.headers.add(name: name, value: value) }
                    request.body = .bytes(body)
                    let response = try await client.execute(request, timeout: .seconds(60))
                    _ = try await response.body.collect(upTo: 4_096)
                    guard response.status == .ok else { throw BenchFailure("answered \(response.status)") }
                })
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }

    private func h2load(connections: Int) throws -> Double {
        let file = URL(filePath: server.folder).appending(path: "body.json")
        try Data(body).write(to: file)
        let output = try run(
            "/usr/bin/env",
            [
                "timeout", "\(Self.h2loadSecondsMax)", "h2load", "--requests=\(settings.pushes)",
                "--clients=\(connections)", "--threads=1",
                "--max-concurrent-streams=\(settings.streams)", "--data=\(file.path)",
            ] + headers.map { "--header=\($0): \($1)" } + [server.url])
        guard output.contains("\(settings.pushes) 2xx"),
            let rate = output.firstMatch(of: /finished in [^,]+, ([0-9.]+) req\/s/), let number = Double(rate.output.1)
        else { throw BenchFailure("h2load failed: \(output.suffix(2_000))") }
        return number
    }

    /// As `APNsClient` sends them, with the same id each time.
    private var headers: [(String, String)] {
        [
            ("authorization", server.authorization), ("apns-push-type", "liveactivity"),
            ("apns-topic", Self.topic), ("apns-priority", "10"), ("apns-expiration", "\(Self.expiration)"),
            ("apns-id", "00000000-0000-4000-8000-000000000000"),
        ]
    }

    /// Sends at a rate, however long the answers take.
    private func latency() async throws -> PushReport.Latency {
        let client = try client(connections: 1)
        _ = await client.send(request)
        let start = ContinuousClock.now
        let count = settings.latencyRate * Self.latencySeconds
        let sorted = try await withThrowingTaskGroup(of: Duration.self) { group in
            for number in 0..<count {
                let due = start + .seconds(1) * number / settings.latencyRate
                try await Task.sleep(until: due)
                group.addTask {
                    let result = await client.send(request)
                    guard case .accepted = result else { throw BenchFailure("a push was not accepted: \(result)") }
                    return ContinuousClock.now - due
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted()
        }
        func milliseconds(_ share: Double) -> Double { sorted[Int(Double(count - 1) * share)] / .milliseconds(1) }
        return PushReport.Latency(
            perSecond: settings.latencyRate, p50Milliseconds: milliseconds(0.5), p99Milliseconds: milliseconds(0.99))
    }

    /// Runs `push` as often as is set, by so many callers at once.
    private func perSecond(callers: Int, _ push: @escaping @Sendable () async throws -> Void) async throws -> Double {
        let left = Countdown(settings.pushes)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask { while left.take() { try await push() } }
            }
            try await group.waitForAll()
        }
        return Double(settings.pushes) / ((ContinuousClock.now - start) / .seconds(1))
    }
}

/// A number of things to do that several tasks share.
private final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    /// False when nothing is left.
    func take() -> Bool { left.subtract(1, ordering: .relaxed).oldValue > 0 }
}
