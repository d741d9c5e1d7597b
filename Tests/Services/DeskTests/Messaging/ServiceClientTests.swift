import DeliveryDiagnosis
import DoorstepAPI
import NIOCore
import TestSupport
import Testing

@testable import Desk

@Suite("The desk's requests to services", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ServiceClientTests {
    private static let ada = DeskUser(subject: "ada", role: .viewer)

    @Test("Optional data that is late is left out and is no outage; what is late for a read, or away, is one")
    func outages() async throws {
        try await DeskUnderTest.run { desk, _ in
            try desk.services.answer("orders", "/v1/names", ["Mira"])
            func beside() async -> [String]? {
                await desk.client.readBeside(.orders, "/v1/names", for: Self.ada)
            }
            func read() async throws -> [String]? {
                try await desk.client.read(.orders, "/v1/names", for: Self.ada, as: [String].self).body
            }
            func away() -> [TimelineEvent.Source] { desk.client.outages.present.map(\.service) }

            desk.services.set(answerTime: .seconds(2), of: "orders")
            #expect(await beside() == nil)
            #expect(away().isEmpty)
            #expect(try await read() == ["Mira"])

            desk.services.set(answerTime: .seconds(6), of: "orders")
            #expect(try await read() == nil)
            #expect(away() == [.orders])
            #expect(await beside() == nil)
            #expect(away() == [.orders], "a late answer ends no outage either")

            desk.services.set(answerTime: .seconds(0), of: "orders")
            #expect(await beside() == ["Mira"])
            #expect(away().isEmpty)

            desk.services.set(away: ["orders"])
            #expect(await beside() == nil)
            #expect(away() == [.orders])
        }
    }
}
