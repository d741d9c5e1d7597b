import BrowserSupport
import OrderDomain
import Testing

/// What a courier takes back, and how long the page offers it.
extension BrowserTests {
    @Test("What is taken back without a connection is shown as not sent, and offered no more, until it is sent")
    func courierUndoesOffline() async throws {
        try await OpenDelivery.run { delivery in
            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()
            let page = courier.page
            try await courier.press(.atStore)
            try await courier.expect("Pressed: I am at the store.")
            try await page.setOffline(true)
            let undo = "[id=\"undo-\(delivery.id)\"]"
            try await page.execute("document.querySelector(arguments[0]).focus()", undo)
            try await page.press(.enter)
            try await courier.expect("Not sent yet: taking back I am at the store")
            #expect(try await !page.element(undo).isDisplayed)
            #expect(try await page.activeElement.attribute("id") == "where-\(delivery.id)")
            #expect(try await page.elements("[data-forget]").isEmpty, "an undo has no undo")
            try await delivery.expectAccessible(page)
            try await page.setOffline(false)
            try await page.waitUntil("nothing waits to be sent") {
                try await !page.element("main").text.contains("Not sent yet")
            }
            try await page.waitUntil("the page was read again") { try await page.elements(undo).isEmpty }
            #expect(try await page.activeElement.attribute("id") == "where-\(delivery.id)")
        }
    }

    @Test("A page that is read without news is read again by when its undo ends, and not by when it was read")
    func courierReadsByUndo() async throws {
        try await OpenDelivery.run { delivery in
            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()
            try await courier.page.readNineSecondsLater(ofUndoSeconds: 10)
            try await courier.page.waitUntil("it is read again in two seconds") {
                try await courier.page.execute("return window.delays.includes(2000)", as: Bool.self)
            }
        }
    }
}

extension BrowserPage {
    /// Has the page read as if nine seconds had passed, with an undo that ends so many seconds after it was written.
    ///
    /// `delays` of the window has the milliseconds of each timer from then on.
    fileprivate func readNineSecondsLater(ofUndoSeconds seconds: Int) async throws {
        try await execute(
            """
            const [seconds] = arguments, { setTimeout } = window, { now } = Date
            window.delays = []
            window.setTimeout = (use, delay, ...others) => {
                window.delays.push(delay)
                return setTimeout(use, delay, ...others)
            }
            Date.now = () => now() + 9000
            document.getElementById("live").dataset.changesIn = String(seconds)
            htmx.trigger("#live", "read")
            """, seconds)
    }
}
