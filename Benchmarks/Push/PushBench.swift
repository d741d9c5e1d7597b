import APNsClient
import AsyncHTTPClient
import Crypto
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// Measures pushes a second of `APNsClient` beside h2load and async-http-client, which post the same bytes to the same
/// `nghttpd` in the same run.
struct PushBench: Sendable {
    /// Of the client's measurements; the others do the same over one connection, and h2load over as many.
    static let connections = [1, 4]

    private let settings: PushSettings
    private let server: PushServer.Place
    private let body: [UInt8]
    private let key: ProviderKey
    private static let topic = "shop.nordhavn.app.push-type.liveactivity"
    private static let expiration = 1_795_000_600

    static func measure(_ settings: PushSettings) async throws -> PushReport {
        let server = try PushServer(streams: settings.streams)
        defer { server.stop() }
        let bench = try PushBench(settings, server.place)
        try await bench.untilServed()
        let load = try String(contentsOfFile: "/proc/loadavg", encoding: .utf8).split(separator: " ").prefix(2)
        var report = PushReport(settings, loadBefore: load.joined(separator: " "))
        for round in 1...settings.rounds {
            for connections in connections {
                Bench.log("round \(round) of \(settings.rounds), h2load, \(connections) connections")
                report.add(.h2load, connections, perSecond: try bench.h2load(connections: connections))
                Bench.log("round \(round) of \(settings.rounds), APNsClient, \(connections) connections")
                report.add(.apnsClient, connections, perSecond: try await bench.apnsClient(connections: connections))
            }
            Bench.log("round \(round) of \(settings.rounds), async-http-client")
            report.add(.asyncHTTPClient, 1, perSecond: try await bench.asyncHTTPClient())
        }
        return report
    }

    private init(_ settings: PushSettings, _ server: PushServer.Place) throws {
        self.settings = settings
        self.server = server
        let start = #"{"aps":{"timestamp":1795222000,"event":"update","content-state":{"headline":""#
        let end = #""}}}"#
        let filling = max(0, settings.bodyBytes - start.utf8.count - end.utf8.count)
        body = Array((start + String(repeating: "n", count: filling) + end).utf8)
        key = try ProviderKey(
            pem: P256.Signing.PrivateKey().pemRepresentation, source: "the benchmark's key", keyID: "ABCDE12345",
            teamID: "TEAM567890")
    }

    private func client(connections: Int) throws -> APNsClient {
        var configuration = APNsConfiguration(key: key)
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
        throw BenchFailure("nghttpd does not answer on port \(server.port)")
    }

    private var request: APNsRequest {
        APNsRequest(
            token: PushServer.deviceToken, environment: .production, topic: Self.topic, priority: .immediate,
            expiration: Self.expiration, id: UUID(), body: body)
    }

    // MARK: The three

    /// Twice as many callers as streams, so that one waits for each stream that becomes free.
    private func apnsClient(connections: Int) async throws -> Double {
        let client = try client(connections: connections)
        // Each connection shows its token first, as to APNs.
        for _ in 0..<(2 * connections) { _ = await client.send(request) }
        return try await perSecond(callers: 2 * settings.streams * connections) {
            guard case .accepted = await client.send(request) else { throw BenchFailure("a push was not accepted") }
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
                    guard response.status == .ok else { throw BenchFailure("nghttpd answered \(response.status)") }
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
                "h2load", "--requests=\(settings.pushes)", "--clients=\(connections)", "--threads=1",
                "--max-concurrent-streams=\(settings.streams)", "--data=\(file.path)",
            ] + headers.map { "--header=\($0): \($1)" } + [server.url])
        guard output.contains("\(settings.pushes) 2xx"),
            let rate = output.firstMatch(of: /finished in [^,]+, ([0-9.]+) req\/s/), let number = Double(rate.output.1)
        else { throw BenchFailure("h2load failed: \(output.suffix(2_000))") }
        return number
    }

    /// As `APNsClient` sends them, with a token of the same length and the same id each time.
    private var headers: [(String, String)] {
        [
            ("authorization", "bearer " + String(repeating: "e", count: 198)), ("apns-push-type", "liveactivity"),
            ("apns-topic", Self.topic), ("apns-priority", "10"), ("apns-expiration", "\(Self.expiration)"),
            ("apns-id", "00000000-0000-4000-8000-000000000000"),
        ]
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
