import TestSupport
import Testing

@testable import Desk

@Suite("The tables of desk on the page about privacy", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct KeptTablesTests {
    @Test("Each table has a row with what is kept in it and how long, or is among those without a person")
    func tables() async throws {
        try await DeskUnderTest.run { desk, _ in
            let tables = try await tablesAgainstPrivacyPage(of: "desk", on: desk.pool)
            #expect(tables.unnamed == [])
            #expect(tables.unknown == [])
        }
    }
}
