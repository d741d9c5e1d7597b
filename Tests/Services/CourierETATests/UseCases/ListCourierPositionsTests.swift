import ArrivalEstimate
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import CourierETA

@Suite("Where couriers are, in one request", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ListCourierPositionsTests {
    private static func fix(_ courier: Courier, at time: Double, _ harness: Harness) async throws {
        harness.move(to: time)
        let fix = Fix(time: seconds(time), place: along(time / 900), accuracy: 10, speed: 3.2)
        #expect(try await harness.parts.ingestFixes([fix], of: courier.id).accepted == 1)
    }

    private static func list(
        _ query: String, _ port: Port, _ client: any TestClientProtocol
    ) async throws -> CourierPositionsBody {
        let response = try await client.execute(
            uri: "/v1/courier-positions\(query)", method: .get, headers: try await port.token(.operator, "ada"))
        return try WireJSON.decode(CourierPositionsBody.self, from: Data(response.body.readableBytesView))
    }

    @Test("Each is the same as asked for alone, in pages, and no older than what is asked for")
    func pages() async throws {
        try await Port.run { harness, port, client in
            let delivery = try await harness.learnDelivery(in: .enRoute)
            try await Self.fix(mira, at: 0, harness)
            try await Self.fix(noah, at: 300, harness)
            _ = try await port.enrol("olaf", client)
            #expect(try await Self.list("", port, client).positions.map(\.isSilent) == [false, false])
            try await harness.timers.fireDue()
            let all = try await Self.list("", port, client)
            #expect(all.positions.map(\.courier) == [mira.id, noah.id] && all.next == nil)
            #expect(all.asOf == seconds(300))
            #expect(all.positions.map(\.latest?.time) == [seconds(0), seconds(300)])
            #expect(all.positions.map(\.isSilent) == [true, false])
            #expect(all.positions.map(\.deliveries) == [[delivery.id], []])
            for position in all.positions {
                let alone = try await client.execute(
                    uri: "/v1/couriers/\(position.courier)", method: .get,
                    headers: try await port.token(.operator, "ada"))
                let body = try WireJSON.decode(CourierPositionBody.self, from: Data(alone.body.readableBytesView))
                #expect(body == position)
            }
            let first = try await Self.list("?limit=1", port, client)
            #expect(first.positions == [all.positions[0]] && first.next == mira.id)
            let rest = try await Self.list("?limit=1&after=mira", port, client)
            #expect(rest.positions == [all.positions[1]] && rest.next == nil)
            let since = WireJSON.text(of: seconds(1))
            #expect(try await Self.list("?since=\(since)", port, client).positions.map(\.courier) == [noah.id])
            harness.move(to: 300 + 86_401)
            #expect(try await Self.list("", port, client).positions == [])
            let refused = try await client.execute(
                uri: "/v1/courier-positions?since=yesterday", method: .get,
                headers: try await port.token(.operator, "ada"))
            #expect(refused.status == .badRequest)
        }
    }

    @Test("What another process ingested is read from the table, and what this one did is not")
    func cache() async throws {
        try await Port.run { harness, port, client in
            try await Self.fix(mira, at: 0, harness)
            try await Self.fix(noah, at: 0, harness)
            harness.move(to: 15)
            let newer = Fix(time: seconds(15), place: along(15.0 / 900), accuracy: 10, speed: 3.2)
            _ = try await harness.another()([newer], of: noah.id)
            // Whoever read the table for mira would find her nowhere.
            try await harness.pool.execute("DELETE FROM fixes WHERE courier_id = \(mira.id)")
            let positions = try await Self.list("", port, client).positions
            #expect(positions.map(\.latest?.time) == [seconds(0), seconds(15)])
        }
    }
}
