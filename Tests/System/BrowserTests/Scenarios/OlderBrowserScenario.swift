import BrowserSupport
import OrderDomain
import Testing

/// Pages in browsers without what newer ones have; CourierScenario has a courier's presses and positions there.
extension BrowserTests {
    @Test("In an older browser the desk's board gets a new row, and a page says since when it has no connection")
    func olderBrowser() async throws {
        try await OpenDelivery.run { delivery in
            let desk = try await DeskOfDelivery(of: delivery)
            try await desk.expect(desk.row, contains: "placed, no courier")
            try await desk.page.beOlder()
            let other = try await delivery.placeAnother()
            try await desk.expect("[data-id=\"\(other.id)\"]", contains: other.reference)
            try await delivery.expectSilentConsole(desk.page)

            let page = delivery.page
            try await page.open(delivery.link)
            let newer = try await page.loseConnectionInDoubledHour()
            #expect(newer.contains(/since 0?2:30 \(UTC\+2\)/), "\(newer)")
            try await page.beOlder()
            let older = try await page.loseConnectionInDoubledHour()
            #expect(older.contains(/since 0?2:30/) && !older.contains("("), "\(older)")
        }
    }

    @Test("A photo that an older browser cannot make small is refused in words")
    func olderBrowserPhoto() async throws {
        try await OpenDelivery.run(requires: [.photo]) { delivery in
            let courier = try await CourierOfDelivery(atDoorOf: delivery)
            try await courier.page.beOlder()
            try await courier.give(.photo)
            try await courier.page.expect("#refused", contains: "This picture cannot be used.")
            try await delivery.expectSilentConsole(courier.page)
        }
    }
}

extension BrowserPage {
    /// Has the page say that it has no connection since the first 02:30 of the day in autumn that has two.
    ///
    /// - Returns: what it says.
    fileprivate func loseConnectionInDoubledHour() async throws -> String {
        try await execute(
            """
            const now = window.Date
            window.Date = class extends now {
                constructor(...given) { super(...(given.length > 0 ? given : [now.UTC(2026, 9, 25, 0, 30)])) }
            }
            const { dataset } = document.getElementById("live")
            dataset.timeZone = "Europe/Copenhagen"
            delete dataset.hourCycle
            window.doorstepConnection.connected()
            window.doorstepConnection.lost()
            window.Date = now
            return document.getElementById("connection").textContent
            """, as: String.self)
    }
}
