import Foundation
import HTTPTypes
import OpenIDConnect
import OpenIDConnectTesting
import Synchronization
import Testing

@Suite("Signing in at an identity provider", .timeLimit(.minutes(10)))
struct OpenIDClientTests {
    private static let now = Date(timeIntervalSince1970: 1_795_280_400)

    @Test("The challenge is that of RFC 7636, appendix B")
    func challenge() {
        let request = SignInRequest(
            state: "s", nonce: "n", verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(request.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        let made = SignInRequest()
        #expect(Set([made.state, made.nonce, made.verifier]).count == 3 && made.verifier.utf8.count == 43)
    }

    @Test("Somebody who comes back with a code is who the provider says, in exchange for our secret and the verifier")
    func user() async throws {
        try await ProviderByTest.run { provider, client, request in
            let url = try await client.authorizationURL(request)
            for part in [
                "/authorize?tenant=1&response_type=code", "client_id=desk", "state=the-state", "nonce=the-nonce",
                "code_challenge=\(request.challenge)", "code_challenge_method=S256",
                "redirect_uri=https%3A%2F%2Fdesk.example.com%2Fsign-in%2Fcallback",
                "scope=openid%20profile%20email%20groups",
            ] { #expect(url.contains(part), "\(part) in \(url)") }
            let issuer = client.configuration.issuer
            let user = try await client.signIn(code: "c/1", issuer: issuer, of: request).user
            #expect(user == SignedInUser(issuer: issuer, subject: "u1", name: "ada", groups: ["dispatchers"]))
            let sent = try #require(provider.state.withLock { $0.requests.first })
            #expect(sent.headers[.authorization] == "Basic " + Data("desk:s%2Fcr%2Bt".utf8).base64EncodedString())
            #expect(sent.body.contains("code=c%2F1") && sent.body.contains("code_verifier=the-verifier"))
            #expect(!sent.body.contains("client_secret"))
            _ = try await client.signIn(code: "c2", issuer: nil, of: request)
            #expect(provider.state.withLock { ($0.documentReads, $0.keyReads) } == (1, 1))
        }
    }

    @Test("The secret goes into the body where the provider takes it there alone")
    func secretInBody() async throws {
        try await ProviderByTest.run { provider, client, request in
            provider.state.withLock { $0.methods = ["client_secret_post"] }
            _ = try await client.signIn(code: "c", issuer: nil, of: request)
            let sent = try #require(provider.state.withLock { $0.requests.first })
            #expect(sent.headers[.authorization] == nil && sent.body.contains("client_secret=s%2Fcr%2Bt"))
        }
    }

    @Test(
        "Claims that are not of this sign-in are not trusted",
        arguments: [
            ("iss", ProviderByTest.Claims.Value.text("https://elsewhere.example"), "issuer"),
            ("aud", .text("another"), "another program"), ("aud", .list(["desk", "another"]), "several programs"),
            ("azp", .text("another"), "another program"), ("nonce", .text("another"), "another sign-in"),
            ("exp", .number(1_795_280_340), "expired"), ("iat", .number(1_795_280_461), "future"),
            ("sub", .text(""), "nobody"),
        ])
    func untrusted(claim: String, value: ProviderByTest.Claims.Value, reason: String) async throws {
        try await ProviderByTest.run(at: Self.now) { provider, client, request in
            provider.claim([claim: value])
            let error = await #expect(throws: OpenIDError.self) {
                try await client.signIn(code: "c", issuer: nil, of: request)
            }
            #expect(error?.description.contains(reason) == true, "\(error?.description ?? "trusted")")
        }
    }

    @Test(
        "Claims as providers write them are read",
        arguments: [
            ("aud", ProviderByTest.Claims.Value.list([])), ("aud", .list(["desk"])),
            ("auth_time", .number(1_795_280_399.25)), ("iat", .number(1_795_280_399.5)),
            ("exp", .number(1_795_280_350)),
        ])
    func tolerated(claim: String, value: ProviderByTest.Claims.Value) async throws {
        try await ProviderByTest.run(at: Self.now) { provider, client, request in
            provider.claim([claim: value])
            let user = try await client.signIn(code: "c", issuer: nil, of: request).user
            #expect(user.name == "ada")
        }
    }

    @Test("A token that no key of the provider's has signed is not trusted, nor one without a signature")
    func forged() async throws {
        try await ProviderByTest.run { provider, client, request in
            func expectUntrusted(_ why: Comment) async throws {
                let error = await #expect(throws: OpenIDError.self, why) {
                    try await client.signIn(code: "c", issuer: nil, of: request)
                }
                #expect(error?.isUntrusted == true, "\(why): \(String(describing: error))")
            }
            provider.state.withLock { $0.kid = "other" }
            try await expectUntrusted("another key")
            func part(_ text: String) -> String {
                Data(text.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
                    .replacing("/", with: "_")
            }
            let payload = part(
                """
                {"iss":"\(client.configuration.issuer)","sub":"u1","aud":"desk","nonce":"the-nonce",\
                "exp":1795280700,"iat":1795280400}
                """)
            for header in [#"{"alg":"none"}"#, #"{"alg":"HS256","kid":"one"}"#, #"{"alg":"ES256","kid":"one"}"#] {
                provider.state.withLock { $0.token = "\(part(header)).\(payload)." }
                try await expectUntrusted("\(header)")
            }
        }
    }

    @Test(
        "A key that cannot verify leaves the others of its set usable",
        arguments: [
            #"{"kty":"oct","kid":"one","k":"c2VjcmV0"}"#, #"{"kty":"AKP","alg":"ML-DSA-44","kid":"p","pub":"AA"}"#,
            #"{"kty":"OKP","crv":"X25519","use":"enc","kid":"x","x":"AA"}"#,
            #"{"kty":"EC","crv":"secp256k1","kid":"k","x":"AA","y":"AA"}"#,
            #"{"kty":"EC","crv":"P-256","use":"enc","alg":"ECDH-ES","kid":"one","x":"AA","y":"AA"}"#,
            #"{"kty":"RSA","use":"enc","alg":"RSA-OAEP-256","kid":"r","n":"AA","e":"AQAB"}"#,
            #"{"kty":"RSA","kid":"one","e":"AQAB"}"#, #"{"kty":"EC","crv":"P-256","kid":"one","x":"AA","y":"AA"}"#,
            #"{"kty":"EC","crv":"P-256","alg":"ES257","kid":"one","x":"AA","y":"AA"}"#,
            #"{"kty":"EC","crv":"P-256","key_ops":["deriveKey"],"kid":"one","x":"AA","y":"AA"}"#, #"{"kid":7}"#, "{}",
        ])
    func otherKeys(key: String) async throws {
        try await ProviderByTest.run { provider, client, request in
            provider.state.withLock { $0.otherKeys = [key] }
            let user = try await client.signIn(code: "c", issuer: nil, of: request).user
            #expect(user.subject == "u1")
        }
    }

    @Test(
        "A key verifies with whichever of its optional members are left out",
        arguments: [
            #""kid":"one""#, #""use":"sig""#, #""alg":"ES256""#, #""key_ops":["verify"],"kid":"one""#,
            #""x5t":"AA","kid":"one","use":"sig","example.com/of":"us""#,
        ])
    func optionalMembers(members: String) async throws {
        try await ProviderByTest.run { provider, client, request in
            provider.state.withLock { state in
                state.keyMembers = members
                // Two keys that nothing tells apart but their signatures.
                state.served = ["two", "one"]
            }
            let user = try await client.signIn(code: "c", issuer: nil, of: request).user
            #expect(user.subject == "u1")
        }
    }

    @Test("A key verifies nothing under another kid, for another use or with another algorithm")
    func unusableKeys() async throws {
        for members in [
            #""kid":"two""#, #""kid":"one","use":"enc""#, #""kid":"one","alg":"ES384""#,
            #""kid":"one","key_ops":["sign"]"#,
        ] {
            try await ProviderByTest.run { provider, client, request in
                provider.state.withLock { $0.keyMembers = members }
                await #expect(throws: OpenIDError.self, "\(members)") {
                    try await client.signIn(code: "c", issuer: nil, of: request)
                }
            }
        }
    }

    @Test("A new key is found once five seconds have passed since the keys were read, and asked for no more often")
    func renewedKeys() async throws {
        try await ProviderByTest.run { provider, client, request in
            _ = try await client.signIn(code: "c", issuer: nil, of: request)
            provider.state.withLock { state in
                state.kid = "two"
            }
            for elapsed in [4.0, 5, 9] {
                provider.state.withLock { $0.elapsed = elapsed }
                await #expect(throws: OpenIDError.self) { try await client.signIn(code: "c", issuer: nil, of: request) }
            }
            #expect(provider.state.withLock(\.keyReads) == 2)
            provider.state.withLock { state in
                state.served = ["one", "two"]
                state.elapsed = 10
            }
            _ = try await client.signIn(code: "c", issuer: nil, of: request)
            #expect(provider.state.withLock(\.keyReads) == 3)
        }
    }

    @Test("A key that the provider withdrew verifies nothing an hour later")
    func withdrawnKey() async throws {
        try await ProviderByTest.run { provider, client, request in
            _ = try await client.signIn(code: "c", issuer: nil, of: request)
            provider.state.withLock { state in
                state.served = ["two"]
                state.claims = { [claims = state.claims] in
                    claims($0).merging(["exp": .number(Self.now.timeIntervalSince1970 + 7_200)]) { $1 }
                }
                state.elapsed = 3_599
            }
            _ = try await client.signIn(code: "c", issuer: nil, of: request)
            provider.state.withLock { $0.elapsed = 3_600 }
            await #expect(throws: OpenIDError.self) { try await client.signIn(code: "c", issuer: nil, of: request) }
        }
    }

    @Test("After the clock was set back, document and keys are read again, and a withdrawn key verifies nothing")
    func clockSetBack() async throws {
        try await ProviderByTest.run { provider, client, request in
            provider.claim(["exp": .number(Self.now.timeIntervalSince1970 + 7_200)])
            provider.state.withLock { $0.elapsed = 3_000 }
            _ = try await client.signIn(code: "c", issuer: nil, of: request)
            provider.state.withLock { state in
                state.elapsed = 0
                state.served = ["two"]
            }
            await #expect(throws: OpenIDError.self) { try await client.signIn(code: "c", issuer: nil, of: request) }
            #expect(provider.state.withLock { ($0.documentReads, $0.keyReads) } == (2, 2))
        }
    }

    @Test("What a provider refuses, and what it should not answer, is said in a sentence")
    func refusals() async throws {
        try await ProviderByTest.run { provider, client, request in
            func error() async -> OpenIDError? {
                await #expect(throws: OpenIDError.self) {
                    try await client.signIn(code: "the-code", issuer: nil, of: request)
                }
            }
            provider.state.withLock { state in
                state.tokenStatus = .badRequest
                state.tokenBody = #"{"error":"invalid_grant","error_description":"Code challenge\u0000 failed"}"#
            }
            #expect(await error() == .refused(code: "invalid_grant", description: "Code challenge failed"))
            provider.state.withLock { $0.tokenBody = "<html>" }
            #expect(await error()?.isUnavailable == true, "no JSON")
            provider.state.withLock { $0.tokenStatus = .found }
            #expect(await error()?.isUnavailable == true, "a redirect")
            let elsewhere = await #expect(throws: OpenIDError.self) {
                try await client.signIn(code: "the-code", issuer: "https://elsewhere.example", of: request)
            }
            #expect(elsewhere?.isUntrusted == true, "another issuer came back")
        }
    }

    @Test("A configuration of another issuer, or larger than it can be, is not used")
    func badDocument() async throws {
        try await ProviderByTest.run { provider, client, request in
            provider.state.withLock { $0.padding = 300_000 }
            await #expect(throws: OpenIDError.self) { try await client.authorizationURL(request) }
            provider.state.withLock { state in
                state.padding = 0
                state.issuer = "https://elsewhere.example"
            }
            let error = await #expect(throws: OpenIDError.self) { try await client.authorizationURL(request) }
            #expect(error?.isUntrusted == true)
        }
    }

    @Test(
        "An address without TLS is a provider's on this machine alone",
        arguments: [
            ("https://login.example.com", true), ("http://127.0.0.1:5000", true), ("http://localhost:5000/a", true),
            ("http://login.example.com", false), ("http://127.0.0.1.example.com", false), ("login", false),
        ])
    func protection(address: String, isProtected: Bool) {
        #expect(OpenIDClient.isProtected(address) == isProtected)
    }
}
