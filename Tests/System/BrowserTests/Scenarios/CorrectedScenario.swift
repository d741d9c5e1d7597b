import BrowserSupport
import DoorstepAPI
import OrderDomain
import Testing

extension BrowserTests {
    @Test("An address that the desk corrects is on the courier's page, which names what changed, and on the customer's")
    func corrected() async throws {
        let dropOff = DropOff(
            recipient: Recipient(name: "Mette Holm"), address: Address(street: "Falkoner Alle 1"), note: nil)
        try await OpenDelivery.run(to: dropOff) { delivery in
            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()
            try await courier.expect("Falkoner Alle 1")

            let desk = try await DeskOfDelivery(of: delivery)
            try await desk.open("\(desk.path)/change/drop-off")
            try await desk.page.element("#street").clear()
            try await desk.page.element("#street").type("Strandgade 2")
            try await desk.page.element("#reason").type("the customer called")
            try await desk.page.click("#change button")
            try await desk.expect("main", contains: "needs the door's position")
            try await desk.page.element("#door").type("55.6950, 12.5500")
            try await desk.page.click("#change button")
            try await desk.page.waitUntil("there is a preview") { try await !desk.page.elements("#commit").isEmpty }
            try await delivery.expectAccessible(desk.page)
            #expect(try await delivery.delivery().address?.street == "Falkoner Alle 1", "nothing has changed yet")
            try await desk.commit()
            try await desk.expect(".events", contains: "corrected: door, street")

            try await courier.expect("Strandgade 2")
            try await courier.expect("Changed at")
            try await delivery.expectAccessible(courier.page)
            try await delivery.page.open(delivery.link)
            try await delivery.prove()
            try await delivery.expect("#about", contains: "Strandgade 2")
            try await delivery.expectSilentConsole(courier.page)
            try await delivery.expectSilentConsole()
        }
    }
}
