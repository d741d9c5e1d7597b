import BrowserSupport
import CardPresentation
import DoorstepAPI
import Foundation
import LiveActivity
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing
import WireCoding

/// What a hand-over requires, on the courier's page.
extension BrowserTests {
    @Test("A photo and a signature that are given without a network outlive the closed page, and deliver once sent")
    func provenOffline() async throws {
        try await OpenDelivery.run(requires: [.photo, .signature]) { delivery in
            let courier = try await CourierOfDelivery(atDoorOf: delivery)
            let page = courier.page
            try await courier.expect("Before the hand-over: a photo of the bag, a signature")
            try await delivery.expectAccessible(page)
            try await page.setOffline(true)
            try await courier.give(.photo)
            try await courier.expect("Not sent yet: a photo of the bag")
            try await courier.give(.signature)
            try await courier.expect("Not sent yet: a signature")
            try await page.click("[id=\"after-\(delivery.id)\"]")
            try await courier.expect("Handed over, to be confirmed. It is sent as soon as there is a connection.")
            try await delivery.expectAccessible(page)
            #expect(try await delivery.delivery().status == .atDoor)

            try await page.open("about:blank")
            try await page.setOffline(false)
            try await page.open(courier.link)
            try await courier.waitUntil(.delivered)
            let proofs = try await delivery.delivery().proofs ?? []
            #expect(proofs.map(\.state) == [.passed, .passed])
            for proof in proofs {
                let image = try await delivery.image(#require(proof.image))
                // What the camera wrote: its name, the place, and a comment.
                for text in ["Exif", "Courier camera", "at the door"] {
                    #expect(image.firstRange(of: Data(text.utf8)) == nil, "\(proof.kind) has \(text)")
                }
                let start: [UInt8] = proof.kind == .photo ? [0xFF, 0xD8, 0xFF] : [0x89, 0x50, 0x4E, 0x47]
                #expect(image.starts(with: start))
            }
            try await delivery.page.open(delivery.link)
            try await delivery.expectPhoneCard(in: .init(.ended))
        }
    }

    @Test("A wrong PIN that was entered without a network asks a person and delivers nothing; the right one delivers")
    func wrongPINOffline() async throws {
        try await OpenDelivery.run(requires: [.pin]) { delivery in
            let courier = try await CourierOfDelivery(atDoorOf: delivery)
            let page = courier.page
            let pin = try #require(try await delivery.deliveryOfCustomer().pin)
            #expect(try await delivery.delivery().pin == nil, "the shop does not see it")
            try await page.setOffline(true)
            try await courier.give(pin: pin == "1234" ? "4321" : "1234")
            try await courier.expect("Not sent yet: the customer's PIN")
            try await page.click("[id=\"after-\(delivery.id)\"]")
            try await courier.expect("Handed over, to be confirmed.")
            try await page.setOffline(false)
            try await page.reload()
            try await courier.expect("Handed over, to be confirmed: the shop decides about the missing proof.")
            try await delivery.expectAccessible(page)
            let undecided = try await delivery.delivery()
            #expect(undecided.status == .atDoor && undecided.undecidedSince != nil)
            #expect(try await courier.page.element("main").text.contains("4 tries are left"))

            // The courier is still at the door, and enters the right one.
            try await courier.give(pin: pin)
            try await courier.waitUntil(.delivered)
            #expect(try await delivery.delivery().proofs?.map(\.state) == [.passed])
        }
    }

    @Test("A refused age check sends the goods back, and the customer's phone says why")
    func refusedAge() async throws {
        try await OpenDelivery.run(requires: [.age]) { delivery in
            let courier = try await CourierOfDelivery(atDoorOf: delivery)
            #expect(try await courier.page.elements(courier.selector(of: .handedOver)).isEmpty)
            try await courier.page.click("[id=\"age_refused-\(delivery.id)\"]")
            try await courier.expect("Pressed: Not old enough, or no ID")
            try await courier.waitUntil(.returning)
            #expect(try await delivery.delivery().proofs?.map(\.state) == [.refused])
            try await delivery.page.open(delivery.link)
            try await delivery.page.waitUntil("the page shows the phone's card, with the reason") {
                guard let face = await delivery.phoneFace(), let detail = face.detail else { return false }
                let card = try await delivery.page.element("#card").text
                return detail.contains("check at the door") && card.contains(detail)
            }
            try await delivery.expectAccessible()
        }
    }
}

extension OpenDelivery {
    fileprivate func image(_ hash: String) async throws -> Data {
        try await stack.asStore.exchange(.GET, .orders, "/v1/deliveries/\(id)/images/\(hash)")
    }

    fileprivate func deliveryOfCustomer() async throws -> DeliveryBody {
        let customer = RetryingClient(stack: stack, token: try await stack.tokens.customer(Self.customer(number)))
        return try await customer.get(.orders, "/v1/deliveries/\(id)")
    }
}
