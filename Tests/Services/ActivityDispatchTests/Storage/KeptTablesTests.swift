import TestSupport
import Testing

@testable import ActivityDispatch

@Suite(
    "The tables of activity-dispatch on the page about privacy", .tags(.integration), .postgresSchema,
    .timeLimit(.minutes(5)))
struct KeptTablesTests {
    @Test("Each table has a row with what is kept in it and how long, or is among those without a person")
    func tables() async throws {
        try await DispatchUnderTest.run { service in
            let tables = try await tablesAgainstPrivacyPage(of: "activity-dispatch", on: service.pool)
            #expect(tables.unnamed == [])
            #expect(tables.unknown == [])
        }
    }
}
