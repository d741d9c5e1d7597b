import APNsClient
import Crypto
import Foundation
import Logging
import Synchronization
import Testing

/// Wall time that a test sets.
final class WallTime: Sendable {
    private let moment: Mutex<Date>

    init(_ start: Date = Date(timeIntervalSince1970: 1_795_000_000)) { moment = Mutex(start) }

    var now: Date { moment.withLock { $0 } }
    func advance(minutes: Double) { moment.withLock { $0 += minutes * 60 } }
}

/// Log lines with their metadata.
final class LoggedLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LoggedLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = "\(event.level): \(event.message) \(event.metadata ?? [:])"
            lines.lines.withLock { $0.append(line) }
        }
    }
}

enum Fixture {
    static let keyPEM = P256.Signing.PrivateKey().pemRepresentation

    static func key() throws -> ProviderKey {
        try ProviderKey(pem: keyPEM, source: "test.p8", keyID: "ABCDE12345", teamID: "TEAM567890")
    }

    /// - Parameter server: both environments.
    static func configuration(_ server: ScriptedServer) throws -> APNsConfiguration {
        var configuration = APNsConfiguration(key: try key())
        configuration.productionURL = server.url
        configuration.sandboxURL = server.url
        configuration.trustRootsFile = server.trustRootsFile
        configuration.reconnectWait = .milliseconds(1)
        configuration.reconnectWaitMax = .milliseconds(1)
        return configuration
    }

    static func client(
        _ server: ScriptedServer, time: WallTime = WallTime(), lines: LoggedLines = LoggedLines(),
        adjust: (inout APNsConfiguration) -> Void = { _ in }
    ) throws -> APNsClient {
        var configuration = try configuration(server)
        adjust(&configuration)
        return try APNsClient(configuration, now: { time.now }, logger: lines.logger)
    }

    static func request(_ number: Int = 0, body: String = #"{"aps":{}}"#) -> APNsRequest {
        APNsRequest(
            token: "ABcd" + String(repeating: "0", count: 60), environment: .production,
            topic: "shop.nordhavn.app.push-type.liveactivity", priority: .immediate, expiration: 1_795_000_600,
            id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(number))), body: Array(body.utf8))
    }
}

extension APNsResult {
    var isAccepted: Bool { if case .accepted = self { true } else { false } }
    var refusal: APNsRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

extension ScriptedServer {
    /// Takes the client's next request, on that connection.
    ///
    /// The first one that a connection takes lets it have as many streams as the settings allow.
    func takeRequest(
        of client: APNsClient, connection: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let sent = send(1, by: client)
        let request = try await request()
        #expect(request.connection == connection, sourceLocation: sourceLocation)
        answer(request, 200)
        #expect(await sent[0].value.isAccepted, sourceLocation: sourceLocation)
    }
}

/// Sends requests at once; the tasks are awaited by the caller.
func send(_ count: Int, by client: APNsClient, from first: Int = 0) -> [Task<APNsResult, Never>] {
    (first..<first + count).map { number in Task { await client.send(Fixture.request(number)) } }
}
