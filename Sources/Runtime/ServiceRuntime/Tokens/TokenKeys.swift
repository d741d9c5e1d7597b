internal import DoorstepAPI
package import Foundation
internal import JWTKit
internal import ProcessSettings
internal import TextCoding

/// The public keys that tokens are checked against, each with the roles it may sign for, and the revoked tokens.
package struct TokenKeys: Sendable {
    /// One key of the JSON file.
    package struct Entry: Codable, Hashable, Sendable {
        package let kid: String
        package let roles: [Role]
        /// PEM of a P-256 public key.
        package let publicKey: String
        /// Since when another key signs in its place, wall time; nil while it signs, and before.
        package var retiredAt: Date?

        package init(kid: String, roles: [Role], publicKey: String) {
            self.kid = kid
            self.roles = roles
            self.publicKey = publicKey
        }
    }

    private struct Key: Sendable {
        let roles: Set<Role>
        /// Holds this key alone, so that no other can be picked.
        let collection: JWTKeyCollection
    }

    private struct Header: Decodable {
        let alg: String
        let kid: String?
        /// Whether there is `crit` in any form, RFC 7515 section 4.1.11.
        let hasCriticalExtensions: Bool

        private enum CodingKeys: String, CodingKey { case alg, kid, crit }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            alg = try container.decode(String.self, forKey: .alg)
            kid = try container.decodeIfPresent(String.self, forKey: .kid)
            hasCriticalExtensions = container.contains(.crit)
        }
    }

    /// Seconds that `nbf` may be ahead of our clock: clocks of different machines differ by less.
    static let notBeforeLeewaySeconds = 30.0

    /// The file from which the keys were read.
    let file: TokenKeyFile
    private let keys: [String: Key]
    private let revoked: RevokedTokens

    /// The ids of the keys, sorted.
    package var kids: [String] { keys.keys.sorted() }

    /// - Throws: ``ConfigurationError`` with the key `auth.keys.file` that names the entry with a fault.
    package init(_ entries: [Entry], revoked: [TokenRevocation] = []) async throws {
        file = TokenKeyFile(keys: entries, revoked: revoked)
        self.revoked = RevokedTokens(revoked)
        var keys: [String: Key] = [:]
        for entry in entries {
            guard keys[entry.kid] == nil else { throw Self.fault("lists the key \"\(entry.kid)\" twice") }
            guard !entry.publicKey.contains("PRIVATE KEY") else {
                throw Self.fault("holds a private key for \"\(entry.kid)\"; services need the public one only")
            }
            // The fault names the key; the parser's error would name only a place in the PEM.
            guard let publicKey = try? ES256PublicKey(pem: entry.publicKey) else {
                throw Self.fault("has no P-256 public key in PEM for \"\(entry.kid)\"")
            }
            let collection = await JWTKeyCollection().add(ecdsa: publicKey, kid: JWKIdentifier(string: entry.kid))
            keys[entry.kid] = Key(roles: Set(entry.roles), collection: collection)
        }
        guard !keys.isEmpty else { throw Self.fault("lists no key") }
        self.keys = keys
    }

    /// Reads a JSON file, `[{"kid": …, "roles": ["operator", …], "publicKey": "-----BEGIN PUBLIC KEY-----…"}]`, or
    /// `{"keys": [as above], "revoked": [{"tokenID": …}, {"role": …, "subject": …, "issuedBefore": …}]}`.
    ///
    /// - Throws: ``ConfigurationError`` when the file cannot be read, or an entry has a fault.
    package init(file path: String) async throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Self.fault("names \(path), which cannot be read")
        }
        let file: TokenKeyFile
        do {
            file = try TokenKeyFile(json: data, at: path)
        } catch let error as DecodingError {
            throw Self.fault("names \(path), in which \(fieldError(of: error, decoding: TokenKeyFile.self, at: []))")
        }
        try await self.init(file.keys, revoked: file.revoked)
    }

    /// The identity of a token's bearer.
    ///
    /// - Parameter now: wall time.
    /// - Throws: ``TokenError``.
    package func verify(_ token: String, at now: Date) async throws -> Identity {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        // `malformed` stands for every text that is no token; its sender reads no reason.
        guard parts.count == 3, let bytes = Base64URL.decode(parts[0]),
            let header = try? JSONDecoder().decode(Header.self, from: Data(bytes))
        else { throw TokenError.malformed }
        // The key decides the algorithm, not the token (RFC 8725 section 3.1).
        guard header.alg == "ES256" else { throw TokenError.algorithmNotAllowed }
        guard !header.hasCriticalExtensions else { throw TokenError.extensionNotUnderstood }
        guard let kid = header.kid, let key = keys[kid] else { throw TokenError.unknownKey }

        let claims: TokenClaims
        do {
            claims = try await key.collection.verify(token, as: TokenClaims.self)
        } catch is DecodingError {
            throw TokenError.malformed
        } catch let error as JWTError where error.errorType == .malformedToken {
            throw TokenError.malformed
        } catch {
            throw TokenError.wrongSignature
        }
        guard key.roles.contains(claims.role) else { throw TokenError.roleNotAllowed }
        guard !claims.sub.isEmpty, claims.hasTimes else { throw TokenError.malformed }
        let expiresAt = Date(timeIntervalSince1970: claims.exp)
        guard expiresAt > now else { throw TokenError.expired }
        if let notBefore = claims.nbf, notBefore > now.timeIntervalSince1970 + Self.notBeforeLeewaySeconds {
            throw TokenError.notYetValid
        }
        if let audience = claims.aud, !audience.names.contains(TokenClaims.ourAudience) {
            throw TokenError.wrongAudience
        }
        var identity = Identity(
            subject: claims.sub, role: claims.role, store: claims.store, delivery: claims.delivery,
            scope: claims.scope,
            displayName: claims.role == .operator ? claims.name.flatMap(DisplayName.init) : nil, tokenID: claims.jti,
            issuedAt: claims.iat.map(Date.init(timeIntervalSince1970:)),
            expiresAt: expiresAt)
        identity.keyID = kid
        guard !isRevoked(identity) else { throw TokenError.revoked }
        return identity
    }

    /// Whether an unexpired token's identity is refused: the token is revoked, or its key may no longer sign for its
    /// role.
    func isRevoked(_ identity: Identity) -> Bool {
        if let keyID = identity.keyID, keys[keyID]?.roles.contains(identity.role) != true { return true }
        return revoked.contains(identity)
    }

    private static func fault(_ problem: String) -> ConfigurationError {
        ConfigurationError(
            key: "auth.keys.file", problem: problem,
            fix: "make keys with `doorstep admin keys --directory …`, and set \(waysToSet("auth.keys.file"))")
    }
}

extension TokenKeys {
    /// The part of a key's id that its rotations keep: `desk` of `desk` and `desk-2`.
    package static func series(of kid: String) -> String {
        kid.wholeMatch(of: /(.+)-\d{1,6}/).map { String($0.output.1) } ?? kid
    }
}
