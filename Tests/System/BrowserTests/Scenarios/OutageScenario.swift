import BrowserSupport
import LiveActivity
import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension BrowserTests {
    @Test("Without the broker pages go on, a press changes the delivery, and what may be old is named until it is not")
    func brokerAway() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            let courier = try await delivery.onTheWay()
            await delivery.stack.kill9Nats()
            try await delivery.expect("#card .notice", contains: "time of arrival may have changed")
            // The card goes on, and the connection to the page's own service is not away.
            try await delivery.expect("#headline", contains: "Mira")
            try await delivery.expectConnected()
            try await delivery.expectAccessible()
            try await delivery.stack.startNats()
            try await delivery.expectNothingOld()
            try await delivery.ride(0.4)
            try await delivery.expectPhoneCard(in: .init(.onTheWay))

            await delivery.stack.kill9Nats()
            try await courier.press(.atDoor)
            try await courier.expect("Pressed: I am at the door.")
            try await courier.waitUntil(.atDoor)
            // By what `orders` knows itself, which the phone is not sent meanwhile.
            try await page.waitUntil("the page is at the door, and says nothing of its age") {
                let card = try await page.element("#card").text
                return card.contains("Mira is at your door") && !card.contains("may have changed")
            }
            try await delivery.expectConnected()
            try await delivery.stack.startNats()
            try await delivery.expectPhoneCard(in: .init(.atDoor))
            try await courier.press(.handedOver)
            try await delivery.expectPhoneCard(in: .init(.ended))
            #expect(try await courier.changes() == 3)
            try await delivery.expectSilentConsole()
            try await delivery.expectSilentConsole(courier.page)
        }
    }

    @Test("Without the database pages keep what they show and name since when, and a press made meanwhile counts once")
    func databaseAway() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            let courier = try await delivery.onTheWay()
            let database = delivery.stack.postgres
            try await database.kill9()
            try await page.waitUntil("the page says that there is no connection") {
                try await page.element("#connection").text.hasPrefix("No connection since")
            }
            try await delivery.expect("#headline", contains: "Mira")
            // The service lives, which does not make what is shown new.
            try await page.waitForHeartbeat()
            #expect(try await page.element("#connection").isDisplayed)
            try await delivery.expectAccessible()
            let other = try await delivery.browser.newPage()
            try await other.open(delivery.link)
            #expect(try await other.element("main").text.contains("The page cannot be shown just now"))

            try await courier.press(.atDoor)
            try await courier.expect("Not sent yet: I am at the door")
            try await courier.page.expect("#connection", contains: "What you press is kept and sent later.")
            try await delivery.expectAccessible(courier.page)

            try await database.restart()
            try await courier.waitUntil(.atDoor)
            try await delivery.expectPhoneCard(in: .init(.atDoor))
            try await delivery.expectConnected()
            try await delivery.expectNothingOld()
            try await courier.page.waitUntil("nothing waits to be sent") {
                guard try await courier.page.elements("[data-forget]").isEmpty else { return false }
                return try await !courier.page.element("#connection").isDisplayed
            }
            try await other.expect("#headline", contains: "Mira is at your door")
            #expect(try await courier.changes() == 2)
        }
    }
}

extension OpenDelivery {
    /// Opens the page, and has the courier bring the delivery by theirs, which is open too.
    fileprivate func onTheWay() async throws -> CourierOfDelivery {
        try await page.open(link)
        let courier = try await CourierOfDelivery(of: self)
        try await courier.open()
        try await courier.press(.pickedUp)
        try await courier.waitUntil(.pickedUp)
        try await ride(0.3)
        try await expectPhoneCard(in: .init(.onTheWay))
        return courier
    }

    fileprivate func expectNothingOld() async throws {
        try await page.waitUntil("nothing may be old") { try await page.elements("#card .notice").isEmpty }
    }
}

extension BrowserPage {
    /// Waits for the next heartbeat of the page's stream.
    fileprivate func waitForHeartbeat() async throws {
        _ = try await executeAsync(
            """
            const done = arguments[arguments.length - 1];
            document.getElementById('live')['htmx-internal-data'].sseEventSource
                .addEventListener('heartbeat', () => done(true), { once: true });
            """, as: Bool.self)
    }
}
