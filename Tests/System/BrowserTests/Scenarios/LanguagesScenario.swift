import BrowserSupport
import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import Testing

extension BrowserTests {
    @Test("In every language the pages of a customer and a courier fit, are accessible, and begin on their side")
    func languages() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            let courier = try await CourierOfDelivery(of: delivery)
            try await page.open(delivery.link)
            try await delivery.prove()
            for language in Words.languages {
                for (link, shown) in [(delivery.link, "#card"), (courier.link, "#\(courier.stop)")] {
                    try await page.setLanguages(language)
                    try await page.open(link)
                    try await page.expect(shown)
                    let html = try await page.element("html")
                    #expect(try await html.attribute("lang") == language)
                    #expect(try await html.attribute("dir") == (language == "ar" ? "rtl" : "ltr"))
                    for width in [320, 390, 1280] {
                        try await page.resize(to: ViewportSize(width: width, height: 800))
                        let overflow = try await page.execute(
                            "return document.documentElement.scrollWidth - document.documentElement.clientWidth",
                            as: Int.self)
                        #expect(overflow <= 0, "\(language), \(width) px: \(link)")
                    }
                    try await delivery.expectAccessible()
                }
            }
        }
    }

    @Test("A sentence that begins with a name of another direction keeps the direction of its page")
    func sentences() async throws {
        let bread = PlaceOrderBody.Line(
            id: try #require(ItemID(rawValue: "bread")), name: "לחם", quantity: 1, ifUnavailable: .ask)
        try await OpenDelivery.run(items: [bread]) { delivery in
            let page = delivery.page
            try await delivery.set(.accepted, .picking)
            try await delivery.report("bread", ItemBody(status: .substituteProposed, substitute: .init(name: "חלב")))
            for (language, direction) in [("en", "ltr"), ("ar", "rtl")] {
                try await page.setLanguages(language)
                try await page.open(delivery.link)
                for selector in ["#headline > bdi", "#question b > bdi", "#items li > bdi"] {
                    try await page.expect(selector, contains: "חלב")
                    let script = "return getComputedStyle(document.querySelector('\(selector)')).direction"
                    #expect(try await page.execute(script, as: String.self) == direction, "\(language): \(selector)")
                }
            }
        }
    }

    @Test("Pages are drawn for docs/ in German and Arabic, too", .enabled(if: screenshots != nil))
    func screenshotsOfLanguages() async throws {
        let folder = try #require(Self.screenshots)
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await delivery.set(.accepted, .picking)
            try await delivery.report(
                "oats",
                ItemBody(
                    status: .substituteProposed,
                    substitute: .init(name: "Barista oats", priceDifferenceMinorUnits: 450)))
            try await page.open(delivery.link)
            try await delivery.prove()
            for language in ["da", "de", "ar"] {
                try await page.setLanguages(language)
                try await page.open(delivery.link)
                try await page.expect("#answer-0-approve-substitution")
                try await page.draw("page-question-\(language)", in: folder)
            }
        }
        try await OpenDelivery.run { delivery in
            let courier = try await CourierOfDelivery(of: delivery)
            for language in ["da", "de", "ar"] {
                try await courier.page.setLanguages(language)
                try await courier.open()
                try await courier.page.draw("courier-\(language)", in: folder)
            }
        }
        try await OpenDelivery.run { delivery in
            try await delivery.assignMira()
            try await delivery.set(.accepted, .picking, .staged, .pickedUp, .enRoute)
            try await delivery.ride(0.4)
            for language in ["da", "de", "ar"] {
                try await delivery.page.setLanguages(language)
                try await delivery.page.open(delivery.link)
                try await delivery.page.expect("#card", contains: "Mira")
                try await delivery.page.draw("page-on-the-way-\(language)", in: folder)
            }
        }
    }
}
