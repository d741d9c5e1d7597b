import Crypto
import Foundation
import LiveActivity

/// A key that providers sign their tokens with, as a developer account has it.
struct SigningKey: Sendable {
    /// Ten characters.
    let keyID: String
    let teamID: String
    let publicKey: P256.Signing.PublicKey
    /// The environments of the key's tokens; a key may be of one environment only.
    var environments: Set<APNsEnvironment> = Set(APNsEnvironment.allCases)
    /// The full topics of a topic-specific key; nil for all of the team's.
    var topics: Set<String>?
}

/// The claims of a provider's token with a valid signature.
struct ProviderToken: Hashable, Sendable {
    let keyID: String
    let teamID: String
    /// `iat`, epoch seconds.
    let issuedAt: Int

    /// Seconds of a token's validity from `iat`, and the most seconds by which `iat` may be ahead.
    static let lifetimeSeconds = 3600

    /// Reads `header.claims.signature`, the ES256 signature raw or in DER: Apple's service accepts both.
    ///
    /// - Throws: ``RefusalReason/invalidProviderToken`` for anything that is no token of one of the keys.
    init(_ text: Substring, keys: [String: SigningKey]) throws(Refusal) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.decode(Header.self, parts[0]),
            let claims = Self.decode(Claims.self, parts[1]), let signature = Data(base64URL: parts[2]),
            header.alg == "ES256", let key = keys[header.kid], claims.iss == key.teamID,
            let parsed = Self.signature(signature),
            key.publicKey.isValidSignature(parsed, for: Data(text[..<parts[1].endIndex].utf8))
        else { throw Refusal(.invalidProviderToken) }
        keyID = header.kid
        teamID = claims.iss
        issuedAt = claims.iat
    }

    private struct Header: Decodable {
        let alg: String
        let kid: String
    }

    private struct Claims: Decodable {
        let iss: String
        let iat: Int

        /// Decodes the time in the forms of existing clients: a number, with a fraction too, or text.
        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            iss = try values.decode(String.self, forKey: .iss)
            // A time that is no number is decoded as text below, and that error is thrown.
            let number = try? values.decode(Double.self, forKey: .iat)
            let seconds = try number ?? Double(values.decode(String.self, forKey: .iat))
            guard let seconds, let whole = Int(exactly: seconds.rounded(.down)) else {
                throw DecodingError.dataCorruptedError(forKey: .iat, in: values, debugDescription: "no time")
            }
            iat = whole
        }

        private enum CodingKeys: CodingKey { case iss, iat }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ part: Substring) -> Value? {
        // The caller refuses an unreadable part as `InvalidProviderToken`, as APNs does without a reason.
        Data(base64URL: part).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }

    private static func signature(_ bytes: Data) -> P256.Signing.ECDSASignature? {
        // Bytes in neither form are no signature, which the caller refuses.
        if bytes.count == 64, let raw = try? P256.Signing.ECDSASignature(rawRepresentation: bytes) { return raw }
        return try? P256.Signing.ECDSASignature(derRepresentation: bytes)
    }
}

/// A refused request.
struct Refusal: Error, Hashable, Sendable {
    let reason: RefusalReason
    /// Since when a token is gone, epoch seconds; with 410 only.
    var since: Int?

    init(_ reason: RefusalReason, since: Int? = nil) {
        self.reason = reason
        self.since = since
    }
}

extension Data {
    /// Reads base64url, with or without padding (RFC 4648, section 5).
    init?(base64URL text: Substring) {
        var base64 = text.replacing("-", with: "+").replacing("_", with: "/").description
        while base64.count % 4 != 0 { base64 += "=" }
        self.init(base64Encoded: base64)
    }
}
