import TestSupport
import Testing

@testable import Orders

@Suite("The tables of orders on the page about privacy", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct KeptTablesTests {
    @Test("Each table has a row with what is kept in it and how long, or is among those without a person")
    func tables() async throws {
        try await OrdersUnderTest.run { orders, _ in
            let tables = try await tablesAgainstPrivacyPage(of: "orders", on: orders.pool)
            #expect(tables.unnamed == [])
            #expect(tables.unknown == [])
        }
    }
}
