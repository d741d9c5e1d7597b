import BrowserSupport
import DoorstepAPI
import OrderDomain
import SimulationSupport
import Testing

extension BrowserTests {
    @Test("A service that is away is named with since when; the desk itself away, its pages say so and are right again")
    func deskOutages() async throws {
        try await OpenDelivery.run { delivery in
            try await delivery.set(.accepted)
            let desk = try await DeskOfDelivery(of: delivery)
            let other = try await DeskOfDelivery(of: delivery, as: "bo")
            try await desk.open(desk.path)
            await delivery.stack.kill9(.courierETA)
            try await delivery.set(.picking)
            try await desk.expect("#details", contains: "courier-eta does not answer since")
            try await desk.expect(".facts", contains: "picking")
            try await delivery.expectAccessible(desk.page)
            try await delivery.stack.start(.courierETA)
            try await delivery.set(.staged)
            try await desk.page.waitUntil("nothing is missing any more") {
                try await !desk.page.element("#details").text.contains("does not answer")
            }

            let couriers = try await DeskOfDelivery(of: delivery, as: "cleo")
            let health = try await DeskOfDelivery(of: delivery, as: "dan")
            try await couriers.open("/couriers")
            try await health.open("/health")
            await delivery.stack.kill9(.desk)
            for page in [desk.page, other.page, couriers.page, health.page] {
                try await page.waitUntil("the page says that there is no connection") {
                    try await page.element("#connection").text.hasPrefix("No connection to the desk since")
                }
            }
            try await delivery.assignMira()
            try await delivery.stack.start(.desk)
            try await desk.expectConnected()
            try await other.expectConnected()
            try await couriers.expectConnected()
            try await health.expectConnected()
            try await desk.expect(".facts", contains: "Mira")
            try await couriers.expect("main", contains: "Mira")
            try await other.expect(other.row, contains: "packed, has a courier")

            // Signed out elsewhere, a page leads to sign in and changes nothing.
            try await desk.page.deleteCookies()
            try await desk.open("\(desk.path)/change/hold")
            try await desk.expect("main", contains: "doorstep desk open")
        }
    }

    @Test("Without scripts, and with the keyboard alone, everything can be read and changed")
    func deskPlain() async throws {
        try await OpenDelivery.run { delivery in
            try await delivery.set(.accepted)
            let desk = try await DeskOfDelivery(of: delivery, scripts: false)
            try await desk.expect(desk.row, contains: "accepted, no courier")
            try await desk.page.element("\(desk.row) input").click()
            try await desk.page.type("storm", into: "#bulk [name=reason]")
            try await desk.page.click("#bulk button")
            try await desk.expect("main", contains: "Do it to 1")
            try await desk.page.click("#commit")
            try await desk.expect("main", contains: "done; it is at version")
            #expect(try await delivery.delivery().flags.contains(.onHold))

            let keys = try await DeskOfDelivery(of: delivery, as: "bo")
            try await keys.expect(keys.row, contains: "on hold")
            try await keys.page.type("/")
            try await keys.page.type(delivery.reference)
            try await keys.page.press(.enter)
            try await keys.page.waitUntil("it is found") { try await keys.page.url.contains("q=\(delivery.reference)") }
            try await keys.expect(keys.row, contains: "on hold")
            try await keys.page.type("j")
            try await keys.page.press(.enter)
            try await keys.expect("h1", contains: delivery.reference)
            try await delivery.expectSilentConsole(keys.page)
        }
    }

    @Test("The desk's pages are drawn for docs/", .enabled(if: screenshots != nil))
    func deskScreenshots() async throws {
        let folder = try #require(Self.screenshots)
        try await OpenDelivery.run(isAlone: true) { delivery in
            try await delivery.set(.accepted, .picking, .staged)
            try await delivery.assignMira()
            try await delivery.ride(0)
            try await delivery.set(.pickedUp, .enRoute)
            try await delivery.ride(0.4)
            let desk = try await DeskOfDelivery(of: delivery)
            for (name, path) in [
                ("now", "/"), ("map", "/map"), ("couriers", "/couriers"), ("dead-letters", "/dead-letters"),
                ("health", "/health"), ("delivery", desk.path),
            ] {
                try await desk.open(path)
                if name == "map" {
                    try await desk.page.waitUntil("the map has all") {
                        try await desk.page.elements(".mark").count == 3
                    }
                }
                try await desk.page.draw("desk-\(name)", in: folder)
            }
            try await desk.preview("hold", reason: "wrong address")
            try await desk.expect("#preview", contains: "on hold")
            try await desk.page.draw("desk-change", in: folder)
            try await desk.page.deleteCookies()
            try await desk.open("/sign-in")
            try await desk.page.draw("desk-sign-in", in: folder)
        }
    }
}
