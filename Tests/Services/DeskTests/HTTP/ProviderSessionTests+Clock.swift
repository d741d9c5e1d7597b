import DeliverySamples
import DoorstepAPI
import Foundation
import OpenIDConnectTesting
import PostgresClient
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Desk

extension ProviderSessionTests {
    @Test("A confirmation from before the clock was set back is none: the provider is asked, and may end the session")
    func clockSetBack() async throws {
        try await Self.withProvider {
            $0.userInfo = Self.inGroup
        } _: { desk, provider, secret in
            desk.wall.advance(by: 20 * 60)
            let user = try await desk.signIn.user(of: secret)
            #expect(user?.role == .dispatcher)
            desk.wall.advance(by: -20 * 60)
            provider.state.withLock { $0.isFailing = true }
            let unconfirmed = try await desk.signIn.user(of: secret)
            #expect(unconfirmed == nil)
            provider.state.withLock { $0.isFailing = false }
            desk.wall.advance(by: 30)
            let confirmed = try await desk.signIn.user(of: secret)
            #expect(confirmed == user)

            desk.wall.advance(by: 20 * 60)
            _ = try await desk.signIn.user(of: secret)
            desk.wall.advance(by: -20 * 60)
            provider.state.withLock { $0.userInfo = #"{"sub":"u1","groups":["customers"]}"# }
            #expect(try await desk.signIn.user(of: secret) == nil)
            #expect(try await desk.pool.query("SELECT 1 AS one FROM sessions").isEmpty)
        }
    }

    @Test("A session that began before the clock was set back ends with a revocation of all its person's tokens")
    func revokedAfterSetBack() async throws {
        try await Self.withProvider {
            $0.userInfo = Self.inGroup
        } _: { desk, _, secret in
            let user = try #require(try await desk.signIn.user(of: secret))
            desk.wall.advance(by: -20 * 60)
            #expect(try await desk.signIn.user(of: secret) == user)
            try await desk.keys.revoke(.issued(to: user.subject, role: .operator, before: desk.wall.now))
            #expect(try await desk.signIn.user(of: secret) == nil)
        }
    }

    @Test(
        "A use from before the clock was set back is recorded again, and one half an hour ahead ends the session",
        arguments: [
            (0.0, true, false), (-60, true, false), (-61, true, true), (-1_799, true, true), (-1_800, false, true),
        ] as [(TimeInterval, Bool, Bool)])
    func useAhead(elapsed: TimeInterval, isGood: Bool, needsNoting: Bool) {
        let begun = SampleDeliveries.placedAt
        let token = SessionToken(id: nil, keyID: nil, issuedAt: nil, expiresAt: .distantFuture)
        let session = Session(of: DeskUser(subject: "ada", role: .viewer), begunWith: token, at: begun)
        let now = begun.addingTimeInterval(elapsed)
        #expect(session.isGood(at: now) == isGood && session.needsNoting(at: now) == needsNoting)
    }
}
