import Crypto
import Foundation
import JWTKit
import TestSupport
import Testing
import TextCoding

@testable import WebPushClient

/// What a push service makes of the value of `Authorization`.
struct ReadAuthorization {
    struct Claims: JWTPayload {
        let aud: String
        let exp: Int
        let sub: String

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    let token: String
    let key: String
    let claims: Claims

    /// - Throws: where the key in it has not signed the token in it.
    init(_ value: String) async throws {
        let match = try #require(value.wholeMatch(of: /vapid t=([A-Za-z0-9._-]+), k=([A-Za-z0-9_-]+)/))
        (token, key) = (String(match.1), String(match.2))
        let point = try P256.Signing.PublicKey(x963Representation: try #require(Base64URL.decode(key)))
        let keys = await JWTKeyCollection().add(ecdsa: try ES256PublicKey(pem: point.pemRepresentation))
        claims = try await keys.verify(token, as: Claims.self)
    }
}

@Suite("VAPID")
struct VAPIDTests {
    private static let pem = P256.Signing.PrivateKey().pemRepresentation
    private let start = Date(timeIntervalSince1970: 1_795_000_000)

    private func key(_ pem: String = pem, contact: String = "mailto:push@shop.example") throws -> VAPIDKey {
        try VAPIDKey(pem: pem, source: "vapid.pem", contact: contact)
    }

    // MARK: What is signed

    @Test("A token is ES256 with audience, expiry and contact, and another library verifies it by the key beside it")
    func signature() async throws {
        let value = try key().authorization(audience: "https://push.example", expiry: 1_795_043_200)
        let read = try await ReadAuthorization(value)
        #expect(read.claims.aud == "https://push.example")
        #expect(read.claims.exp == 1_795_043_200)
        #expect(read.claims.sub == "mailto:push@shop.example")
        let parts = read.token.split(separator: ".")
        // r and s of 32 bytes each are 86 characters; DER would be more.
        #expect(parts.count == 3 && parts[2].count == 86)
        let header = try #require(Base64URL.decode(String(parts[0])))
        let fields = try JSONDecoder().decode([String: String].self, from: Data(header))
        #expect(fields == ["typ": "JWT", "alg": "ES256"])
    }

    @Test("The key for a page is the public one, 65 bytes in base64url")
    func applicationServerKey() throws {
        let signing = P256.Signing.PrivateKey()
        let key = try key(signing.pemRepresentation)
        #expect(Base64URL.decode(key.applicationServerKey) == Array(signing.publicKey.x963Representation))
        #expect(key.applicationServerKey.count == 87)
    }

    @Test("A key as openssl ecparam writes it is taken")
    func sec1() throws {
        let signing = P256.Signing.PrivateKey()
        let der: [UInt8] =
            [0x30, 0x77, 2, 1, 1, 4, 32] + signing.rawRepresentation
            + [0xa0, 10, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7, 0xa1, 0x44, 3, 0x42, 0]
            + signing.publicKey.x963Representation
        let pem = """
            -----BEGIN EC PRIVATE KEY-----
            \(Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]))
            -----END EC PRIVATE KEY-----
            """
        #expect(try key(pem).applicationServerKey == Base64URL.encode(signing.publicKey.x963Representation))
    }

    @Test(
        "A key that cannot be used names its setting and its source, and what it is instead",
        arguments: [
            ("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----", "certificate"), ("", "not a PEM file"),
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----", "encrypted"),
            ("-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----", "public key"),
            (P384.Signing.PrivateKey().pemRepresentation, "P-256"),
        ])
    func badKeys(pem: String, fault: String) {
        #expect {
            try key(pem)
        } throws: { error in
            let text = "\(error)"
            return text.contains("web.push.key.file") && text.contains("vapid.pem") && text.contains(fault)
        }
    }

    @Test("A contact is an address or a URL", arguments: ["mailto:a@b.example", "https://shop.example/push"])
    func contacts(contact: String) async throws {
        let value = try key(contact: contact).authorization(audience: "https://push.example", expiry: 1)
        #expect(try await ReadAuthorization(value).claims.sub == contact)
    }

    @Test(
        "Anything else is none, above all what would end the claim",
        arguments: [
            "", "a@b.example", "mailto:", "mailto:a", "mailto:a@", "mailto:@b", "https://", "http://shop.example",
            #"mailto:a@b","aud":"c"#, #"mailto:a\@b"#, "mailto:a@b c", "mailto:a@b\n", "mailto:å@b.example",
            "https://\(String(repeating: "a", count: 300))",
        ])
    func badContacts(contact: String) {
        #expect { try key(contact: contact) } throws: { "\($0)".contains("web.push.contact") }
    }

    @Test("A description of the key has no secret")
    func description() throws {
        let key = try key()
        #expect("\(key)" == "VAPID key \(key.applicationServerKey) of mailto:push@shop.example")
        #expect(String(reflecting: key) == "\(key)")
    }

    // MARK: When one is signed

    @Test("A token is good for 12 hours, used for 11, and then replaced")
    func renewal() async throws {
        let time = WallTime(start)
        let tokens = VAPIDTokens(try key(), now: { time.now })
        let first = try tokens.authorization(for: "https://push.example")
        #expect(try await ReadAuthorization(first).claims.exp == 1_795_000_000 + 12 * 3_600)
        time.advance(minutes: 11 * 60 - 1)
        #expect(try tokens.authorization(for: "https://push.example") == first)
        time.advance(minutes: 1)
        let second = try tokens.authorization(for: "https://push.example")
        #expect(try await ReadAuthorization(second).claims.exp == 1_795_000_000 + 23 * 3_600)
        #expect(try tokens.authorization(for: "https://push.example") == second)
    }

    @Test("When the clock is set back, a token from the future is replaced: it may be good for over 24 hours")
    func clockSetBack() async throws {
        let time = WallTime(start)
        let tokens = VAPIDTokens(try key(), now: { time.now })
        let first = try tokens.authorization(for: "https://push.example")
        time.advance(minutes: -20 * 60)
        let second = try tokens.authorization(for: "https://push.example")
        #expect(second != first)
        #expect(try await ReadAuthorization(second).claims.exp == 1_795_000_000 - 8 * 3_600)
    }

    @Test("Each push service has its own token")
    func origins() async throws {
        let tokens = VAPIDTokens(try key(), now: { start })
        let first = try await ReadAuthorization(tokens.authorization(for: "https://push.example"))
        let second = try await ReadAuthorization(tokens.authorization(for: "https://push.example:8443"))
        #expect(first.claims.aud == "https://push.example")
        #expect(second.claims.aud == "https://push.example:8443")
        #expect(first.key == second.key)
    }

    @Test("32 tokens are kept; the one that was used longest ago makes room")
    func bound() {
        var cache = VAPIDTokenCache()
        for number in 0..<32 { cache.keep("token \(number)", for: "https://\(number).example", issuedAt: start) }
        #expect(cache.count == 32)
        #expect(cache.authorization(for: "https://0.example", at: start) == "token 0")
        cache.keep("one more", for: "https://more.example", issuedAt: start)
        #expect(cache.count == 32)
        #expect(cache.authorization(for: "https://1.example", at: start) == nil)
        #expect(cache.authorization(for: "https://0.example", at: start) == "token 0")
        #expect(cache.authorization(for: "https://more.example", at: start) == "one more")
        // One that is replaced takes no other's place.
        cache.keep("renewed", for: "https://0.example", issuedAt: start)
        #expect(cache.count == 32)
        for number in 2..<32 {
            #expect(cache.authorization(for: "https://\(number).example", at: start) == "token \(number)")
        }
    }

    @Test("However many services and however much time, no more than 32 are kept and none is over 12 hours")
    func manyOrigins() async throws {
        let time = WallTime(start)
        let tokens = VAPIDTokens(try key(), now: { time.now })
        for number in 0..<200 {
            time.advance(minutes: 17)
            let value = try tokens.authorization(for: "https://\(number % 40).example")
            let left = try await ReadAuthorization(value).claims.exp - Int(time.now.timeIntervalSince1970)
            #expect((3_600...12 * 3_600).contains(left))
        }
    }
}
