import BrowserSupport
import DoorstepAPI
import LiveActivity
import OrderDomain
import Testing

extension BrowserTests {
    @Test("A delivery is followed from placed to delivered: the page is the phone's card at each step, by itself")
    func followed() async throws {
        try await OpenDelivery.run { delivery in
            try await delivery.page.open(delivery.link)
            try await delivery.expectAccessible()
            try await delivery.set(.accepted, .picking)
            try await delivery.expectPhoneCard(in: .init(.picking))
            try await delivery.report("oats", .init(status: .found))
            try await delivery.page.expect("#order", contains: "2 × Oat milk: in the bag")
            try await delivery.report("bread", .init(status: .found))
            try await delivery.assignMira()
            try await delivery.set(.staged)
            try await delivery.expectPhoneCard(in: .init(.packed))
            try await delivery.ride(0)
            try await delivery.set(.pickedUp, .enRoute)
            try await delivery.ride(0.3)
            try await delivery.expectPhoneCard(in: .init(.onTheWay))
            try await delivery.expectAccessible()
            try await delivery.set(.arriving)
            try await delivery.expectPhoneCard(in: .init(.arriving))
            try await delivery.set(.atDoor)
            try await delivery.expectPhoneCard(in: .init(.atDoor))
            try await delivery.set(.delivered)
            try await delivery.expectPhoneCard(in: .init(.ended))
            try await delivery.expectAccessible()
            try await delivery.expectSilentConsole()
        }
    }
}
