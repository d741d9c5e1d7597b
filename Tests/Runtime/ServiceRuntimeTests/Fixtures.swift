import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import ServiceRuntime

/// Log lines of a test, in order.
final class LogRecorder: Sendable {
    private let recorded = Mutex<[String]>([])

    var lines: [String] { recorded.withLock { $0 } }

    func logger(format: LogFormat = .json, level: Logger.Level = .trace) -> Logger {
        Logger(label: "test") { _ in
            LineLogHandler(
                service: "orders", format: format, level: level, metadataProvider: TraceContext.metadataProvider,
                wall: { Date(timeIntervalSince1970: 1_795_285_440) },
                write: { line in self.recorded.withLock { $0.append(line) } })
        }
    }
}

/// A gate that handlers wait at until a test opens it.
struct Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() { continuation.finish() }
    func pass() async { for await _ in stream {} }
}

/// When tokens of tests are checked.
let wallNow = Date(timeIntervalSince1970: 1_795_285_440)

/// Keys made for one test, and tokens signed with them.
struct TestTokens {
    let pair: TokenKeyPair
    let keys: TokenKeys
    let signer: TokenSigner

    init(roles: [Role] = Role.allCases, kid: String = "tests-1") async throws {
        pair = TokenKeyPair.generate(kid: kid)
        keys = try await TokenKeys([pair.entry(roles: roles)])
        signer = try await TokenSigner(kid: pair.kid, privateKeyPEM: pair.privateKeyPEM)
    }

    func token(
        _ role: Role, subject: String = "someone", store: String? = nil, lifetime: TimeInterval = 3_600
    ) async throws -> String {
        try await signer.sign(
            Identity(subject: subject, role: role, store: store, expiresAt: wallNow.addingTimeInterval(lifetime)),
            at: wallNow)
    }
}

extension TestTokens {
    /// A token of any header and claims, both JSON, with a good signature.
    func sign(header: String, claims: String) throws -> String {
        let signed = [header, claims].map { base64URL(Data($0.utf8)) }.joined(separator: ".")
        let key = try P256.Signing.PrivateKey(pemRepresentation: pair.privateKeyPEM)
        return "\(signed).\(base64URL(try key.signature(for: Data(signed.utf8)).rawRepresentation))"
    }

    private func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
    }
}

/// A port with the given routes, listening on nothing.
func makeService(
    tokens: TestTokens, configuration: HTTPConfiguration = HTTPConfiguration(), publicOrigin: String? = nil,
    queryParameters: QueryParameters = QueryParameters(open: ["/"]), readiness: [ReadinessCheck] = [],
    metrics: MetricsRegistry = MetricsRegistry(), tracer: SpanTracer = SpanTracer(), log: LogRecorder = LogRecorder(),
    routes: (Router<AppContext>) -> Void = { _ in }
) -> HTTPService {
    HTTPService(
        configuration: configuration, name: "orders", openAPI: Array("openapi: 3.1.0\n".utf8),
        queryParameters: queryParameters, publicOrigin: publicOrigin, readiness: readiness,
        metrics: metrics, tracer: tracer, tokens: TokenVerifier(tokens.keys), logger: log.logger(), wall: { wallNow },
        addRoutes: routes)
}

/// The members of a problem that tests compare.
struct ProblemAnswer: Decodable {
    let type: String
    let title: String
    let status: Int
    let detail: String?
    let traceID: String?
    let errors: [Problem.FieldError]?
    let allowed: [String]?

    private enum CodingKeys: String, CodingKey {
        case type, title, status, detail, errors, allowed
        case traceID = "trace_id"
    }
}

extension TestResponse {
    /// The body as a problem, after checking what every problem promises.
    func problem(_ status: HTTPResponse.Status, _ slug: String) throws -> ProblemAnswer {
        #expect(self.status == status)
        #expect(headers[.contentType] == "application/problem+json")
        let answer = try JSONDecoder().decode(ProblemAnswer.self, from: Data(body.readableBytesView))
        #expect(answer.type == "https://doorstep.dev/problems/\(slug)")
        #expect(answer.status == status.code)
        #expect(answer.traceID?.count == 32)
        return answer
    }
}

extension HTTPFields {
    static func bearer(_ token: String) -> HTTPFields { [.authorization: "Bearer \(token)"] }
}

extension AppContext {
    static func ofTest(on channel: EmbeddedChannel = EmbeddedChannel()) -> AppContext {
        AppContext(source: ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test")))
    }
}

extension EmbeddedChannel {
    static func connected(from address: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
        return channel
    }
}
