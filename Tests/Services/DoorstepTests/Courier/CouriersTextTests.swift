import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import Testing
import TimePresentation

@testable import Doorstep

@Suite("The list of couriers")
struct CouriersTextTests {
    private func row(_ id: String, lastSeenAt: Date?) throws -> CouriersBody.Row {
        .init(
            courier: try #require(CourierID(rawValue: id)), name: "Mira", phones: 1, lastSeenAt: lastSeenAt,
            onDuty: true, deliveries: 2)
    }

    private let times = StoreTimes(
        timeZone: "Europe/Copenhagen", now: Date(timeIntervalSince1970: 1_795_280_400 + 3_600))

    @Test("It says when each was last seen, and of one that never was that it never was")
    func lastSeen() throws {
        let couriers = [
            try row("mira", lastSeenAt: Date(timeIntervalSince1970: 1_795_280_400)), try row("per", lastSeenAt: nil),
        ]
        let lines = couriers.table(times).text.split(separator: "\n")
        #expect(lines.count == 3 && lines[0].hasSuffix("LAST SEEN"))
        #expect(lines[1].hasPrefix("mira") && lines[1].hasSuffix("18:00:00"))
        #expect(lines[2].hasPrefix("per") && lines[2].contains("never"))
        #expect([CouriersBody.Row]().table(times).text == "no couriers")
    }

    @Test("A narrow terminal gives up columns and names them", arguments: [(60, 0), (50, 1), (44, 2), (40, 3)])
    func narrow(columns: Int, leftOut: Int) throws {
        let couriers = [try row("courier-1", lastSeenAt: Date(timeIntervalSince1970: 1_795_280_400))]
        let lines = couriers.table(times, columnsMax: columns).lines
        #expect(lines.allSatisfy { $0.columns <= columns }, "\(lines)")
        let names = ["PHONES", "NAME", "LAST SEEN"].prefix(leftOut)
        #expect(lines.last?.hasPrefix("left out: \(names.joined(separator: ", "))") == (leftOut > 0))
    }
}
