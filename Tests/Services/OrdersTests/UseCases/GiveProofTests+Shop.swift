import DomainTime
import DoorstepAPI
import Foundation
import HummingbirdTesting
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

extension GiveProofTests {
    @Test("A shop's two hundredth wrong PIN in an hour is compared, and the next is not")
    func overShop() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.pin], orders, client)
            let wrong = try Self.wrong(try await Self.pin(of: id, orders))
            let give = GiveProof(change: orders.change, pins: try OrdersUnderTest.pins)
            let shop = Principal(.store("nordhavn"))
            await #expect(throws: GiveProof.Refusal.wrongPIN(triesLeft: 4)) {
                try await give.pin(wrong, of: id, by: shop)
            }
            let counted = try await orders.pool.execute(
                "UPDATE reference_guesses SET attempts = 199 WHERE guesser = 'pin/store nordhavn'")
            #expect(counted == 1)
            await #expect(throws: GiveProof.Refusal.wrongPIN(triesLeft: 3)) {
                try await give.pin(wrong, of: id, by: shop)
            }
            let until = orders.clock.now.addingTimeInterval(3_600)
            await #expect(throws: GiveProof.Refusal.tooManyWrong(until: until)) {
                try await give.pin(wrong, of: id, by: shop)
            }
        }
    }
}
