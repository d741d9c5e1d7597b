package import AsyncHTTPClient
package import Foundation
internal import NIOCore
internal import NIOHTTP1

/// Signs people in at an identity provider: OpenID Connect's code flow with PKCE.
///
/// The client reads the provider's discovery document and keys at the first sign-in, and keeps them for an hour. A
/// token with an unknown signature makes the client read the keys again, at most once in five seconds.
package actor OpenIDClient {
    private static let bytesMax = 262_144
    private static let timeout = TimeAmount.seconds(10)
    /// Seconds for which the client trusts a cached key, even one that the provider has withdrawn.
    private static let lifetime: TimeInterval = 3_600
    /// The least seconds between two reads of the provider's keys.
    private static let keysInterval: TimeInterval = 5

    package nonisolated let configuration: OpenIDConfiguration
    private let client: HTTPClient
    private let wallNow: @Sendable () -> Date
    private var document: (value: ProviderDocument, readAt: Date)?
    private var keys: (value: KeySet, readAt: Date)?
    /// When the keys were asked for last, whether or not they came.
    private var keysAskedAt = Date.distantPast
    /// The read of the keys in flight, which every token with an unknown signature awaits.
    private var keysReading: Task<KeySet, any Error>?

    /// - Parameter client: must follow no redirects.
    package init(
        _ configuration: OpenIDConfiguration, client: HTTPClient, wallNow: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.configuration = configuration
        self.client = client
        self.wallNow = wallNow
    }

    /// The provider's authorization URL, to which a browser is redirected.
    ///
    /// - Throws: ``OpenIDError``.
    package func authorizationURL(_ request: SignInRequest) async throws -> String {
        let document = try await provider()
        let fields = [
            ("response_type", "code"), ("client_id", configuration.clientID),
            ("redirect_uri", configuration.redirectURI), ("scope", configuration.scopes.joined(separator: " ")),
            ("state", request.state), ("nonce", request.nonce), ("code_challenge", request.challenge),
            ("code_challenge_method", "S256"),
        ]
        let mark = document.authorizationEndpoint.contains("?") ? "&" : "?"
        return document.authorizationEndpoint + mark + Self.form(fields)
    }

    /// Exchanges the code of a returning browser for the person's proven identity.
    ///
    /// - Parameters:
    ///   - issuer: the browser's `iss` parameter (RFC 9207); nil where it sent none.
    /// - Throws: ``OpenIDError``.
    package func signIn(code: String, issuer: String?, of request: SignInRequest) async throws -> ProvenSignIn {
        if let issuer, issuer != configuration.issuer {
            throw OpenIDError.untrusted("the browser comes back from another issuer")
        }
        let document = try await provider()
        let answer = try await exchange(
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", configuration.redirectURI),
                ("code_verifier", request.verifier),
            ], document)
        guard let token = answer.idToken else {
            throw OpenIDError.unavailable("its token endpoint answers without a token")
        }
        let claims: IDTokenClaims
        do {
            claims = try await verified(token, document)
        } catch is UnknownKey {
            throw OpenIDError.untrusted("its token is not signed by one of its keys of some seconds ago")
        }
        try claims.check(configuration, nonce: request.nonce, now: wallNow())
        return ProvenSignIn(
            user: claims.person.user(of: claims.issuer, groupsIn: configuration.groupsClaim),
            grant: await grant(of: answer, for: claims.person.subject, document),
            expiresAt: Date(timeIntervalSince1970: claims.expiresAt))
    }

    // MARK: Asking again

    /// Confirms a person's identity through the UserInfo endpoint or a refreshed token.
    ///
    /// - Parameter subject: the person to whom the grant belongs.
    /// - Throws: ``OpenIDError``: `refused` where the grant is no longer valid, `untrusted` where the answer is about
    ///   another subject, `unavailable` where the provider does not answer.
    package func confirm(_ grant: ProviderGrant, of subject: String) async throws -> Confirmation {
        let document = try await provider()
        if let token = grant.accessToken, let person = try await userInfo(token, document) {
            return Confirmation(user: try user(person, is: subject), grant: grant)
        }
        guard let refreshToken = grant.refreshToken else {
            throw OpenIDError.refused(code: "invalid_token", description: "its access token is good no more")
        }
        let answer: TokenAnswer
        do {
            answer = try await exchange([("grant_type", "refresh_token"), ("refresh_token", refreshToken)], document)
        } catch OpenIDError.refused(let code, let description) where code != "invalid_grant" {
            // Only this one is about the grant (RFC 6749, section 5.2).
            throw OpenIDError.unavailable("\(code), \(description)")
        }
        let renewed = ProviderGrant(
            accessToken: grant.accessToken == nil ? nil : answer.accessToken,
            refreshToken: answer.refreshToken ?? refreshToken)
        let person = try await refreshed(answer, renewed, document)
        return Confirmation(user: try person.map { try user($0, is: subject) }, grant: renewed)
    }

    /// The claims of a refresh's subject; nil where the provider returns none, and where the token's key is not known
    /// yet.
    private func refreshed(
        _ answer: TokenAnswer, _ grant: ProviderGrant, _ document: ProviderDocument
    ) async throws -> PersonClaims? {
        do {
            if let token = grant.accessToken { return try await userInfo(token, document) }
            guard let token = answer.idToken else { return nil }
            let claims = try await verified(token, document)
            try claims.check(configuration, nonce: nil, now: wallNow())
            return claims.person
        } catch OpenIDError.unavailable {
            // The refresh token was used: the new one must not be lost.
            return nil
        } catch is UnknownKey {
            return nil
        }
    }

    private func user(_ person: PersonClaims, is subject: String) throws(OpenIDError) -> SignedInUser {
        // Core, section 5.3.2: an answer for another subject must not be used.
        guard person.subject == subject else { throw .untrusted("it answers for somebody else") }
        return person.user(of: configuration.issuer, groupsIn: configuration.groupsClaim)
    }

    /// The grant for later confirmations; nil where neither the UserInfo endpoint names groups nor the provider grants
    /// a refresh.
    private func grant(
        of answer: TokenAnswer, for subject: String, _ document: ProviderDocument
    ) async -> ProviderGrant? {
        var accessToken: String?
        // Sign-in succeeds without the UserInfo endpoint; the session is then confirmed by refresh, or expires.
        if let token = answer.accessToken, let person = try? await userInfo(token, document),
            person.subject == subject, person.lists[configuration.groupsClaim] != nil
        {
            accessToken = token
        }
        guard accessToken != nil || answer.refreshToken != nil else { return nil }
        return ProviderGrant(accessToken: accessToken, refreshToken: answer.refreshToken)
    }

    /// The UserInfo endpoint's claims (Core, section 5.3); nil without an endpoint, or where it rejects the token.
    private func userInfo(_ token: String, _ document: ProviderDocument) async throws -> PersonClaims? {
        guard let endpoint = document.userInfoEndpoint else { return nil }
        var get = HTTPClientRequest(url: endpoint)
        get.headers.add(name: "Authorization", value: "Bearer \(token)")
        get.headers.add(name: "Accept", value: "application/json")
        let (status, body) = try await send(get, "its UserInfo endpoint")
        if status == 401 || status == 403 { return nil }
        // `unavailable` names the endpoint and its status; a body may contain personal data.
        guard status == 200, let person = try? JSONDecoder().decode(PersonClaims.self, from: body) else {
            throw OpenIDError.unavailable("its UserInfo endpoint answers \(status), and nothing that can be read")
        }
        return person
    }

    // MARK: Tokens

    /// The token endpoint's answer to a grant.
    ///
    /// - Throws: ``OpenIDError``.
    private func exchange(_ grant: [(String, String)], _ document: ProviderDocument) async throws -> TokenAnswer {
        var fields = grant
        var post = HTTPClientRequest(url: document.tokenEndpoint)
        post.method = .POST
        if document.acceptsSecretInBody {
            fields += [("client_id", configuration.clientID), ("client_secret", configuration.clientSecret)]
        } else {
            // Both parts as a form has them (RFC 6749, section 2.3.1).
            let pair = Self.encoded(configuration.clientID) + ":" + Self.encoded(configuration.clientSecret)
            post.headers.add(name: "Authorization", value: "Basic " + Data(pair.utf8).base64EncodedString())
        }
        post.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        post.headers.add(name: "Accept", value: "application/json")
        post.body = .bytes(ByteBuffer(string: Self.form(fields)))
        let (status, body) = try await send(post, "its token endpoint")
        // `unavailable` names the endpoint and its status; a body may contain tokens.
        guard let answer = try? JSONDecoder().decode(TokenAnswer.self, from: body) else {
            throw OpenIDError.unavailable("its token endpoint answers \(status), and nothing that can be read")
        }
        if let error = answer.error {
            throw OpenIDError.refused(
                code: Self.printable(error), description: Self.printable(answer.errorDescription ?? ""))
        }
        guard status == 200 else { throw OpenIDError.unavailable("its token endpoint answers \(status)") }
        return answer
    }

    // MARK: Trust

    /// No key that was read some seconds ago has signed a token, and the keys may not be read again yet.
    private struct UnknownKey: Error {}

    /// - Throws: `UnknownKey` too.
    private func verified(_ token: String, _ document: ProviderDocument) async throws -> IDTokenClaims {
        if let keys, isRecent(keys.readAt, within: Self.lifetime),
            let claims = await keys.value.claims(of: token)
        {
            return claims
        }
        if let keysReading {
            // A read before the token came may lack the token's key.
            guard let claims = try await keysReading.value.claims(of: token) else { throw UnknownKey() }
            return claims
        }
        let isKeptTooLong = keys.map { !isRecent($0.readAt, within: Self.lifetime) } ?? true
        guard isKeptTooLong || !isRecent(keysAskedAt, within: Self.keysInterval) else { throw UnknownKey() }
        // The provider may have a new key since.
        guard let claims = try await readKeys(document).claims(of: token) else {
            throw OpenIDError.untrusted("its token is not signed by one of its keys")
        }
        return claims
    }

    /// Whether less than some seconds have passed since a time; a time in the future is from before the clock was set
    /// back.
    private func isRecent(_ time: Date, within seconds: TimeInterval) -> Bool {
        (0..<seconds).contains(wallNow().timeIntervalSince(time))
    }

    private func readKeys(_ document: ProviderDocument) async throws -> KeySet {
        let reading = Task { try await requestKeys(document) }
        keysReading = reading
        defer { keysReading = nil }
        return try await reading.value
    }

    private func requestKeys(_ document: ProviderDocument) async throws -> KeySet {
        keysAskedAt = wallNow()
        let (status, body) = try await send(HTTPClientRequest(url: document.keysEndpoint), "its keys")
        // `unavailable` names the document and its status, which an operator can request too.
        guard status == 200, let set = try? KeySet(json: body) else {
            throw OpenIDError.unavailable("its keys cannot be read: it answers \(status)")
        }
        guard !set.isEmpty else { throw OpenIDError.unavailable("none of its keys can be used") }
        keys = (set, keysAskedAt)
        return set
    }

    private func provider() async throws -> ProviderDocument {
        if let document, isRecent(document.readAt, within: Self.lifetime) { return document.value }
        let now = wallNow()
        let base = configuration.issuer.hasSuffix("/") ? String(configuration.issuer.dropLast()) : configuration.issuer
        let (status, body) = try await send(
            HTTPClientRequest(url: base + "/.well-known/openid-configuration"), "its configuration")
        // `unavailable` names the document and its status, which an operator can request too.
        guard status == 200, let value = try? JSONDecoder().decode(ProviderDocument.self, from: body) else {
            throw OpenIDError.unavailable("its configuration cannot be read: it answers \(status)")
        }
        guard value.issuer == configuration.issuer else {
            throw OpenIDError.untrusted("it calls itself \(Self.printable(value.issuer))")
        }
        for endpoint in [
            value.authorizationEndpoint, value.tokenEndpoint, value.keysEndpoint, value.userInfoEndpoint,
        ].compactMap(\.self) {
            guard Self.isProtected(endpoint) else {
                throw OpenIDError.untrusted("it names an address without TLS, \(Self.printable(endpoint))")
            }
        }
        document = (value, now)
        return value
    }

    /// Whether an address has TLS, or is this machine's own.
    package static func isProtected(_ address: String) -> Bool {
        guard let parts = URLComponents(string: address), let host = parts.host else { return false }
        return parts.scheme == "https"
            || (parts.scheme == "http" && ["127.0.0.1", "localhost", "[::1]", "::1"].contains(host))
    }

    // MARK: Requests

    private func send(_ request: HTTPClientRequest, _ what: String) async throws -> (UInt, Data) {
        do {
            let response = try await client.execute(request, timeout: Self.timeout)
            let body = try await response.body.collect(upTo: Self.bytesMax)
            return (response.status.code, Data(body.readableBytesView))
        } catch let error as CancellationError {
            throw error
        } catch {
            throw OpenIDError.unavailable("\(what) did not come in time, or not in the size that it has")
        }
    }

    private static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0.0)=\(encoded($0.1))" }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// The provider's text without control characters, at most 200 characters long.
    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.properties.generalCategory != .control }.map(Character.init).prefix(200))
    }
}
