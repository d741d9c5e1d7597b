import DomainTime
import DoorstepAPI
import Foundation
import HummingbirdTesting
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

extension GiveProofTests {
    @Test(
        "A page shows the PIN to the reader who gave the order's number alone, until the PIN or the goods were given",
        arguments: [DeliveryChange.pin(isRight: true), .handedOverUnconfirmed])
    func page(change: DeliveryChange) async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.pin], orders, client)
            let pin = try await Self.pin(of: id, orders)
            let delivery = try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery
            let signer = orders.pressLink.signer
            let token = signer.token(of: .details(of: id, promiseEnd: delivery.promise.end))
            let proof = signer.proof(of: delivery.order, at: orders.clock.now)
            func html(_ proof: String?) async throws -> String {
                let state = try await orders.showPage(token, proof: { _ in proof })
                return DeliveryPage(
                    state: state, signer: signer, words: Words(locale: "en"), now: orders.clock.now.epochSeconds
                ).html()
            }
            #expect(try await !html(nil).contains(#"id="pin""#))
            #expect(try await html(proof).contains("PIN \(pin.digits)"))
            _ = try await orders.change(id, change, by: Self.mira)
            #expect(try await !html(proof).contains(#"id="pin""#))
            // Handed over by word there is no line about the delivery for a reader without the number.
            #expect(try await html(nil).contains(#"id="about""#) == (change == .pin(isRight: true)))
        }
    }
}
