import BrowserSupport
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing

/// Live regions: a screen reader announces each text that is written there.
extension BrowserTests {
    @Test("The board does not announce again how many are chosen when another delivery is there")
    func deskAnnouncesOnce() async throws {
        try await OpenDelivery.run { delivery in
            let desk = try await DeskOfDelivery(of: delivery)
            let page = desk.page
            try await desk.open("/?store=nordhavn-\(delivery.number)")
            try await desk.choose(delivery.id)
            try await desk.expect("#chosen-count", contains: "1 chosen")
            try await page.noteWrites(of: "chosen-count")
            // Its row is shown by an arrangement of all rows, which counts what is chosen.
            let other = try await delivery.placeAnother()
            try await page.expect("[data-id=\"\(other.id)\"]")
            #expect(try await page.writes().isEmpty)
        }
    }

    @Test("A page without a connection announces that once, however often its stream tries again")
    func lossAnnouncedOnce() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await page.open(delivery.link)
            try await page.noteWrites(of: "connection")
            try await page.execute(
                """
                window.failures = 0
                document.body.addEventListener("htmx:sseError", () => { window.failures += 1 })
                """)
            await delivery.stack.kill9(.orders)
            try await page.waitUntil("two attempts have failed") {
                try await page.execute("return window.failures", as: Int.self) >= 2
            }
            #expect(try await page.writes() == ["connection"])
            try await delivery.stack.start(.orders)
            try await delivery.expectConnected()
        }
    }

    @Test("That the position is shared is announced once, and not with each position that arrives")
    func sharingAnnouncedOnce() async throws {
        try await OpenDelivery.run { delivery in
            let shop = delivery.stack.asOperator
            let phone: EnrolledPhoneBody = try await shop.send(
                .POST, .courierETA, "/v1/couriers/\(delivery.courier)/phones", EnrolPhoneBody(label: "browser"))
            let courier = try await CourierOfDelivery(of: delivery, with: phone.token)
            let page = courier.page
            try await courier.open()
            try await page.holdPositions()
            try await page.click("#share")
            try await page.givePosition(1)
            try await courier.expect("Your position is shared.")
            try await page.noteWrites(of: "share", "sharing-state")
            // The third leaves once the page has shown the answer to the second.
            for number in 2...3 {
                try await page.givePosition(number)
                try await page.waitUntil("courier-eta has position \(number)") {
                    let position: CourierPositionBody = try await shop.get(
                        .courierETA, "/v1/couriers/\(delivery.courier)")
                    return position.latest.map { $0.latitude > 55.7 + (Double(number) - 0.5) / 1e5 } ?? false
                }
            }
            #expect(try await page.writes().isEmpty)
        }
    }
}

extension BrowserPage {
    /// Has the page note each change of the content of elements from now on.
    fileprivate func noteWrites(of ids: String...) async throws {
        try await execute(
            """
            window.writes = []
            const observer = new MutationObserver((records) => {
                window.writes.push(...records.map((record) => record.target.id))
            })
            for (const id of arguments[0]) {
                observer.observe(document.getElementById(id), { childList: true, characterData: true, subtree: true })
            }
            """, ids)
    }

    /// The ids of the elements of which the content was changed, once for each change.
    fileprivate func writes() async throws -> [String] {
        try await execute("return window.writes", as: [String].self)
    }

    /// Has the page read the positions that it is given alone.
    fileprivate func holdPositions() async throws {
        try await execute(
            """
            navigator.geolocation.watchPosition = (found) => {
                window.found = found
                return 1
            }
            """)
    }

    /// Gives the page a position, each by ten seconds newer and a metre further north than the one before.
    fileprivate func givePosition(_ number: Int) async throws {
        try await execute(
            """
            const [number] = arguments
            window.firstAt = window.firstAt ?? Date.now() - 60000
            const coords = { latitude: 55.7 + number / 1e5, longitude: 12.57, accuracy: 10, speed: null, heading: null }
            window.found({ coords, timestamp: window.firstAt + number * 10000 })
            """, number)
    }
}
