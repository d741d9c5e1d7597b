import APNsClient
import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// The three senders of pushes, and the bytes that each of them posts to one server.
struct PushSenders: Sendable {
    /// Seconds after which a measurement of h2load counts as failed.
    private static let h2loadSecondsMax = 120
    private static let latencySeconds = 5
    private static let topic = PushServer.bundleID + ".push-type.liveactivity"
    private static let expiration = 1_795_000_600

    private let settings: PushBench
    private let server: PushServer.Place
    private let body: [UInt8]

    init(_ settings: PushBench, _ server: PushServer.Place) {
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
    func untilServed() async throws {
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

    /// Pushes a second of one sender.
    func perSecond(of sender: PushReport.Sender, connections: Int) async throws -> Double {
        switch sender {
        case .h2load: try h2load(connections: connections)
        case .apnsClient: try await apnsClient(connections: connections)
        case .asyncHTTPClient: try await asyncHTTPClient()
        }
    }

    /// Uses twice as many callers as streams, so that one waits for each stream that becomes free.
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
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await perSecond(callers: settings.streams) {
                var request = HTTPClientRequest(url: server.url)
                request.method = .POST
                for (name, value) in headers { request.headers.add(name: name, value: value) }
                request.body = .bytes(body)
                let response = try await client.execute(request, timeout: .seconds(60))
                _ = try await response.body.collect(upTo: 4_096)
                guard response.status == .ok else { throw BenchFailure("answered \(response.status)") }
            }
        }
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

    /// The headers of `APNsClient`, with the same id each time.
    private var headers: [(String, String)] {
        [
            ("authorization", server.authorization), ("apns-push-type", "liveactivity"),
            ("apns-topic", Self.topic), ("apns-priority", "10"), ("apns-expiration", "\(Self.expiration)"),
            ("apns-id", "00000000-0000-4000-8000-000000000000"),
        ]
    }

    /// Sends at a constant rate, independent of the answers.
    func latency() async throws -> PushReport.Latency {
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

    /// Runs `push` as often as configured, by `callers` concurrent tasks.
    private func perSecond(callers: Int, _ push: @escaping @Sendable () async throws -> Void) async throws -> Double {
        let left = Countdown(settings.pushes)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask { while left.countDown() { try await push() } }
            }
            try await group.waitForAll()
        }
        return Double(settings.pushes) / ((ContinuousClock.now - start) / .seconds(1))
    }
}

/// A number of jobs that several tasks share.
private final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    /// False when nothing is left.
    func countDown() -> Bool { left.subtract(1, ordering: .relaxed).oldValue > 0 }
}
