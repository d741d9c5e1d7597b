internal import AsyncHTTPClient
package import Foundation
package import HTTPTypes
internal import Hummingbird
internal import HummingbirdTesting
package import JWTKit
internal import Logging
internal import NIOCore
package import OpenIDConnect
package import Synchronization

/// An identity provider on this machine with scripted answers, valid or not.
package final class ProviderByTest: Sendable {
    package struct Claims: JWTPayload {
        var fields: [String: Value]

        package enum Value: Codable, Sendable {
            case text(String), number(Double), list([String])

            package init(from decoder: any Decoder) throws { self = .text("") }

            package func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .text(let text): try container.encode(text)
                case .number(let number): try container.encode(number)
                case .list(let list): try container.encode(list)
                }
            }
        }

        init(_ fields: [String: Value]) { self.fields = fields }
        package init(from decoder: any Decoder) throws { fields = [:] }
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(fields)
        }
        package func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    package struct State {
        package var issuer: String?
        package var claims: @Sendable (_ issuer: String) -> [String: Claims.Value] = { _ in [:] }
        /// The text in place of a signed token.
        package var token: String?
        package var tokenStatus = HTTPResponse.Status.ok
        package var tokenBody: String?
        package var kid = "one"
        /// The keys that are served, by id.
        package var served: [String] = ["one"]
        package var methods: [String]? = ["client_secret_basic"]
        /// JSON keys that precede the served keys in the set.
        package var otherKeys: [String] = []
        /// JSON members of each served key besides its material, in place of `alg`, `use` and its `kid`.
        package var keyMembers: String?
        package var keyReads = 0
        /// Awaited by each answer with the keys.
        package var beforeKeys: (@Sendable () async -> Void)?
        /// Awaited by each answer with UserInfo.
        package var beforeUserInfo: (@Sendable () async -> Void)?
        /// Seconds since the client was made.
        package var elapsed: TimeInterval = 0
        package var documentReads = 0
        package var requests: [(headers: HTTPFields, body: String)] = []
        package var padding = 0
        /// The UserInfo endpoint's JSON answer; nil for a provider without one, empty for 401.
        package var userInfo: String?
        /// The refresh token of each sign-in and refresh; nil for a provider without one.
        package var refreshToken: String?
        /// The error of a refresh without the newest refresh token.
        package var refreshError = "invalid_grant"
        /// Whether a refresh brings an ID token.
        package var refreshesIDToken = true
        /// Whether its endpoints answer 500.
        package var isFailing = false
    }

    package let state = Mutex(State())
    private let keys: [String: ES256PrivateKey]
    private let collection: JWTKeyCollection

    private init() async throws {
        keys = ["one": ES256PrivateKey(), "two": ES256PrivateKey(), "other": ES256PrivateKey()]
        collection = JWTKeyCollection()
        for (kid, key) in keys { await collection.add(ecdsa: key, kid: JWKIdentifier(string: kid)) }
    }

    /// Runs it, and a client of it that a test configures.
    package static func run(
        at now: Date = Date(timeIntervalSince1970: 1_795_280_400),
        _ body: @escaping @Sendable (ProviderByTest, OpenIDClient, SignInRequest) async throws -> Void
    ) async throws {
        let provider = try await ProviderByTest()
        let router = Router()
        router.get(".well-known/openid-configuration") { request, _ in provider.document(request) }
        router.get("keys") { _, _ in
            await provider.state.withLock(\.beforeKeys)?()
            return provider.keySet()
        }
        router.get("userinfo") { request, _ in
            await provider.state.withLock(\.beforeUserInfo)?()
            return provider.userInfo(request)
        }
        router.post("token") { request, _ in try await provider.token(request) }
        router.get("elsewhere") { _, _ in Response(status: .ok) }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            logger: Logger(label: "provider") { _ in SwiftLogNoOpLogHandler() })
        try await application.test(.live) { client in
            let issuer = "http://127.0.0.1:\(client.port ?? 0)"
            provider.state.withLock { $0.issuer = issuer }
            let request = SignInRequest(state: "the-state", nonce: "the-nonce", verifier: "the-verifier")
            provider.state.withLock { state in
                state.claims = { issuer in
                    [
                        "iss": .text(issuer), "sub": .text("u1"), "aud": .text("desk"), "nonce": .text("the-nonce"),
                        "exp": .number(now.timeIntervalSince1970 + 300), "iat": .number(now.timeIntervalSince1970),
                        "preferred_username": .text("ada"), "groups": .list(["dispatchers"]),
                    ]
                }
            }
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            configuration.httpVersion = .http1Only
            try await HTTPClient.withHTTPClient(configuration: configuration) { http in
                let subject = OpenIDClient(
                    OpenIDConfiguration(
                        issuer: issuer, clientID: "desk", clientSecret: "s/cr+t",
                        redirectURI: "https://desk.example.com/sign-in/callback"), client: http,
                    wallNow: { now.addingTimeInterval(provider.state.withLock(\.elapsed)) })
                try await body(provider, subject, request)
            }
        }
    }

    /// Adds these claims to the next ID tokens, or replaces the defaults.
    package func claim(_ own: [String: Claims.Value]) {
        state.withLock { state in
            state.claims = { [claims = state.claims] in claims($0).merging(own) { $1 } }
        }
    }

    private func document(_ request: Request) -> Response {
        state.withLock { state in
            state.documentReads += 1
            let base = "http://\(request.head.authority ?? "")"
            let methods = state.methods.map {
                ",\"token_endpoint_auth_methods_supported\":[\($0.map { "\"\($0)\"" }.joined(separator: ","))]"
            }
            return Self.json(
                """
                {"issuer":"\(state.issuer ?? base)","authorization_endpoint":"\(base)/authorize?tenant=1",
                "token_endpoint":"\(base)/token","jwks_uri":"\(base)/keys"\(methods ?? ""),
                \(state.userInfo == nil ? "" : "\"userinfo_endpoint\":\"\(base)/userinfo\",")
                "padding":"\(String(repeating: "x", count: state.padding))"}
                """)
        }
    }

    private func keySet() -> Response {
        let (served, others, members) = state.withLock { state in
            state.keyReads += 1
            return (state.served, state.otherKeys, state.keyMembers)
        }
        let own = served.compactMap { kid -> String? in
            guard let parameters = self.keys[kid]?.parameters else { return nil }
            return """
                {"kty":"EC","crv":"P-256",\(members ?? #""alg":"ES256","use":"sig","kid":"\#(kid)""#),
                "x":"\(parameters.x)","y":"\(parameters.y)"}
                """
        }
        return Self.json("{\"keys\":[\((others + own).joined(separator: ","))]}")
    }

    private func userInfo(_ request: Request) -> Response {
        let (answer, isFailing) = state.withLock { ($0.userInfo ?? "", $0.isFailing) }
        guard !isFailing else { return Self.json("{}", .internalServerError) }
        guard !answer.isEmpty, request.headers[.authorization] == "Bearer a" else {
            return Self.json("{}", .unauthorized)
        }
        return Self.json(answer)
    }

    private func token(_ request: Request) async throws -> Response {
        let body = String(buffer: try await request.body.collect(upTo: 100_000))
        let (state, isRefused) = state.withLock { state in
            state.requests.append((request.headers, body))
            guard body.contains("grant_type=refresh_token") else { return (state, false) }
            guard let token = state.refreshToken, body.hasSuffix("refresh_token=\(token)") else { return (state, true) }
            // Used once, as strict providers have it.
            state.refreshToken = token + "1"
            return (state, false)
        }
        guard !state.isFailing else { return Self.json("{}", .internalServerError) }
        if isRefused { return Self.json("{\"error\":\"\(state.refreshError)\"}", .badRequest) }
        if state.tokenStatus.kind == .redirection {
            return Response(status: state.tokenStatus, headers: [.location: "/elsewhere"])
        }
        if let tokenBody = state.tokenBody { return Self.json(tokenBody, state.tokenStatus) }
        var token = state.token
        if token == nil {
            token = try await collection.sign(
                Claims(state.claims(state.issuer ?? "")), kid: JWKIdentifier(string: state.kid))
        }
        let refresh = state.refreshToken.map { ",\"refresh_token\":\"\($0)\"" } ?? ""
        let isRefresh = body.contains("grant_type=refresh_token")
        let idToken = isRefresh && !state.refreshesIDToken ? "" : ",\"id_token\":\"\(token ?? "")\""
        return Self.json("{\"token_type\":\"Bearer\",\"access_token\":\"a\"\(idToken)\(refresh)}")
    }

    private static func json(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension OpenIDError {
    package var isUntrusted: Bool { if case .untrusted = self { true } else { false } }
    package var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
}
