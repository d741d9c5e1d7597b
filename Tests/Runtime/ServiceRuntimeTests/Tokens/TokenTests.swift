import Foundation
import JWTKit
import ProcessSettings
import Synchronization
import Testing

@testable import ServiceRuntime

@Suite("Tokens")
struct TokenTests {
    @Test("A token carries who its bearer is and what it is scoped to", arguments: Role.allCases)
    func good(role: Role) async throws {
        let tokens = try await TestTokens()
        var identity = Identity(
            subject: "c-1", role: role, store: "s-1", delivery: "d-1", tokenID: "t-1", issuedAt: wallNow,
            expiresAt: wallNow.addingTimeInterval(60))
        let token = try await tokens.signer.sign(identity, at: wallNow)
        identity.keyID = tokens.keys.kids[0]
        #expect(try await tokens.keys.verify(token, at: wallNow) == identity)
    }

    @Test(
        "An operator's token names them, unless the name could pass for another's; no other role has a name",
        arguments: [
            (Role.operator, "Ada Lovelace", "Ada Lovelace (u1)"), (.operator, "\u{430}da", "u1"),
            (.operator, "Ada\u{202E}", "u1"), (.store, "Ada Lovelace", "u1"),
        ])
    func name(role: Role, claim: String, recorded: String) async throws {
        let pair = TokenKeyPair.generate(kid: "any")
        let keys = try await TokenKeys([pair.entry(roles: Role.allCases)])
        let collection = await JWTKeyCollection().add(
            ecdsa: try ES256PrivateKey(pem: pair.privateKeyPEM), kid: "any")
        let claims = TokenClaims(
            sub: "u1", role: role, exp: wallNow.timeIntervalSince1970 + 60, name: claim)
        let identity = try await keys.verify(try await collection.sign(claims, kid: "any"), at: wallNow)
        #expect(identity.subject == "u1" && identity.recordedName == recorded)
    }

    @Test("A token is good until its expiry and not at it")
    func expired() async throws {
        let tokens = try await TestTokens()
        let token = try await tokens.token(.customer, lifetime: 60)
        _ = try await tokens.keys.verify(token, at: wallNow.addingTimeInterval(59))
        await #expect(throws: TokenError.expired) {
            try await tokens.keys.verify(token, at: wallNow.addingTimeInterval(60))
        }
    }

    @Test("The times of a token may have fractions of a second")
    func fractions() async throws {
        let tokens = try await TestTokens()
        let token = try tokens.sign(
            header: #"{"alg":"ES256","kid":"tests-1"}"#,
            claims: #"{"sub":"mette","role":"customer","exp":1795285440.5,"iat":1795285439.25}"#)
        let identity = try await tokens.keys.verify(token, at: wallNow)
        #expect(identity.issuedAt == wallNow.addingTimeInterval(-0.75))
        #expect(identity.expiresAt == wallNow.addingTimeInterval(0.5))
        await #expect(throws: TokenError.expired) {
            try await tokens.keys.verify(token, at: wallNow.addingTimeInterval(0.5))
        }
    }

    @Test("A token may expire in the year 9999, and one whose time is out of every calendar is malformed")
    func farTimes() async throws {
        let tokens = try await TestTokens()
        func token(expiring exp: String) throws -> String {
            try tokens.sign(
                header: #"{"alg":"ES256","kid":"tests-1"}"#, claims: #"{"sub":"mette","role":"customer","exp":\#(exp)}"#
            )
        }
        let far = try await tokens.keys.verify(try token(expiring: "253402300799"), at: wallNow)
        #expect(far.expiresAt == Date(timeIntervalSince1970: 253_402_300_799))
        let never = try token(expiring: "1e21")
        await #expect(throws: TokenError.malformed) { try await tokens.keys.verify(never, at: wallNow) }
    }

    @Test("A token signed with another key of the same id is refused")
    func wrongKey() async throws {
        let tokens = try await TestTokens()
        let token = try await TestTokens().token(.customer)
        await #expect(throws: TokenError.wrongSignature) { try await tokens.keys.verify(token, at: wallNow) }
    }

    @Test("A token whose key is not known is refused")
    func unknownKey() async throws {
        let tokens = try await TestTokens()
        let pair = TokenKeyPair.generate(kid: "elsewhere")
        let signer = try await TokenSigner(kid: pair.kid, privateKeyPEM: pair.privateKeyPEM)
        let token = try await signer.sign(
            Identity(subject: "c", role: .customer, expiresAt: .distantFuture), at: wallNow)
        await #expect(throws: TokenError.unknownKey) { try await tokens.keys.verify(token, at: wallNow) }
    }

    @Test("What a key signed ends with the key, or with its right to sign for the role")
    func removedKey() async throws {
        let pair = TokenKeyPair.generate(kid: "old")
        let signer = try await TokenSigner(kid: pair.kid, privateKeyPEM: pair.privateKeyPEM)
        let entries = Mutex([
            pair.entry(roles: [.customer, .operator]), TokenKeyPair.generate(kid: "new").entry(roles: [.customer]),
        ])
        let verifier = TokenVerifier(try await TokenKeys(entries.withLock(\.self))) {
            try await TokenKeys(entries.withLock(\.self))
        }
        let token = try await signer.sign(
            Identity(subject: "c", role: .customer, expiresAt: .distantFuture), at: wallNow)
        let identity = try await verifier.identity(of: token, at: wallNow)
        entries.withLock { $0[0] = pair.entry(roles: [.customer]) }
        try await verifier.reload()
        #expect(!verifier.isRevoked(identity))
        entries.withLock { $0[0] = pair.entry(roles: [.operator]) }
        try await verifier.reload()
        #expect(verifier.isRevoked(identity))
        entries.withLock { _ = $0.removeFirst() }
        try await verifier.reload()
        #expect(verifier.isRevoked(identity))
    }

    @Test("A key cannot sign for a role it was not given", arguments: [Role.operator, .courier, .store])
    func roleNotAllowed(role: Role) async throws {
        let tokens = try await TestTokens(roles: [.customer])
        let token = try await tokens.token(role)
        await #expect(throws: TokenError.roleNotAllowed) { try await tokens.keys.verify(token, at: wallNow) }
        _ = try await tokens.keys.verify(try await tokens.token(.customer), at: wallNow)
    }

    @Test("The token does not choose the algorithm", arguments: ["none", "None", "HS256", "RS256"])
    func algorithm(name: String) async throws {
        let tokens = try await TestTokens()
        let good = try await tokens.token(.operator).split(separator: ".")
        let header = base64URL(#"{"alg":"\#(name)","typ":"JWT","kid":"tests-1"}"#)
        for signature in ["", String(good[2])] {
            await #expect(throws: TokenError.algorithmNotAllowed) {
                try await tokens.keys.verify("\(header).\(good[1]).\(signature)", at: wallNow)
            }
        }
    }

    /// Claims beside the required ones, and what they are refused with.
    private static let registeredClaims: [(String, TokenError?)] = [
        (#""nbf":1795285440"#, nil), (#""nbf":1795285470"#, nil), (#""nbf":1795285471"#, .notYetValid),
        (#""nbf":"soon""#, .malformed), (#""aud":"doorstep""#, nil), (#""aud":["shop","doorstep"]"#, nil),
        (#""aud":"shop""#, .wrongAudience), (#""aud":[]"#, .wrongAudience), (#""aud":7"#, .malformed),
    ]

    @Test("A token is refused before its nbf and where its aud names others alone", arguments: registeredClaims)
    func registeredClaim(claim: String, refusal: TokenError?) async throws {
        let tokens = try await TestTokens()
        let token = try tokens.sign(
            header: #"{"alg":"ES256","kid":"tests-1"}"#,
            claims: #"{"sub":"mette","role":"customer","exp":1795289040,\#(claim)}"#)
        if let refusal {
            await #expect(throws: refusal) { try await tokens.keys.verify(token, at: wallNow) }
        } else {
            #expect(try await tokens.keys.verify(token, at: wallNow).subject == "mette")
        }
    }

    @Test("A token with crit is refused, whatever it names", arguments: [#"["exp"]"#, #"["b64"]"#, "[]", "null"])
    func criticalExtensions(names: String) async throws {
        let tokens = try await TestTokens()
        let token = try tokens.sign(
            header: #"{"alg":"ES256","kid":"tests-1","crit":\#(names)}"#,
            claims: #"{"sub":"mette","role":"customer","exp":1795289040}"#)
        await #expect(throws: TokenError.extensionNotUnderstood) { try await tokens.keys.verify(token, at: wallNow) }
    }

    @Test("Changed claims do not pass with the old signature")
    func changedClaims() async throws {
        let tokens = try await TestTokens()
        let good = try await tokens.token(.customer).split(separator: ".")
        let claims = base64URL(#"{"sub":"someone","role":"operator","exp":99999999999}"#)
        await #expect(throws: TokenError.wrongSignature) {
            try await tokens.keys.verify("\(good[0]).\(claims).\(good[2])", at: wallNow)
        }
    }

    @Test("What is no token is malformed", arguments: ["", "a", "a.b", "a.b.c", "....", "é.é.é"])
    func malformed(text: String) async throws {
        let tokens = try await TestTokens()
        await #expect(throws: TokenError.malformed) { try await tokens.keys.verify(text, at: wallNow) }
    }

    @Test("A key file with a fault is refused in words that name the entry")
    func keyFile() async throws {
        let pair = TokenKeyPair.generate(kid: "k")
        let faults: [[TokenKeys.Entry]] = [
            [], [pair.entry(roles: [.store]), pair.entry(roles: [.store])],
            [TokenKeys.Entry(kid: "k", roles: [.store], publicKey: "nonsense")],
            [TokenKeys.Entry(kid: "k", roles: [.store], publicKey: pair.privateKeyPEM)],
        ]
        for entries in faults {
            let error = try await #require(throws: ConfigurationError.self) { try await TokenKeys(entries) }
            #expect(error.key == "auth.keys.file")
            #expect(entries.isEmpty || error.problem.contains("\"k\""))
        }
        let file = try temporaryFile(#"[{"kid": "k", "roles": ["king"], "publicKey": ""}]"#)
        defer { try? FileManager.default.removeItem(at: file) }
        let error = try await #require(throws: ConfigurationError.self) { try await TokenKeys(file: file.path) }
        #expect(error.problem.contains("[0].roles[0]"))
    }

    private func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    }
}
