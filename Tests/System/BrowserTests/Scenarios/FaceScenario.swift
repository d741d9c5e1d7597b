import BrowserSupport
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing
import WireCoding

extension BrowserTests {
    @Test("A store's logo, name and colours are on its pages, legible in both appearances")
    func face() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await delivery.setFace()
            try await delivery.openWithFace()
            #expect(
                try await page.execute("return document.querySelector('.shop img').naturalWidth", as: Int.self) == 240)
            #expect(try await page.element("meta[property='og:site_name']").attribute("content") == "Nordhavn Market")
            for (appearance, colour) in [(MediaFeature.light, "rgb(10, 107, 112)"), (.dark, "rgb(95, 208, 214)")] {
                try await page.prefer(appearance)
                let script = "return getComputedStyle(document.querySelector('.shop .name')).color"
                #expect(try await page.execute(script, as: String.self) == colour)
            }
            try await delivery.expectAccessible()
            try await delivery.prove()
            try await delivery.expectAccessible()
            try await delivery.expectSilentConsole()

            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()
            try await courier.page.expect(".shop .name", contains: "Nordhavn Market")
            try await delivery.expectAccessible(courier.page)
        }
    }

    @Test("A supervisor previews a store's face at the desk and sets it")
    func faceAtDesk() async throws {
        try await OpenDelivery.run { delivery in
            let desk = try await DeskOfDelivery(of: delivery)
            try await desk.open("/stores/\(delivery.store)/face")
            try await desk.page.type("Havnen", into: "#face-name")
            try await desk.page.type("#ffcc00", into: "#face-light")
            try await desk.page.click("#face-preview")
            try await desk.expect("figcaption", contains: "The nearest is #886d00.")
            try await delivery.expectAccessible(desk.page)
            try await desk.page.click("#face-set")
            try await desk.expect("[role=alert]", contains: "colours.light")
            try await desk.page.element("#face-light").clear()
            try await desk.page.type("#886d00", into: "#face-light")
            try await desk.page.click("#face-set")
            try await desk.expect("[role=status]", contains: "It is set.")
            try await delivery.expectAccessible(desk.page)
        }
    }

    @Test(
        "Pages with a store's face are drawn for docs/, light and dark, on a phone and on a desktop",
        .enabled(if: screenshots != nil))
    func faceScreenshots() async throws {
        let folder = try #require(Self.screenshots)
        try await OpenDelivery.run { delivery in
            try await delivery.setFace()
            try await delivery.openWithFace()
            try await delivery.page.draw("page-face", in: folder)
            let desk = try await DeskOfDelivery(of: delivery)
            try await desk.open("/stores/\(delivery.store)/face")
            try await desk.page.draw("desk-face", in: folder)
            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()
            try await courier.page.draw("courier-face", in: folder)
        }
    }
}

extension OpenDelivery {
    /// The store of the scenario.
    var store: String { "nordhavn-\(number)" }

    private static var logo: Data {
        get throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
            return try Data(contentsOf: folder.appending(path: "../Harness/logo.png").standardized)
        }
    }

    /// Gives the store a name, two colours, an e-mail address and a logo.
    func setFace() async throws {
        let path = "/v1/stores/\(store)/face"
        let body = PutFaceBody(
            name: "Nordhavn Market", colours: .init(light: "#0a6b70", dark: "#5fd0d6"),
            contact: StoreContact(phone: "+45 33 12 34 56", email: "help@nordhavn.example"))
        let _: FaceBody = try await stack.asStore.send(.PUT, .orders, path, body)
        try await stack.asStore.exchange(.PUT, .orders, "\(path)/logo", try Self.logo)
    }

    /// Opens the customer's page, again until it has the face.
    func openWithFace() async throws {
        try await page.waitUntil("the page has the store's face") {
            try await page.open(link)
            return try await !page.elements(".shop img").isEmpty
        }
    }
}
