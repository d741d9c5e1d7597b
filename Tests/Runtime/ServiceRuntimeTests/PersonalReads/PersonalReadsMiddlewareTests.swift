import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PostgresClient
import TestSupport
import Testing

@testable import ServiceRuntime

@Suite("Reads that a port records", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PersonalReadsMiddlewareTests {
    private static let reads = PersonalReads([
        "GET /one/{id}": .one("getOne", .image, of: .delivery("id")),
        "GET /list": .list("list", .deadLetter),
    ])

    /// The readers in the log after requests with tokens of these keys and subjects.
    private static func readers(_ callers: [(kid: String, subject: String)]) async throws -> [PersonalReadBody] {
        try await withPool(TestPostgres.current) { pool in
            try await pool.withTransaction { try await $0.executeScript(PersonalReadLog.migration) }
            let recorder = PersonalReadRecorder(pool: pool, clock: .wall, logger: .silent)
            for caller in callers {
                let tokens = try await TestTokens(kid: caller.kid)
                let service = makeService(tokens: tokens) { router in
                    router.add(middleware: PersonalReadsMiddleware(reads: reads, recorder: recorder))
                    router.get("one/{id}") { _, _ in Response(status: .ok) }
                    router.get("list") { _, _ in try jsonResponse(DeadLettersBody(deadLetters: [], next: nil)) }
                    router.get("other") { _, _ in try jsonResponse(DeadLettersBody(deadLetters: [], next: nil)) }
                }
                let token = try await tokens.token(.operator, subject: caller.subject)
                try await service.application.test(.router) { client in
                    for uri in ["/one/bag", "/list", "/other"] {
                        let answer = try await client.execute(uri: uri, method: .get, headers: .bearer(token))
                        #expect(answer.status == .ok)
                    }
                }
            }
            return try await recorder.log.list(.init()).reads
        }
    }

    @Test("An answer without ids is a read of its path's object, and one without any object is none")
    func path() async throws {
        let rows = try await Self.readers([("tests-1", "ada")])
        #expect(rows.map(\.operation) == ["getOne"])
        #expect(rows.first?.deliveries == ["bag"] && rows.first?.by == "ada")
    }

    @Test("The desk's reads for its board are the desk's to record; no other key's are")
    func board() async throws {
        let rows = try await Self.readers([("desk-2", "desk"), ("admin", "desk"), ("desk", "ada")])
        #expect(rows.map(\.by).sorted() == ["ada", "desk"])
    }
}
