import APNsClient
import Crypto
import Foundation
import ScriptedPeers
import TestSupport
import Testing

enum Fixture {
    static let keyPEM = P256.Signing.PrivateKey().pemRepresentation

    static func key() throws -> ProviderKey {
        try ProviderKey(pem: keyPEM, source: "test.p8", keyID: "ABCDE12345", teamID: "TEAM567890")
    }

    /// - Parameter server: both environments.
    static func configuration(_ server: ScriptedHTTP2Server) throws -> APNsConfiguration {
        var configuration = APNsConfiguration(key: try key())
        configuration.productionURL = server.url
        configuration.sandboxURL = server.url
        configuration.trustRootsFile = server.certificate.file
        configuration.reconnectWait = .milliseconds(1)
        configuration.reconnectWaitMax = .milliseconds(1)
        return configuration
    }

    static func client(
        _ server: ScriptedHTTP2Server, time: WallTime = WallTime(), lines: LogLines = LogLines(),
        adjust: (inout APNsConfiguration) -> Void = { _ in }
    ) throws -> APNsClient {
        var configuration = try configuration(server)
        adjust(&configuration)
        return try APNsClient(configuration, now: { time.now }, logger: lines.logger)
    }

    /// A server that holds every request until the test answers it, and a client of it.
    ///
    /// - Parameter isAuthenticated: whether the server has accepted a request, so that as many streams may be open as its
    ///   settings allow.
    static func pair(
        isAuthenticated: Bool = false, adjust: (inout APNsConfiguration) -> Void = { _ in }
    ) async throws -> (server: ScriptedHTTP2Server, client: APNsClient) {
        let server = try await ScriptedHTTP2Server.start()
        let client = try client(server, adjust: adjust)
        if isAuthenticated { try await server.acceptRequest(of: client) }
        return (server, client)
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
    /// Why the connection was lost under the request; nil for any other result.
    var lossReason: String? { if case .unknown(.connectionLost(let reason)) = self { reason } else { nil } }
    /// Why there is no connection to send on.
    var failure: String {
        if case .notSent(.noConnection(let reason)) = self { reason } else { "not this: \(self)" }
    }
    var refusal: APNsRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

extension ScriptedHTTP2Server {
    /// Accepts the client's next request, on that connection.
    ///
    /// The first one that is accepted on a connection lets it have as many streams as the settings allow.
    func acceptRequest(
        of client: APNsClient, connection: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (sent, request) = try await requestSent(by: client)
        #expect(request.connection == connection, sourceLocation: sourceLocation)
        answer(request, 200)
        #expect(await sent.value.isAccepted, sourceLocation: sourceLocation)
    }

    /// Sends a request by a client, and receives it.
    ///
    /// - Returns: the task of the client's result, and the request, which is not answered.
    func requestSent(
        by client: APNsClient, _ number: Int = 0
    ) async throws -> (sent: Task<APNsResult, Never>, request: Request) {
        let sent = send(1, by: client, from: number)
        return (sent[0], try await request())
    }
}

/// Sends requests at once; the tasks are awaited by the caller.
func send(_ count: Int, by client: APNsClient, from first: Int = 0) -> [Task<APNsResult, Never>] {
    (first..<first + count).map { number in Task { await client.send(Fixture.request(number)) } }
}
