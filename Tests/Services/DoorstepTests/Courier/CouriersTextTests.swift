import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Doorstep

@Suite("The list of couriers")
struct CouriersTextTests {
    private func row(_ id: String, lastSeenAt: Date?) throws -> CouriersBody.Row {
        .init(
            courier: try #require(CourierID(rawValue: id)), name: "Mira", phones: 1, lastSeenAt: lastSeenAt,
            onDuty: true, deliveries: 2)
    }

    @Test("It says when each was last seen, and of one that never was that it never was")
    func lastSeen() throws {
        let couriers = [
            try row("mira", lastSeenAt: Date(timeIntervalSince1970: 1_795_280_400)), try row("per", lastSeenAt: nil),
        ]
        let lines = couriers.table.text.split(separator: "\n")
        #expect(lines.count == 3 && lines[0].hasSuffix("LAST SEEN"))
        #expect(lines[1].hasPrefix("mira") && lines[1].contains("2026-11-21T17:00:00.000Z"))
        #expect(lines[2].hasPrefix("per") && lines[2].contains("never"))
        #expect([CouriersBody.Row]().table.text == "no couriers")
    }
}
