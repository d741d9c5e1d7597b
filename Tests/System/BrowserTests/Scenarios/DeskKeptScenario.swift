import BrowserSupport
import OrderDomain
import Testing

extension BrowserTests {
    @Test("The focus and a note that is being written outlast each change of a delivery's page")
    func deskKeepsPlace() async throws {
        try await OpenDelivery.run { delivery in
            try await delivery.set(.accepted)
            let ada = try await DeskOfDelivery(of: delivery)
            let bo = try await DeskOfDelivery(of: delivery, as: "bo")
            try await ada.open(ada.path)
            try await ada.expect("#triage", contains: "No owner yet.")
            try await ada.page.execute("document.getElementById('change-hold').focus()")
            try await delivery.set(.picking)
            try await ada.expect(".facts", contains: "picking")
            #expect(try await ada.page.activeElement.attribute("id") == "change-hold")

            // The owner is part of what follows; the form beside it is not.
            try await ada.page.type("Ring twice", into: "#note")
            try await bo.open(bo.path)
            try await bo.page.click("button[value=own]")
            try await ada.expect("#triage", contains: "Owner: bo.")
            #expect(try await ada.page.element("#note").property("value", as: String.self) == "Ring twice")
            #expect(try await ada.page.activeElement.attribute("id") == "note")
            try await delivery.expectAccessible(ada.page)
        }
    }

    @Test("The button of a row that calls keeps the focus when the row changes")
    func deskKeepsCallButton() async throws {
        try await OpenDelivery.run { delivery in
            try await delivery.set(.accepted, .picking, .staged)
            try await delivery.assignMira()
            try await delivery.set(.pickedUp, .enRoute, .atDoor, .attempted)
            let ada = try await DeskOfDelivery(of: delivery)
            let bo = try await DeskOfDelivery(of: delivery, as: "bo")
            let call = "\(ada.row) button.call"
            try await ada.expect(call, contains: "Call the customer")
            try await ada.page.execute("document.querySelector(arguments[0]).focus()", call)
            try await bo.open(bo.path)
            try await bo.page.click("button[value=own]")
            try await ada.expect(ada.row, contains: "owner bo")
            #expect(try await ada.page.activeElement.attribute("class") == "call")
        }
    }
}
