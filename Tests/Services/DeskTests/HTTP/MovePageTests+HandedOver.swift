import DeliverySamples
import Foundation
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import Testing

@testable import Desk

extension MovePageTests {
    @Test(
        "Goods that the customer has by the courier's word stay where all of a courier's are given away, and are named",
        arguments: [true, false])
    func handedOver(hasOthers: Bool) async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let held = SampleDeliveries.whole(
                SampleDeliveries.toEnRoute + [.hold(reason: CourierProblem.vehicle.reason)])
            let byWord = SampleDeliveries.whole(
                number: 2, SampleDeliveries.toEnRoute + [.handedOverUnconfirmed],
                proof: DeliveryProof(required: [ProofKind.photo]))
            try desk.services.know(held)
            try desk.services.answer(
                "orders", "/v1/deliveries", ServicesByTest.board(hasOthers ? [held, byWord] : [byWord]))
            await desk.reader.read()
            let page = try await ada.get("/couriers/mira/move")
            #expect(page.0.status == (hasOthers ? .ok : .notFound))
            #expect(page.html.contains("1 is handed over, to be confirmed, and stays with Mira: A-1043 2/2."))
            #expect(page.html.contains("value=\"\(held.id) \(held.version)\"") == hasOthers)
            #expect(page.html.contains("Give Mira&#39;s 1 to another courier") == hasOthers)
            #expect(!page.html.contains(byWord.id.rawValue))
            let delivery = try await ada.get("/deliveries/\(held.id)").html
            #expect(!delivery.contains("href=\"/couriers/mira/move\""), "the courier has no other to give away")
        }
    }
}
