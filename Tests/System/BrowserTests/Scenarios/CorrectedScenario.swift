import BrowserSupport
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing
import WireCoding

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
            try await desk.page.type("Strandgade 2", into: "#street")
            try await desk.page.type("the customer called", into: "#reason")
            try await desk.page.click("#change button")
            try await desk.expect("main", contains: "needs the door's position")
            try await desk.page.type("55.6950, 12.5500", into: "#door")
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

    @Test(
        "A correction is on the courier's page at once, and leaves open panels, and a signature in one, where they are")
    func correctedWhileSigning() async throws {
        try await OpenDelivery.run(requires: [.signature]) { delivery in
            let courier = try await CourierOfDelivery(atDoorOf: delivery)
            let (page, id) = (courier.page, delivery.id)
            try await page.waitUntil("nothing waits") { try await page.elements("[id^=\"undo-\"]").isEmpty }
            try await page.click("[id=\"problem-summary-\(id)\"]")
            try await page.click("[id=\"signature-\(id)\"] summary")
            try await page.draw(on: "[id=\"signature-drawing-\(id)\"]", through: [(-80, 20), (-40, -30), (40, -20)])
            let top = try await page.top(of: "signature-\(id)")
            try await delivery.stack.asStore.exchange(
                .PATCH, .orders, "/v1/deliveries/\(id)/drop-off",
                try WireJSON.encode(DropOffBody(note: .text("Ring twice"))))
            try await courier.expect("Changed at")
            #expect(try await page.elements("#live details[open]").count == 2)
            #expect(try await abs(page.top(of: "signature-\(id)") - top) < 2)
            #expect(try await page.element("[id=\"signature-drawing-\(id)\"]").attribute("data-signed") == "true")
            try await page.click("[data-takes=\"signature-drawing-\(id)\"]")
            try await page.waitUntil("the signature is given") {
                try await delivery.delivery().proofs?.map(\.state) == [.passed]
            }
            try await delivery.expectSilentConsole(page)
        }
    }
}

extension BrowserPage {
    /// How far below the upper edge of what is seen of the page an element begins, in CSS pixels.
    fileprivate func top(of id: String) async throws -> Double {
        try await execute(
            "return document.getElementById(arguments[0]).getBoundingClientRect().top", id, as: Double.self)
    }
}
