import DomainTime
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Customers without data", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ExpiredCustomersTests {
    private func customers(_ service: DispatchUnderTest) async throws -> [String] {
        try await service.pool.query("SELECT customer_id FROM customers ORDER BY customer_id")
            .map { try $0.decode("customer_id") }
    }

    @Test("A customer is forgotten with their last device and activity")
    func forgotten() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            try await service.pool.execute("INSERT INTO customers (customer_id) VALUES ('niels')")
            let retention = Retention(pool: service.pool, clock: service.clock.domain, logger: .silent)
            try await retention.deleteExpired()
            let left = try await customers(service)
            #expect(left == [DispatchUnderTest.mira.rawValue])
            service.clock.advance(by: 91 * 86_400)
            try await retention.deleteExpired()
            let none = try await customers(service)
            #expect(none == [])
        }
    }

    @Test("One whom somebody is about to write of is not")
    func locked() async throws {
        try await DispatchUnderTest.run { service in
            try await service.pool.execute("INSERT INTO customers (customer_id) VALUES ('mira')")
            let retention = Retention(pool: service.pool, clock: service.clock.domain, logger: .silent)
            try await service.pool.withTransaction { transaction in
                _ = try await ActivityRepository.lockCustomer(DispatchUnderTest.mira, in: transaction)
                try await retention.deleteExpired()
            }
            let left = try await customers(service)
            #expect(left == [DispatchUnderTest.mira.rawValue])
        }
    }
}
