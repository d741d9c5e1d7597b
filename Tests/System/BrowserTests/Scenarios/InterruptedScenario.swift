import BrowserSupport
import LiveActivity
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing

extension BrowserTests {
    @Test("A page says since when it has no connection, and is right again by itself when the service is back")
    func serviceAway() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await delivery.set(.accepted)
            try await page.open(delivery.link)
            await delivery.stack.kill9(.orders)
            try await page.waitUntil("the page says that there is no connection") {
                try await page.element("#connection").text.hasPrefix("No connection since")
            }
            try await delivery.expectAccessible()
            try await delivery.expectPhoneCard(in: .init(.received))
            try await delivery.stack.start(.orders)
            try await delivery.set(.picking)
            try await delivery.expectPhoneCard(in: .init(.picking))
            try await delivery.expectConnected()
        }
    }

    @Test("An open page of a link that the store revokes shows the reason in place of the delivery")
    func revoked() async throws {
        try await OpenDelivery.run { delivery in
            try await delivery.set(.accepted)
            try await delivery.page.open(delivery.link)
            try await delivery.expectPhoneCard(in: .init(.received))
            try await delivery.stack.asStore.exchange(.DELETE, .orders, "/v1/deliveries/\(delivery.id)/view-link")
            try await delivery.expect("main", contains: "The store has revoked this link")
            #expect(try await delivery.page.url == delivery.link)
        }
    }

    @Test("What changed while the browser was offline is there when it is back")
    func offline() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await page.open(delivery.link)
            try await page.setOffline(true)
            // A zone that no browser knows, a page in twelve hours, and the browser's own event, which its tools do not
            // send for a connection that is open.
            try await page.execute(
                """
                Object.assign(document.getElementById("live").dataset, { timeZone: "GMT+2", hourCycle: "h12" })
                window.dispatchEvent(new Event("offline"))
                """)
            try await page.waitUntil("the page says that there is no connection") {
                try await page.element("#connection").isDisplayed
            }
            let notice = try await page.element("#connection").text
            // Behind the day, where that is yesterday by now.
            #expect(notice.contains(/since ([^.]*, )?[0-9]{1,2}:[0-9]{2}.[AP]M\./), "\(notice)")
            try await delivery.set(.accepted)
            try await page.setOffline(false)
            try await page.execute("window.dispatchEvent(new Event('online'))")
            try await delivery.expectPhoneCard(in: .init(.received))
            try await delivery.expectConnected()
            // By a stream of its own again.
            try await delivery.set(.picking)
            try await delivery.expectPhoneCard(in: .init(.picking))
        }
    }

    @Test("A page that wakes without a connection says how old its content is, and not when it woke, until it is read")
    func slept() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await page.open(delivery.link)
            let notices = try await page.execute(
                """
                const { Date: now } = window, { dataset } = document.getElementById("live")
                dataset.timeZone = "Europe/Copenhagen"
                delete dataset.hourCycle
                const set = (hour) => {
                    const time = now.UTC(2026, 10, 30, hour - 1)
                    window.Date = class extends now {
                        constructor(...given) { super(...(given.length > 0 ? given : [time])) }
                        static now() { return time }
                    }
                }
                const lose = () => {
                    window.dispatchEvent(new Event("offline"))
                    return document.getElementById("connection").textContent
                }
                set(9)
                document.body.dispatchEvent(new CustomEvent("htmx:sseMessage"))
                set(12)
                const slept = lose()
                set(13)
                document.body.dispatchEvent(new CustomEvent("htmx:afterRequest", { detail: { successful: true } }))
                set(14)
                const read = lose()
                window.Date = now
                window.dispatchEvent(new Event("online"))
                return [slept, read]
                """, as: [String].self)
            #expect(notices.count == 2)
            #expect(notices.first?.contains(/since 0?9:00/) == true, "\(notices)")
            #expect(notices.last?.contains(/since 13:00/) == true, "\(notices)")
            try await delivery.expectConnected()
        }
    }

    @Test("A read that hangs, or that something between answers, is a lost connection, and the page stays")
    func notRead() async throws {
        try await OpenDelivery.run { delivery in
            try await delivery.page.open(delivery.link)
            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()
            for page in [delivery.page, courier.page] {
                for fault in ReadFault.allCases {
                    try await page.setReads(fault)
                    try await page.expect("#connection", contains: "No connection since")
                    try await page.setReads(nil)
                    try await page.waitUntil("the page has a connection after \(fault)") {
                        try await !page.element("#connection").isDisplayed
                    }
                }
            }
            // By a stream of its own again.
            try await delivery.set(.pickedUp, .enRoute)
            try await delivery.expectPhoneCard(in: .init(.onTheWay))
        }
    }

    @Test("A page that yields to others of its network loses no connection, and is right again by itself after a while")
    func replaced() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await delivery.assignMira()
            try await delivery.set(.accepted)
            try await page.open(delivery.link)
            try await delivery.set(.picking)
            // By its stream, which is the first one.
            try await delivery.expectPhoneCard(in: .init(.picking))
            // The page yields to the fourth of the others, and the first of those to the fifth.
            try await page.execute(
                """
                const { lost } = window.doorstepConnection
                window.losses = 0
                window.doorstepConnection.lost = function () {
                    window.losses += 1
                    lost.call(this)
                }
                window.others = Array.from({ length: 5 }, () => new EventSource(location.pathname + "/events"))
                for (const other of window.others) {
                    other.addEventListener("replaced", () => {
                        other.close()
                        window.isReplaced = true
                    })
                }
                """)
            try await page.waitUntil("one of the others is replaced") {
                try await page.execute("return window.isReplaced === true", as: Bool.self)
            }
            try await delivery.set(.staged, .pickedUp, .enRoute)
            // Half a minute later.
            try await page.execute(
                """
                window.others.forEach((other) => other.close())
                const { now } = Date
                Date.now = () => now() + 30000
                """)
            try await delivery.expectPhoneCard(in: .init(.onTheWay))
            #expect(try await page.execute("return window.losses", as: Int.self) == 0)
            try await delivery.expectConnected()
        }
    }

    @Test("Without activity-dispatch a page shows what the shop knows, and says what may be old")
    func dispatchAway() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await delivery.assignMira()
            try await delivery.set(.accepted, .picking, .staged, .pickedUp, .enRoute)
            await delivery.stack.kill9(.dispatch)
            await delivery.stack.kill9(.courierETA)
            try await page.open(delivery.link)
            try await delivery.expect("#headline", contains: "Mira")
            try await delivery.expect("#card .notice", contains: "time of arrival may have changed")
            try await delivery.expectAccessible()
            try await delivery.stack.start(.dispatch)
            try await delivery.stack.start(.courierETA)
            try await delivery.ride(0.4)
            try await delivery.expectPhoneCard(in: .init(.onTheWay))
            try await page.waitUntil("nothing may be old") { try await page.elements("#card .notice").isEmpty }
        }
    }
}

/// The fate of a page's reads in place of the service's answer.
private enum ReadFault: String, CaseIterable {
    case hangs
    case foreignPage = "200"
    case foreignRefusal = "404"
}

extension BrowserPage {
    /// Has the page read, now and until the next call, with a fault, or without one again.
    ///
    /// One that hangs is ended at once where the page has a limit of its time. What answers in the service's place is
    /// a style sheet, and a path that is none.
    fileprivate func setReads(_ fault: ReadFault?) async throws {
        try await execute(
            """
            const [fault] = arguments, { prototype } = XMLHttpRequest
            const { open, send } = window.reads = window.reads ?? { open: prototype.open, send: prototype.send }
            Object.assign(prototype, { open, send })
            if (fault === "hangs") {
                prototype.send = function () { if (this.timeout > 0) { this.ontimeout() } }
            } else if (fault) {
                const path = fault === "200" ? document.querySelector("link[rel=stylesheet]").href : "/none"
                prototype.open = function (method) { open.call(this, method, path, true) }
            }
            htmx.trigger("#live", "read")
            """, fault?.rawValue ?? "")
    }
}
