import DeliveryProviders
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import PostgresClient
import ProviderSamples
import ServiceRuntime
import TestSupport
import Testing

@testable import Partners

@Suite("Indexes of receipts", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ReceiptIndexesTests {
    private static func plan(_ statement: SQL, on pool: PostgresPool) async throws -> String {
        try await pool.withTransaction { transaction in
            // On a small table the planner reads it from end to end unless that costs more than any index.
            try await transaction.execute("SET LOCAL enable_seqscan = off")
            return try await transaction.query("EXPLAIN \(sql: statement)").map {
                try $0.decode("QUERY PLAN", as: String.self)
            }.joined(separator: "\n")
        }
    }

    @Test("An erasure reads the receipts of its deliveries and those of none")
    func erasure() async throws {
        try await PartnersUnderTest.run { partners, _ in
            let ids = [UUID().uuidString]
            for statement in [ErasureRepository.receipts(of: ids), ErasureRepository.bodies(mentioning: ids)] {
                let plan = try await Self.plan(statement, on: partners.pool)
                #expect(!plan.contains("Seq Scan on receipts"), "\(plan)")
            }
        }
    }

    @Test("A store's list reads the store's receipts")
    func list() async throws {
        try await PartnersUnderTest.run { partners, _ in
            var filter = ReceiptFilter()
            filter.store = StoreID(rawValue: "nordhavn")
            let plan = try await Self.plan(ReceiptRepository.statement(filter, rowsMax: 100), on: partners.pool)
            #expect(plan.contains("receipts_of_store"), "\(plan)")
        }
    }

    @Test("A receipt that 0.29 stored is of its source's store")
    func ofFormerVersion() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash, store: StoreID(rawValue: "nordhavn"))
            let webhook = ProviderLife(of: .doorDash, reference: "D-7", from: PartnersUnderTest.start).bodies[0]
            #expect(try await partners.post(client, webhook, from: .doorDash, source).status == .ok)
            try await partners.pool.execute("UPDATE receipts SET store_id = NULL")
            let migration = try #require(Partners.process.migrations.first { $0.name == "receipt_indexes" })
            try await partners.pool.withTransaction { try await $0.executeScript(migration.sql) }
            let seen: ReceiptsBody = try await partners.send(
                client, .get, "/v1/receipts", as: .store, store: "nordhavn"
            ).decode()
            #expect(seen.receipts.count == 1)
        }
    }
}
