import TestSupport
import Testing

@testable import CourierETA

@Suite(
    "The tables of courier-eta on the page about privacy", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5))
)
struct KeptTablesTests {
    @Test("Each table has a row with what is kept in it and how long, or is among those without a person")
    func tables() async throws {
        try await Harness.run { harness in
            let tables = try await tablesAgainstPrivacyPage(of: "courier-eta", on: harness.pool)
            #expect(tables.unnamed == [])
            #expect(tables.unknown == [])
        }
    }
}
