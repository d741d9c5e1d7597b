internal import Foundation
internal import JWTKit
internal import TextCoding

/// The public keys that a provider signs with, each decoded by itself.
///
/// A key of an unknown type, curve or use, or without a part that it needs, is ignored (RFC 7517, section 5).
struct KeySet: Sendable {
    private let keys: [Key]

    /// - Throws: where the document is no key set; a single key never makes it unreadable.
    init(json: Data) throws {
        keys = try JSONDecoder().decode(Document.self, from: json).keys.compactMap(\.key)
    }

    var isEmpty: Bool { keys.isEmpty }

    /// The claims of a token that one of the keys has signed; nil where none has.
    ///
    /// `kid` chooses among several keys (OpenID Connect Core 1.0, section 10.1). A set may repeat a `kid`, and either side
    /// may leave it out, so each key that `kid` and `alg` allow is tried.
    func claims(of token: String) async -> IDTokenClaims? {
        // A header that does not decode belongs to no token of the provider, as a forged signature does.
        guard let encoded = token.split(separator: ".", omittingEmptySubsequences: false).first,
            let json = Base64URL.decode(optionallyPadded: encoded),
            let header = try? JSONDecoder().decode(Header.self, from: Data(json)), header.critical == nil,
            let algorithm = JWK.Algorithm(rawValue: header.algorithm)
        else { return nil }
        for key in keys where key.fits(header) {
            let one = JWTKeyCollection()
            // A key that did not sign the token is skipped; the caller refuses a token that no key verifies.
            guard (try? await one.add(jwk: key.jwk(for: algorithm))) != nil,
                let claims = try? await one.verify(token, as: IDTokenClaims.self)
            else { continue }
            return claims
        }
        return nil
    }

    // MARK: Documents

    private struct Document: Decodable {
        let keys: [Member]

        struct Member: Decodable {
            let key: Key?

            init(from decoder: any Decoder) {
                // A key of another kind or use verifies no token here, and the other keys still do.
                key = try? Key(from: decoder)
            }
        }
    }

    /// The fields of a token's header that choose the key (RFC 7515, section 4.1).
    struct Header: Decodable {
        let algorithm: String
        let keyID: String?
        /// Extensions that a reader must know; none is known.
        let critical: [String]?

        private enum CodingKeys: String, CodingKey {
            case algorithm = "alg"
            case keyID = "kid"
            case critical = "crit"
        }
    }

    /// A key that verifies signatures; with a symmetric key, anyone with the client secret could sign.
    struct Key: Decodable, Sendable {
        private enum Material {
            case rsa(modulus: String, exponent: String)
            case elliptic(ECDSACurve, x: String, y: String)
        }

        private let material: Material
        private let keyID: String?
        private let algorithm: String?

        private enum CodingKeys: String, CodingKey {
            case type = "kty"
            case keyID = "kid"
            case algorithm = "alg"
            case use
            case operations = "key_ops"
            case modulus = "n"
            case exponent = "e"
            case curve = "crv"
            case x
            case y
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let use = try container.decodeIfPresent(String.self, forKey: .use) ?? "sig"
            let operations = try container.decodeIfPresent([String].self, forKey: .operations) ?? ["verify"]
            guard use == "sig", operations.contains("verify") else {
                throw DecodingError.dataCorruptedError(
                    forKey: .use, in: container, debugDescription: "the key verifies no signatures")
            }
            let type = try container.decode(JWK.KeyType.self, forKey: .type)
            if type == .rsa {
                material = .rsa(
                    modulus: try container.decode(String.self, forKey: .modulus),
                    exponent: try container.decode(String.self, forKey: .exponent))
            } else if type == .ecdsa {
                material = .elliptic(
                    try container.decode(ECDSACurve.self, forKey: .curve),
                    x: try container.decode(String.self, forKey: .x), y: try container.decode(String.self, forKey: .y))
            } else {
                throw DecodingError.dataCorruptedError(
                    forKey: .type, in: container, debugDescription: "the key's type is not known")
            }
            keyID = try container.decodeIfPresent(String.self, forKey: .keyID)
            algorithm = try container.decodeIfPresent(String.self, forKey: .algorithm)
            guard !algorithms.isDisjoint(with: algorithm.map { [$0] } ?? Array(algorithms)) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .algorithm, in: container, debugDescription: "the key's algorithm signs nothing")
            }
        }

        /// The signature algorithms of the key's material.
        private var algorithms: Set<String> {
            switch material {
            case .rsa: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]
            case .elliptic(let curve, _, _):
                switch curve.rawValue {
                case ECDSACurve.p256.rawValue: ["ES256"]
                case ECDSACurve.p384.rawValue: ["ES384"]
                case ECDSACurve.p521.rawValue: ["ES512"]
                default: []
                }
            }
        }

        /// Whether the key may have signed a token with this header; a missing `kid` on either side excludes no key.
        func fits(_ header: Header) -> Bool {
            algorithms.contains(header.algorithm) && algorithm.map { $0 == header.algorithm } ?? true
                && (keyID == nil || header.keyID == nil || keyID == header.keyID)
        }

        func jwk(for algorithm: JWK.Algorithm) -> JWK {
            let identifier = JWKIdentifier(string: keyID ?? "")
            return switch material {
            case .rsa(let modulus, let exponent):
                .rsa(algorithm, identifier: identifier, modulus: modulus, exponent: exponent)
            case .elliptic(let curve, let x, let y):
                .ecdsa(algorithm, identifier: identifier, x: x, y: y, curve: curve)
            }
        }
    }
}
