import DoorstepAPI
import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import Desk

@Suite("What is kept of sessions and sign-ins", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct SessionRepositoryTests {
    private static let token = SessionToken(id: nil, keyID: nil, issuedAt: nil, expiresAt: .distantFuture)

    @Test("An attempt is taken once, by the browser that began it, until its time is over")
    func attempts() async throws {
        try await DeskUnderTest.run { desk, _ in
            let now = desk.wall.now
            let attempt = SessionRepository.Attempt(nonce: "n", verifier: "v", returnPath: "/map")
            func redeem(_ state: UInt8, _ browser: UInt8, at time: Date) async throws -> SessionRepository.Attempt? {
                try await SessionRepository.redeemAttempt(
                    stateHash: [state], browserHash: [browser], at: time, on: desk.pool)
            }
            for state in [UInt8(1), 2] {
                try await SessionRepository.insert(
                    attempt, stateHash: [state], browserHash: [9], expiresAt: now.addingTimeInterval(600),
                    on: desk.pool)
            }
            #expect(try await redeem(1, 8, at: now) == nil, "another browser")
            #expect(try await redeem(1, 9, at: now) == attempt)
            #expect(try await redeem(1, 9, at: now) == nil, "again")
            #expect(try await redeem(2, 9, at: now.addingTimeInterval(600)) == nil, "too late")
        }
    }

    @Test("What is good no more is deleted, and nothing else is")
    func expired() async throws {
        try await DeskUnderTest.run { desk, _ in
            let user = DeskUser(subject: "ada", role: .viewer)
            let old = try await desk.begin(for: user)
            _ = try await desk.signIn.makeLink(for: "ada", role: .viewer, token: Self.token)
            desk.wall.advance(by: Session.idleTime)
            let new = try await desk.begin(for: user)
            _ = try await desk.signIn.makeLink(for: "ada", role: .viewer, token: Self.token)
            desk.wall.advance(by: 1)
            #expect(try await SessionRepository.deleteExpired(at: desk.wall.now, rowsMax: 100, on: desk.pool) == 1)
            #expect(try await desk.signIn.user(of: old) == nil)
            #expect(try await desk.signIn.user(of: new) == user)
            #expect(try await desk.pool.query("SELECT 1 AS one FROM sign_in_links").count == 1)
        }
    }
}
