import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("An unknown courier", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct UnknownCourierTests {
    private func body(_ courier: String) throws -> AssignBody {
        AssignBody(courier: .known(try #require(CourierID(rawValue: courier))), reason: "flat tyre")
    }

    @Test("An operator's mistyped id is refused with those that may be meant, also in a preview, and changes nothing")
    func refused() async throws {
        try await OrdersUnderTest.run { orders, client in
            let deliveries = try await orders.place(client, try orders.body(bags: 2)).deliveries
            try await orders.assign("eva", deliveries[0].id, client)
            let path = "/v1/deliveries/\(deliveries[1].id)/courier"
            for query in ["", "?preview=true"] {
                let answer = try await orders.send(client, .put, path + query, as: .operator, "ada", try body("eav"))
                #expect(answer.status == .unprocessableContent)
                let problem = try answer.problem()
                #expect(problem.type.hasSuffix("/unknown-courier"))
                #expect(problem.errors?.first?.path == "courier" && problem.errors?.first?.allowed == ["eva"])
            }
            let stored = try #require(try await OrderRepository.delivery(deliveries[1].id, on: orders.pool))
            #expect(stored.delivery.courier == nil)
        }
    }

    @Test("A known courier, one that was checked elsewhere, and any of a shop's are assigned")
    func assigned() async throws {
        try await OrdersUnderTest.run { orders, client in
            let deliveries = try await orders.place(client, try orders.body(bags: 2)).deliveries
            let path = "/v1/deliveries/\(deliveries[0].id)/courier"
            func status(_ path: String, _ role: Role, _ subject: String, _ courier: String) async throws -> Int {
                try await orders.send(client, .put, path, as: role, subject, try body(courier)).status.code
            }
            #expect(try await status(path, .store, "nordhavn", "c07") == 200)
            // The live delivery makes the courier known.
            #expect(
                try await status("/v1/deliveries/\(deliveries[1].id)/courier", .operator, "ada", "c07") == 200)
            #expect(try await status(path + "?unknown=true", .operator, "ada", "c08") == 200)
        }
    }

    @Test("The undo of a change from a provider's courier brings them back by name, and not after their erasure")
    func undone() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let sam = Courier(
                id: try #require(CourierID(rawValue: "doordash-7001")), name: "Sam", vehicle: .car, phone: nil)
            let report = ProviderReport(
                source: try #require(ProviderID(rawValue: "doordash")), sourceName: "DoorDash", id: "1",
                kind: "DASHER_CONFIRMED", status: .assigned, courier: sam, occurredAt: orders.clock.now,
                receivedAt: orders.clock.now)
            for outcome in await orders.change([.report(report, of: id)]) { _ = try outcome.get() }
            let path = "/v1/deliveries/\(id)/courier"
            func stored() async throws -> Courier? {
                try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery.courier
            }
            // The present courier, assigned by the id once more, keeps the description.
            let again = try await orders.send(client, .put, path, as: .operator, "ada", try body(sam.id.rawValue))
            #expect(again.status == .ok)
            #expect(try await stored() == sam)
            try await orders.assign("mira", id, client)
            let undo = try await orders.send(client, .put, path, as: .operator, "ada", try body(sam.id.rawValue))
            #expect(undo.status == .ok)
            #expect(try await stored() == sam)

            try await orders.assign("mira", id, client)
            // An erasure puts a pseudonym in the place of the courier in former versions.
            try await orders.pool.execute(
                """
                UPDATE timeline SET reversal = jsonb_set(jsonb_set(reversal, '{courier,value,id}', '"erased-1"'),
                    '{courier,value,name}', '"Courier"')
                WHERE reversal->'courier'->'value'->>'id' = \(sam.id.rawValue)
                """)
            let refused = try await orders.send(client, .put, path, as: .operator, "ada", try body(sam.id.rawValue))
            #expect(refused.status == .unprocessableContent)
            let unknown = try await orders.send(
                client, .put, path + "?unknown=true", as: .operator, "ada", try body(sam.id.rawValue))
            #expect(unknown.status == .ok)
            #expect(try await stored()?.name == sam.id.rawValue)
        }
    }
}
