import Crypto
import Foundation
import JWTKit
import ScriptedPeers
import Synchronization
import TestSupport
import Testing

@testable import APNsClient

@Suite("Provider tokens")
struct ProviderTokenTests {
    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    // MARK: What is signed

    @Test("A token is ES256 with key id, team id and whole seconds, and another library verifies it")
    func signature() async throws {
        let token = try Fixture.key().sign(issuedAt: 1_795_000_000)
        let parts = token.split(separator: ".")
        #expect(parts.count == 3)
        // r and s of 32 bytes each are 86 characters; DER would be more.
        #expect(parts[2].count == 86)
        #expect(!token.contains("=") && !token.contains("+") && !token.contains("/"))
        let keys = await JWTKeyCollection().add(
            ecdsa: try ES256PrivateKey(pem: Fixture.keyPEM).publicKey, kid: "ABCDE12345")
        let claims = try await keys.verify(token, as: Claims.self)
        #expect(claims.iss == "TEAM567890")
        #expect(claims.iat == 1_795_000_000)
        let header = try #require(
            Data(base64Encoded: String(parts[0]) + String(repeating: "=", count: 3 - (parts[0].count + 3) % 4)))
        let fields = try JSONDecoder().decode([String: String].self, from: header)
        #expect(fields == ["alg": "ES256", "kid": "ABCDE12345"])
    }

    @Test(
        "A key that cannot be used says which file or setting is wrong, and how",
        arguments: [
            ("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----", "certificate"), ("", "not a PEM file"),
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----", "encrypted"),
            ("-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----", "public key"),
            (P384.Signing.PrivateKey().pemRepresentation, "P-256"),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "P-256"),
        ])
    func badKeys(pem: String, fault: String) {
        #expect {
            try ProviderKey(pem: pem, source: "/keys/AuthKey.p8", keyID: "ABCDE12345", teamID: "TEAM567890")
        } throws: { error in
            let text = "\(error)"
            return text.contains("apns.key.file") && text.contains("/keys/AuthKey.p8") && text.contains(fault)
        }
    }

    @Test("Ids of another length name their setting")
    func badSettings() throws {
        func text(_ make: () throws -> ProviderKey) -> String {
            do {
                _ = try make()
                return "taken"
            } catch { return "\(error)" }
        }
        for id in ["", "ABC", "ABCDE123456", "ABCDE1234é", "ABCDE-2345"] {
            #expect(
                text { try ProviderKey(pem: Fixture.keyPEM, source: "x", keyID: id, teamID: "TEAM567890") }
                    .contains("apns.key.id"))
            #expect(
                text { try ProviderKey(pem: Fixture.keyPEM, source: "x", keyID: "ABCDE12345", teamID: id) }
                    .contains("apns.team.id"))
        }
    }

    @Test("A description of the key has no secret")
    func description() throws {
        let key = try Fixture.key()
        #expect("\(key)" == "APNs key ABCDE12345 of team TEAM567890")
        #expect(String(reflecting: key) == "\(key)")
    }

    @Test("Numbers out of range name their setting")
    func ranges() throws {
        for connections in [0, 9] {
            var configuration = APNsConfiguration(key: try Fixture.key())
            configuration.connections = connections
            #expect { try configuration.checkRanges() } throws: { "\($0)".contains("apns.connections") }
        }
        for minutes in [19, 61] {
            var configuration = APNsConfiguration(key: try Fixture.key())
            configuration.tokenRefresh = .seconds(minutes * 60)
            #expect { try configuration.checkRanges() } throws: { "\($0)".contains("apns.tokenRefresh") }
        }
    }

    // MARK: When one is signed

    private let start = Date(timeIntervalSince1970: 1_795_000_000)

    private func token(minutes: Double, _ name: String = "a") -> ProviderToken {
        ProviderToken(issuedAt: start + minutes * 60, authorization: name)
    }

    /// A token was replaced after so many minutes, which Apple's service refused a minute later as one update too many.
    private func updatedTooSoon(minutes: Double) -> ProviderTokenState {
        var state = ProviderTokenState(refreshAfter: 50 * 60)
        state.replace(with: token(minutes: 0, "a"))
        state.replace(with: token(minutes: minutes, "b"))
        state.tooManyUpdates(token(minutes: minutes, "b"), at: start + (minutes + 1) * 60)
        return state
    }

    @Test("One is due at first, and again when it is as old as it may get")
    func due() {
        var state = ProviderTokenState(refreshAfter: 50 * 60)
        #expect(state.isDue(at: start))
        state.replace(with: token(minutes: 0))
        #expect(!state.isDue(at: start + 49 * 60))
        #expect(state.isDue(at: start + 50 * 60))
        // A clock that was set back: the token is from the future.
        #expect(state.isDue(at: start - 60))
    }

    @Test("An expired token is replaced only if it is over 20 minutes old; a newer one is used where there is one")
    func expired() {
        var state = ProviderTokenState(refreshAfter: 50 * 60)
        state.replace(with: token(minutes: 0))
        #expect(state.expired(token(minutes: 0), at: start + 20 * 60) == .clockSkew)
        #expect(state.expired(token(minutes: 0), at: start + 21 * 60) == .refresh)
        state.replace(with: token(minutes: 21, "b"))
        #expect(state.expired(token(minutes: 0), at: start + 21 * 60) == .resend)
        #expect(state.expired(token(minutes: 21, "b"), at: start + 22 * 60) == .clockSkew)
    }

    @Test("After too many updates the one before is used, and none is signed for 20 minutes")
    func tooMany() {
        var state = updatedTooSoon(minutes: 50)
        #expect(state.current?.authorization == "a")
        state.usePostponed(at: start + 59 * 60)
        #expect(state.current?.authorization == "a")
        #expect(!state.isDue(at: start + 70 * 60))
        #expect(state.isDue(at: start + 71 * 60))
    }

    @Test("Once the one before has expired, the one that came too soon is used: nothing would be sent otherwise")
    func tooManyUntilExpired() {
        var state = updatedTooSoon(minutes: 50)
        var refused = state
        #expect(refused.expired(token(minutes: 0, "a"), at: start + 59 * 60) == .resend)
        #expect(refused.current?.authorization == "b")
        state.usePostponed(at: start + 60 * 60)
        #expect(state.current?.authorization == "b")
        #expect(!state.isDue(at: start + 62 * 60))
        // Too soon again, on another connection: there is nothing else to send with.
        state.tooManyUpdates(token(minutes: 50, "b"), at: start + 62 * 60)
        #expect(state.current?.authorization == "b")
    }

    @Test("Where the one before has expired too, the newer one stays")
    func tooManyLate() {
        let state = updatedTooSoon(minutes: 60)
        #expect(state.current?.authorization == "b")
        #expect(!state.isDue(at: start + 62 * 60))
    }
}

@Suite("Provider tokens on the wire", .timeLimit(.minutes(10)))
struct ProviderTokenRefusalTests {
    private static let expired = ScriptedHTTP2Server.Reaction.answer(
        403, headers: [("date", "Sun, 06 Nov 1994 08:49:37 GMT")], body: #"{"reason":"ExpiredProviderToken"}"#)

    @Test("One token is used for all requests until it is 50 minutes old")
    func reused() async throws {
        let server = try await ScriptedHTTP2Server.start { _ in .answer(200) }
        let time = WallTime()
        let client = try Fixture.client(server, time: time)
        var tokens: [String] = []
        for minutes in [0.0, 20, 29, 1] {
            time.advance(minutes: minutes)
            var sandbox = Fixture.request()
            sandbox.environment = .sandbox
            #expect(await client.send(Fixture.request()).isAccepted)
            #expect(await client.send(sandbox).isAccepted)
            let pair = try await server.requests(2).map { $0.value("authorization") ?? "" }
            #expect(pair[0] == pair[1])
            tokens.append(pair[0])
        }
        #expect(tokens[0].hasPrefix("bearer "))
        #expect(tokens[0] == tokens[1] && tokens[1] == tokens[2] && tokens[2] != tokens[3])
    }

    @Test("An expired token that is over 20 minutes old is replaced once, and its request sent once more")
    func refreshedOnce() async throws {
        let time = WallTime()
        let server = try await ScriptedHTTP2Server.start { request in
            // Taken: all tokens but the first.
            request.value("apns-id")?.hasSuffix("00") == true ? Self.expired : .answer(200)
        }
        let client = try Fixture.client(server, time: time)
        #expect(await client.send(Fixture.request(1)).isAccepted)
        time.advance(minutes: 21)
        // Refused with both tokens: no third attempt.
        let refusal = try #require(await client.send(Fixture.request(0)).refusal)
        #expect(refusal.reason == .expiredProviderToken)
        #expect(refusal.remedy == .authentication)
        #expect(await client.send(Fixture.request(2)).isAccepted)
        let requests = try await server.requests(4)
        #expect(requests.map { $0.value("apns-id")?.suffix(1) } == ["1", "0", "0", "2"])
        let tokens = requests.map { $0.value("authorization") }
        #expect(tokens[0] == tokens[1] && tokens[1] != tokens[2] && tokens[2] == tokens[3])
    }

    @Test("A young token that APNs calls expired is kept, nothing is sent again, and the clocks' difference is logged")
    func skew() async throws {
        let server = try await ScriptedHTTP2Server.start { _ in Self.expired }
        let lines = LogLines()
        let client = try Fixture.client(server, lines: lines)
        let refusal = try #require(await client.send(Fixture.request()).refusal)
        #expect(refusal.serverDate == Date(timeIntervalSince1970: 784_111_777))
        _ = await client.send(Fixture.request(1))
        let requests = try await server.requests(2)
        #expect(requests.map { $0.value("apns-id")?.suffix(1) } == ["0", "1"])
        #expect(Set(requests.map { $0.value("authorization") }).count == 1)
        let line = try #require(lines.all.first { $0.contains("clock") })
        #expect(line.contains("1010888223"))
        #expect(!lines.all.contains { $0.contains("bearer") || $0.contains("eyJ") })
    }

    @Test("After too many token updates the one before is used, and the request is not repeated")
    func tooManyUpdates() async throws {
        let time = WallTime()
        let first = FirstToken()
        let server = try await ScriptedHTTP2Server.start { request in
            first.isFirst(request.value("authorization"))
                ? .answer(200) : .answer(429, body: #"{"reason":"TooManyProviderTokenUpdates"}"#)
        }
        let lines = LogLines()
        let client = try Fixture.client(server, time: time, lines: lines)
        #expect(await client.send(Fixture.request(0)).isAccepted)
        time.advance(minutes: 51)
        #expect(await client.send(Fixture.request(1)).refusal?.reason == .tooManyProviderTokenUpdates)
        var result = await client.send(Fixture.request(2))
        while case .notSent(.noConnection) = result { result = await client.send(Fixture.request(2)) }
        #expect(result.isAccepted)
        let requests = try await server.requests(3)
        #expect(requests.map { $0.value("apns-id")?.suffix(1) } == ["0", "1", "2"])
        let tokens = requests.map { $0.value("authorization") }
        #expect(tokens[0] != tokens[1] && tokens[0] == tokens[2])
        #expect(lines.all.contains { $0.hasPrefix("error") && $0.contains("no new provider token") })
    }

    @Test("Where the token that replaces an expired one comes too soon, the one before is used again")
    func tooManyAfterExpiry() async throws {
        let time = WallTime()
        let first = FirstToken()
        let server = try await ScriptedHTTP2Server.start { request in
            guard first.isFirst(request.value("authorization")) else {
                return .answer(429, body: #"{"reason":"TooManyProviderTokenUpdates"}"#)
            }
            return request.value("apns-id")?.hasSuffix("01") == true ? Self.expired : .answer(200)
        }
        let client = try Fixture.client(server, time: time)
        #expect(await client.send(Fixture.request(0)).isAccepted)
        time.advance(minutes: 21)
        #expect(await client.send(Fixture.request(1)).refusal?.reason == .tooManyProviderTokenUpdates)
        var result = await client.send(Fixture.request(2))
        while case .notSent(.noConnection) = result { result = await client.send(Fixture.request(2)) }
        #expect(result.isAccepted)
    }
}

/// Remembers the first provider token that was seen.
private final class FirstToken: Sendable {
    private let token = Mutex<String?>(nil)

    func isFirst(_ value: String?) -> Bool {
        token.withLock { token in
            if token == nil { token = value }
            return token == value
        }
    }
}
