import BrowserSupport
import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import SimulationSupport
import Testing

extension BrowserTests {
    @Test("Names with markup, in both directions and very long ones stay what they are, at every width")
    func names() async throws {
        let names = [
            "<script>document.title='x'</script>", "\u{202E}Oat milk", "חלב שיבולת שועל 1 ליטר",
            String(repeating: "Øllebrødsbar", count: 5),
        ]
        let items = try names.enumerated().map {
            PlaceOrderBody.Line(id: try #require(ItemID(rawValue: "item-\($0)")), name: $1, quantity: 1)
        }
        try await OpenDelivery.run(items: items) { delivery in
            let page = delivery.page
            try await page.open(delivery.link)
            for name in [names[0], "Oat milk", names[2]] { try await delivery.expect("#order", contains: name) }
            #expect(try await !page.source.contains("\u{202E}"))
            for width in [320, 390, 768, 1280] {
                try await page.resize(to: ViewportSize(width: width, height: 800))
                let overflow = try await page.execute(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth", as: Int.self)
                #expect(overflow <= 0, "\(width) px")
            }
            try await delivery.expectAccessible()
            try await delivery.expectSilentConsole()
        }
    }

    @Test("A page is in its reader's language, and whoever has no good link reads why")
    func languagesAndRefusals() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await page.setLanguages("da-DK", "en")
            try await page.open(delivery.link)
            try await delivery.expect("#headline", contains: "Vi har modtaget din bestilling")
            #expect(try await page.element("html").attribute("lang") == "da")
            try await page.open(String(delivery.link.dropLast(3)) + "AAA")
            #expect(try await page.element("h1").text == "Her er ikke noget")
            try await delivery.expectAccessible()
        }
    }

    /// Where `DOORSTEP_SCREENSHOTS` names a folder, which `make screenshots` does.
    static var screenshots: URL? {
        ProcessInfo.processInfo.environment["DOORSTEP_SCREENSHOTS"].map { URL(filePath: $0) }
    }

    @Test(
        "Every page is drawn for docs/, light and dark, on a phone and on a desktop", .enabled(if: screenshots != nil))
    func screenshots() async throws {
        let folder = try #require(Self.screenshots)
        try await OpenDelivery.run(alertingBrowsers: true) { delivery in
            let page = delivery.page
            func draw(_ name: String) async throws { try await page.draw(name, in: folder) }
            let pages = ProcessStack.root.appending(path: "Sources/Runtime/WebPages")
            try await page.open(pages.appending(path: "Drawings/preview.svg").absoluteString)
            try await page.screenshot(
                to: pages.appending(path: "Assets/own/preview.png"), at: ViewportSize(width: 1200, height: 630))
            try await page.open(delivery.link)
            try await draw("page-placed")
            try await delivery.set(.accepted, .picking)
            try await delivery.report("bread", ItemBody(status: .found))
            try await delivery.report(
                "oats",
                ItemBody(
                    status: .substituteProposed,
                    substitute: .init(name: "Barista oats", priceDifferenceMinorUnits: 450)))
            try await delivery.prove()
            try await page.expect("#answer-0-approve-substitution")
            try await draw("page-question")
            try await page.click("#do-cancel")
            try await page.waitUntil("the page asks") { try await !page.elements("#press button").isEmpty }
            try await draw("page-cancel")
            try await page.open(delivery.link)
            try await page.click("#answer-0-approve-substitution")
            try await delivery.assignMira()
            try await delivery.set(.staged, .pickedUp, .enRoute)
            try await delivery.ride(0.4)
            try await page.open(delivery.link)
            try await delivery.expectPhoneCard(in: .init(.onTheWay))
            try await page.expect("#card", contains: "min")
            try await draw("page-on-the-way")
            try await delivery.set(.delivered)
            try await delivery.expectPhoneCard(in: .init(.ended))
            try await draw("page-delivered")
            try await page.open(String(delivery.link.dropLast(3)) + "AAA")
            try await draw("page-no-link")
        }
    }

    @Test("A courier's page is drawn for docs/", .enabled(if: screenshots != nil))
    func courierScreenshots() async throws {
        let folder = try #require(Self.screenshots)
        try await OpenDelivery.run(
            to: DropOff(
                recipient: Recipient(name: "Mette Holm", phone: "+45 20 30 40 50"),
                address: Address(
                    street: "Århusgade 12", floor: "3. tv", postalCode: "2100", city: "København Ø", doorCode: "1907"),
                note: "The bell is broken: please call.")
        ) { delivery in
            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()
            try await courier.page.draw("courier-fetch", in: folder)
            try await courier.press(.pickedUp)
            try await courier.press(.atDoor)
            try await courier.expect("Pressed: I am at the door.")
            try await courier.page.draw("courier-stops", in: folder)
            try await courier.page.setOffline(true)
            try await courier.press(.handedOver)
            try await courier.expect("Not sent yet: Handed over")
            try await courier.page.draw("courier-offline", in: folder)
        }
    }
}

extension BrowserPage {
    /// Draws the page as it is, light and dark, on a phone and on a desktop.
    func draw(_ name: String, in folder: URL) async throws {
        for (appearance, mark) in [(MediaFeature.light, "light"), (.dark, "dark")] {
            try await prefer(appearance)
            for size in [ViewportSize(width: 390, height: 844), ViewportSize(width: 1280, height: 800)] {
                try await screenshot(to: folder.appending(path: "\(name)-\(mark)-\(size.width).png"), at: size)
            }
        }
    }
}
