import Foundation
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import Orders

/// Presses that a report at the door, or the courier's word for the hand-over, comes before.
extension PressStopTests {
    @Test("A refused age check after a report of the attempt counts, so that nobody else passes it at the next visit")
    func refusedAfterAttempt() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await GiveProofTests.atDoor(requiring: [.age], orders, client)
            let round = Round(
                orders: orders, client: client, id: id, mira: try #require(CourierID(rawValue: "mira")),
                press: PressStop(change: orders.change))
            try await report(.attempted, of: round)
            #expect(try await round.press(.ageRefused, held: 10).state == .done)
            let delivery = try await round.delivery()
            #expect(delivery.status == .handedOver(.returning) && delivery.customerReason == .notVerified)
            #expect(delivery.proof?.result(of: .age)?.outcome == .refused && !delivery.canCheckAge)
        }
    }

    @Test("A broken vehicle that is reported for every stop leaves out what was handed over by the courier's word")
    func brokenVehicle() async throws {
        try await OrdersUnderTest.run { orders, client in
            let mira = try #require(CourierID(rawValue: "mira"))
            let press = PressStop(change: orders.change)
            var ids: [DeliveryID] = []
            for reference in ["G-1", "G-2", "G-3"] {
                ids.append(try await GiveProofTests.atDoor(requiring: [.photo], reference: reference, orders, client))
            }
            let word = PressStop.Request(id: UUID(), delivery: ids[0], action: .handedOver, isLate: true)
            _ = try await press(word, by: mira)
            let broken = PressStop.GroupRequest(
                id: UUID(), deliveries: ids, action: .problem(.vehicle), heldSeconds: 10)
            let held = try await press(broken, by: mira).map(\.delivery)
            #expect(Set(held) == Set(ids.dropFirst()))
            for id in ids {
                let delivery = try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery
                #expect(delivery.flags.contains(.onHold) == (id != ids[0]))
            }
        }
    }
}
