import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

extension PressStopTests {
    @Test("A hand-over that was a mistake is disputed after ten seconds, and stays as it was reported")
    func mistaken() async throws {
        try await withRound { round in
            for action in [CourierAction.pickedUp, .atDoor, .handedOver] { try await round.press(action, held: 10) }
            let before = try await round.delivery()
            let press = try await round.press(.mistaken)
            #expect(try await round.delivery() == before)
            try await round.pass(10)
            let after = try await round.delivery()
            #expect(after.status == before.status && after.endedAt == before.endedAt)
            #expect(after.flags.contains(.disputed) && after.version == before.version + 1)
            #expect(try await round.state(of: press) == .done)
            let entries = try await round.timeline().filter { $0.kind == "dispute" }
            #expect(entries.map(\.by) == ["courier mira"] && entries[0].reason?.hasPrefix("courier: ") == true)
            let board: BoardBody =
                try await round.orders.send(
                    round.client, .get, "/v1/deliveries?flag=disputed", as: .operator, "ada"
                ).decode()
            #expect(board.deliveries.map(\.id) == [round.id])
        }
    }

    @Test("A disputed hand-over needs an operator, among what is live, until one decides; nobody else lists it")
    func disputed() async throws {
        try await withRound { round in
            for action in [CourierAction.pickedUp, .atDoor, .handedOver, .mistaken] {
                try await round.press(action, held: 10)
            }
            let customer = try await round.delivery().customer.rawValue
            func board(_ role: Role, _ subject: String) async throws -> BoardBody {
                try await round.orders.send(round.client, .get, "/v1/deliveries", as: role, subject).decode()
            }
            let listed = try await board(.operator, "ada")
            #expect(listed.deliveries.map(\.id) == [round.id] && listed.counts.live == 0)
            #expect(listed.deliveries.map(\.need) == [.disputed])
            #expect(try await board(.customer, customer).deliveries.isEmpty)
            #expect(try await board(.courier, "mira").deliveries.isEmpty)

            let path = "/v1/deliveries/\(round.id)"
            let read: DeliveryBody = try await round.orders.send(round.client, .get, path, as: .operator, "ada")
                .decode()
            #expect(read.allowed.contains(.delivered) && read.allowed.contains(.enRoute))
            func decide(_ reason: String?) async throws -> HTTPResponse.Status {
                try await round.orders.send(
                    round.client, .post, path + "/status", as: .operator, "ada",
                    StatusBody(status: .delivered, reason: reason), ["If-Match": "\"v\(read.version)\""]
                ).status
            }
            #expect(try await decide(nil) == .unprocessableContent)
            #expect(try await decide("the customer has it") == .ok)
            #expect(try await board(.operator, "ada").deliveries.isEmpty)
            #expect(try await round.delivery().flags.isEmpty, "its customer reads no more that it is looked into")
        }
    }

    @Test("A mistake is refused once the page does not show the hand-over any more")
    func oldMistake() async throws {
        try await withRound { round in
            for action in [CourierAction.pickedUp, .atDoor, .handedOver] { try await round.press(action, held: 10) }
            round.orders.clock.advance(by: 43_201)
            await #expect(throws: PressStop.Refusal.tooOld) { try await round.press(.mistaken) }
            #expect(try await round.delivery().disputedAt == nil)
        }
    }

    @Test("A mistake is accepted as long as the page shows the hand-over")
    func lateMistake() async throws {
        try await withRound { round in
            for action in [CourierAction.pickedUp, .atDoor, .handedOver] { try await round.press(action, held: 10) }
            round.orders.clock.advance(by: 43_199)
            #expect(try await round.press(.mistaken, held: 10).state == .done)
            #expect(try await round.delivery().disputedAt != nil)
        }
    }

    @Test("A hand-over by word is on the page, and may be a mistake, for twelve hours since its confirmation")
    func confirmedMistake() async throws {
        try await OrdersUnderTest.run { orders, client in
            let round = Round(
                orders: orders, client: client,
                id: try await GiveProofTests.atDoor(requiring: [.photo], orders, client),
                mira: try #require(CourierID(rawValue: "mira")), press: PressStop(change: orders.change))
            let word = PressStop.Request(id: UUID(), delivery: round.id, action: .handedOver, isLate: true)
            _ = try await round.press(word, by: round.mira)
            let endedAt = orders.clock.now
            orders.clock.advance(by: 39_600)
            _ = try await orders.change(
                round.id, .override(.delivered, reason: "a call"), by: Principal(.operator("ada")))
            #expect(try await round.delivery().endedAt == endedAt)
            func isShown() async throws -> Bool {
                let since = orders.clock.now.addingTimeInterval(-CourierAction.endedSeconds)
                return try await CourierPressRepository.ended(of: round.mira, since: since, on: orders.pool)
                    .contains { $0.delivery.id == round.id }
            }
            orders.clock.advance(by: 43_199)
            #expect(try await isShown())
            #expect(try await round.press(.mistaken, held: 10).state == .done)
            orders.clock.advance(by: 2)
            #expect(try await !isShown())
        }
    }

    @Test(
        "A reported hand-over that an operator confirmed is on the page, however long before it the courier pressed",
        arguments: [(0.5, 11.0, 12.25), (14.0, 25.0, 25.25)])
    func confirmedReport(reportedAfter: Double, confirmedAfter: Double, readAfter: Double) async throws {
        try await OrdersUnderTest.run { orders, client in
            let round = Round(
                orders: orders, client: client,
                id: try await GiveProofTests.atDoor(requiring: [.photo], orders, client),
                mira: try #require(CourierID(rawValue: "mira")), press: PressStop(change: orders.change))
            #expect(try await round.press(.atDoor).state == .done)
            orders.clock.advance(by: reportedAfter * 3_600)
            try await report(.delivered, of: round)
            orders.clock.advance(by: (confirmedAfter - reportedAfter) * 3_600)
            _ = try await orders.change(
                round.id, .override(.delivered, reason: "a call"), by: Principal(.operator("ada")))
            orders.clock.advance(by: (readAfter - confirmedAfter) * 3_600)
            let since = orders.clock.now.addingTimeInterval(-CourierAction.endedSeconds)
            let shown = try await CourierPressRepository.ended(of: round.mira, since: since, on: orders.pool)
            #expect(shown.map(\.delivery.id) == [round.id])
        }
    }

    @Test("The list of disputed deliveries has a hand-over until an operator decides, however long that is")
    func oldDispute() async throws {
        try await withRound { round in
            for action in [CourierAction.pickedUp, .atDoor, .handedOver, .mistaken] {
                try await round.press(action, held: 10)
            }
            round.orders.clock.advance(by: 49 * 3_600)
            func disputed() async throws -> [DeliveryID] {
                let board: BoardBody =
                    try await round.orders.send(
                        round.client, .get, "/v1/deliveries?flag=disputed", as: .operator, "ada"
                    ).decode()
                return board.deliveries.map(\.id)
            }
            #expect(try await disputed() == [round.id])
            let decided = try await round.orders.send(
                round.client, .post, "/v1/deliveries/\(round.id)/status", as: .operator, "ada",
                StatusBody(status: .delivered, reason: "the customer has it"), ["If-Match": "*"])
            #expect(decided.status == .ok)
            #expect(try await disputed().isEmpty)
        }
    }
}
