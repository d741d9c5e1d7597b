import Foundation
import OpenIDConnect
import OpenIDConnectTesting
import Synchronization
import Testing

@Suite("Asking an identity provider again", .timeLimit(.minutes(10)))
struct ConfirmationTests {
    private static let dispatcher = #"{"sub":"u1","preferred_username":"ada","groups":["dispatchers"]}"#
    private static let nobody = #"{"sub":"u1","preferred_username":"ada","groups":[]}"#

    @Test("The UserInfo endpoint is asked where it names groups, and says who is in none any more")
    func userInfo() async throws {
        try await ProviderByTest.run { provider, client, request in
            provider.state.withLock { $0.userInfo = Self.dispatcher }
            let signIn = try await client.signIn(code: "c", issuer: nil, of: request)
            let grant = try #require(signIn.grant)
            #expect(grant == ProviderGrant(accessToken: "a", refreshToken: nil))
            #expect(try await client.confirm(grant, of: "u1").user == signIn.user)
            provider.state.withLock { $0.userInfo = Self.nobody }
            #expect(try await client.confirm(grant, of: "u1").user?.groups == [])
            provider.state.withLock { $0.userInfo = "" }
            await #expect(
                throws: OpenIDError.refused(code: "invalid_token", description: "its access token is good no more")
            ) {
                try await client.confirm(grant, of: "u1")
            }
        }
    }

    @Test("Elsewhere a refreshed ID token says it, and each refresh gives the token of the next")
    func refresh() async throws {
        try await ProviderByTest.run { provider, client, request in
            provider.state.withLock { state in
                state.refreshToken = "r"
                state.userInfo = #"{"sub":"u1"}"#
            }
            let grant = try #require(try await client.signIn(code: "c", issuer: nil, of: request).grant)
            #expect(grant == ProviderGrant(accessToken: nil, refreshToken: "r"))
            let first = try await client.confirm(grant, of: "u1")
            #expect(first.user?.groups == ["dispatchers"] && first.grant.refreshToken == "r1")
            provider.claim(["groups": .list([])])
            #expect(try await client.confirm(first.grant, of: "u1").user?.groups == [])
            await #expect(throws: OpenIDError.refused(code: "invalid_grant", description: "")) {
                try await client.confirm(grant, of: "u1")
            }
        }
    }

    @Test("An access token that is good no more is refreshed, and the new one is asked with")
    func expiredAccessToken() async throws {
        try await ProviderByTest.run { provider, client, request in
            provider.state.withLock { state in
                state.refreshToken = "r"
                state.userInfo = Self.dispatcher
            }
            _ = try await client.signIn(code: "c", issuer: nil, of: request)
            let old = ProviderGrant(accessToken: "old", refreshToken: "r")
            let answer = try await client.confirm(old, of: "u1")
            #expect(answer.user?.groups == ["dispatchers"])
            #expect(answer.grant == ProviderGrant(accessToken: "a", refreshToken: "r1"))
        }
    }

    @Test("After a change of the provider's key, all who are confirmed meanwhile wait for one read of the keys")
    func changedKey() async throws {
        try await ProviderByTest.run { provider, client, request in
            let (keysRequests, requested) = AsyncStream.makeStream(of: Void.self)
            let (release, releasing) = AsyncStream.makeStream(of: Void.self)
            defer { releasing.finish() }
            provider.state.withLock { state in
                state.refreshToken = "r"
                state.userInfo = #"{"sub":"u1"}"#
            }
            _ = try await client.signIn(code: "c", issuer: nil, of: request)
            provider.state.withLock { state in
                (state.kid, state.served, state.elapsed) = ("two", ["one", "two"], 5)
                state.beforeKeys = {
                    requested.yield()
                    for await _ in release {}
                }
            }
            async let first = client.confirm(ProviderGrant(accessToken: nil, refreshToken: "r"), of: "u1")
            for await _ in keysRequests { break }
            async let second = client.confirm(ProviderGrant(accessToken: nil, refreshToken: "r1"), of: "u1")
            // Others' requests and answers pass meanwhile.
            let other = ProviderGrant(accessToken: "a", refreshToken: nil)
            repeat { _ = try await client.confirm(other, of: "u1") } while provider.state.withLock(\.requests.count) < 3
            for _ in 0..<10 { _ = try await client.confirm(other, of: "u1") }
            releasing.finish()
            let confirmations = try await [first, second]
            #expect(confirmations.map(\.user?.groups) == [["dispatchers"], ["dispatchers"]])
            #expect(confirmations.map(\.grant.refreshToken) == ["r1", "r11"])
            #expect(provider.state.withLock(\.keyReads) == 2)
        }
    }

    @Test("A key that is unknown within five seconds of a read refuses nobody, and the new refresh token is kept")
    func unknownKey() async throws {
        try await ProviderByTest.run { provider, client, request in
            provider.state.withLock { state in
                state.refreshToken = "r"
                state.userInfo = #"{"sub":"u1"}"#
            }
            let grant = try #require(try await client.signIn(code: "c", issuer: nil, of: request).grant)
            provider.state.withLock { state in
                (state.kid, state.served, state.elapsed) = ("two", ["one", "two"], 4)
            }
            let early = try await client.confirm(grant, of: "u1")
            #expect(early.user == nil && early.grant.refreshToken == "r1")
            provider.state.withLock { $0.elapsed = 5 }
            let confirmed = try await client.confirm(early.grant, of: "u1")
            #expect(confirmed.user?.groups == ["dispatchers"] && confirmed.grant.refreshToken == "r11")
            provider.state.withLock { ($0.kid, $0.elapsed) = ("other", 10) }
            let error = await #expect(throws: OpenIDError.self) {
                try await client.confirm(confirmed.grant, of: "u1")
            }
            #expect(error?.isUntrusted == true, "a key that the provider does not serve")
        }
    }

    @Test("Nothing can be asked of a provider that gives neither, and nobody is somebody else")
    func neither() async throws {
        try await ProviderByTest.run { provider, client, request in
            let signIn = try await client.signIn(code: "c", issuer: nil, of: request)
            #expect(signIn.grant == nil)
            #expect(signIn.expiresAt == Date(timeIntervalSince1970: 1_795_280_400 + 300))
        }
        try await ProviderByTest.run { provider, client, request in
            provider.state.withLock { $0.userInfo = Self.dispatcher }
            let grant = ProviderGrant(accessToken: "a", refreshToken: nil)
            await #expect(throws: OpenIDError.untrusted("it answers for somebody else")) {
                try await client.confirm(grant, of: "u2")
            }
        }
    }

    @Test(
        "A provider that fails refuses nobody, and a refresh token that was used is replaced all the same",
        arguments: ["temporarily_unavailable", "invalid_client"])
    func failing(code: String) async throws {
        try await ProviderByTest.run { provider, client, request in
            provider.state.withLock { state in
                state.refreshToken = "r"
                state.refreshError = code
                state.refreshesIDToken = false
            }
            let answer = try await client.confirm(ProviderGrant(accessToken: nil, refreshToken: "r"), of: "u1")
            #expect(answer.user == nil && answer.grant.refreshToken == "r1")
            provider.state.withLock { $0.isFailing = true }
            for token in ["r1", "r"] {
                let error = await #expect(throws: OpenIDError.self) {
                    try await client.confirm(ProviderGrant(accessToken: nil, refreshToken: token), of: "u1")
                }
                #expect(error?.isUnavailable == true)
                provider.state.withLock { $0.isFailing = false }
            }
        }
    }
}
