import TestSupport
import Testing

@testable import Partners

@Suite(
    "The tables of partners on the page about privacy", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct KeptTablesTests {
    @Test("Each table has a row with what is kept in it and how long, or is among those without a person")
    func tables() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let tables = try await tablesAgainstPrivacyPage(of: "partners", on: partners.pool)
            #expect(tables.unnamed == [])
            #expect(tables.unknown == [])
        }
    }
}
