import BrowserSupport
import DoorstepAPI
import LiveActivity
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing

extension BrowserTests {
    @Test("A courier brings a delivery by their page alone, and the customer's page is the phone's card at each step")
    func courier() async throws {
        try await OpenDelivery.run { delivery in
            try await delivery.page.open(delivery.link)
            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()
            try await delivery.expectPhoneCard(in: .init(.packed))
            try await courier.expectAccessible()
            try await courier.press(.atStore)
            try await courier.expect("Pressed: I am at the store.")
            try await courier.page.click("[id=\"undo-\(delivery.id)\"]")
            try await courier.page.waitUntil("nothing waits") {
                try await courier.page.elements("[id=\"undo-\(delivery.id)\"]").isEmpty
            }
            try await courier.press(.atStore)
            try await courier.expect("Pressed: I am at the store.")
            try await courier.expectAccessible()
            // Each counts when it can be undone no more.
            try await courier.press(.pickedUp)
            try await delivery.expectPhoneCard(in: .init(.onTheWay))
            try await courier.press(.atDoor)
            try await delivery.expectPhoneCard(in: .init(.atDoor))
            try await courier.press(.handedOver)
            try await delivery.expectPhoneCard(in: .init(.ended))
            try await courier.expect("Nothing to deliver right now.")
            try await courier.expect("\(delivery.reference) · Handed over")
            try await courier.expectAccessible()
            #expect(try await courier.changes() == 4)
            try await courier.expectSilentConsole()
            try await delivery.expectSilentConsole()
        }
    }

    @Test("Bags of one store and of one door are pressed at once, and undone at once")
    func courierTogether() async throws {
        try await OpenDelivery.run { delivery in
            let courier = try await CourierOfDelivery(of: delivery)
            let other = try await delivery.placeAnother()
            try await other.set(.accepted, .picking, .staged)
            try await other.assignMira()
            try await courier.open()
            let page = courier.page
            try await page.click("[id^=\"all-picked_up-\"]")
            try await courier.expect("Pressed for 2: Picked up.")
            try await page.click("[id^=\"undo-all-\"]")
            try await page.waitUntil("nothing waits") { try await page.elements("[id^=\"undo-\"]").isEmpty }
            #expect(try await delivery.delivery().status == .staged)
            try await page.click("[id^=\"all-picked_up-\"]")
            try await courier.expect("Pressed for 2: Picked up.")
            try await courier.expectAccessible()
            try await page.click("[id^=\"all-handed_over-\"]")
            for bag in [delivery, other] {
                try await page.waitUntil("both are delivered") { try await bag.delivery().status == .delivered }
            }
            try await courier.expectSilentConsole()
        }
    }

    @Test("A hand-over at the wrong door is reported after its ten seconds, and the delivery stays delivered")
    func courierMistaken() async throws {
        try await OpenDelivery.run { delivery in
            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()
            try await courier.pressAnswered(.pickedUp)
            try await courier.press(.handedOver)
            try await courier.waitUntil(.delivered)
            let mistaken = "[id=\"mistaken-\(delivery.id)\"]"
            try await courier.page.expect(mistaken)
            try await courier.expectAccessible()
            try await courier.page.click(mistaken)
            try await courier.expect("Pressed: I was wrong")
            try await courier.expect("Reported to the shop")
            #expect(try await delivery.delivery().status == .delivered)
            try await courier.expectSilentConsole()
        }
    }

    @Test("What is pressed without a connection is kept and sent once, in its order; what was undone there never is")
    func courierOffline() async throws {
        try await OpenDelivery.run { delivery in
            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()
            let page = courier.page
            try await page.setOffline(true)
            try await courier.press(.pickedUp)
            try await courier.expect("Not sent yet: Picked up")
            try await page.waitUntil("the page says that there is no connection") {
                try await page.element("#connection").isDisplayed
            }
            #expect(try await page.keepsFocusOnUnsent(), "what is drawn already is not drawn again")
            try await page.click("[data-forget]")
            try await page.waitUntil("nothing waits to be sent") { try await page.elements("[data-forget]").isEmpty }
            let focused = try await page.execute("return document.activeElement.id", as: String.self)
            #expect(focused == "where-\(delivery.id)")
            try await courier.press(.atStore)
            try await courier.press(.pickedUp)
            try await courier.expect("Not sent yet: I am at the store")
            try await courier.expect("Not sent yet: Picked up")
            try await courier.expectAccessible()
            #expect(try await courier.changes() == 0)
            try await page.setOffline(false)
            // What the browser keeps is sent by the page as it is opened again.
            try await page.reload()
            try await courier.waitUntil(.pickedUp)
            try await page.waitUntil("nothing waits to be sent") { try await page.elements("[data-forget]").isEmpty }
            #expect(try await courier.changes() == 2)
        }
    }

    @Test("A service that is away, and a press that was taken and not answered: it is sent again and counts once")
    func courierWithoutService() async throws {
        try await OpenDelivery.run { delivery in
            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()
            try await courier.page.beOlder()
            await delivery.stack.kill9(.orders)
            try await courier.press(.pickedUp)
            try await courier.expect("Not sent yet: Picked up")
            try await delivery.stack.start(.orders)
            try await courier.press(.atDoor)
            try await courier.waitUntil(.atDoor)
            #expect(try await courier.changes() == 2)
        }
    }

    @Test("What was refused says why, until it is pressed again, which counts at once")
    func courierRefused() async throws {
        try await OpenDelivery.run { delivery in
            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()
            try await courier.page.setPresses(refused: true)
            try await courier.press(.pickedUp)
            try await courier.page.expect("#refused", contains: "Not done: Picked up.")
            try await courier.page.setPresses(refused: false)
            try await courier.press(.pickedUp)
            try await courier.waitUntil(.pickedUp)
            #expect(try await !courier.page.element("#refused").isDisplayed)
            #expect(try await courier.changes() == 1)
            try await courier.expectSilentConsole()
        }
    }

    @Test("While a picture is on its way, another delivery's press arrives, and so does its undo")
    func courierSlowPicture() async throws {
        try await OpenDelivery.run(requires: [.photo]) { delivery in
            let courier = try await CourierOfDelivery(atDoorOf: delivery)
            let other = try await delivery.placeAnother()
            try await other.set(.accepted, .picking, .staged)
            try await other.assignMira()
            let page = courier.page
            try await page.reload()
            try await page.expect("[id=\"at_store-\(other.id)\"]")
            try await page.setPictures(held: true)
            try await courier.give(.photo)
            try await courier.expect("Not sent yet: a photo of the bag")
            try await page.click("[id=\"at_store-\(other.id)\"]")
            try await courier.expect("Pressed: I am at the store.")
            try await page.click("[id=\"undo-\(other.id)\"]")
            try await page.waitUntil("nothing can be undone") {
                try await page.elements("[id=\"undo-\(other.id)\"]").isEmpty
            }
            try await courier.expect("Not sent yet: a photo of the bag")
            #expect(try await delivery.delivery().proofs?.map(\.state) == [.missing])
            try await page.setPictures(held: false)
            try await page.waitUntil("the photo is given") {
                try await delivery.delivery().proofs?.map(\.state) == [.passed]
            }
            let pressed: TimelineBody = try await delivery.stack.asOperator.get(
                .orders, "/v1/deliveries/\(other.id)/timeline")
            #expect(!pressed.entries.contains { $0.by == "courier \(delivery.courier)" })
        }
    }

    @Test("Without scripts and with the keyboard alone a press is made, undone, and refused where it is too late")
    func courierWithoutScripts() async throws {
        try await OpenDelivery.run { delivery in
            let courier = try await CourierOfDelivery(of: delivery)
            let page = courier.page
            try await page.setScripts(enabled: false)
            try await courier.open()
            try await page.tab(to: "picked_up-\(delivery.id)")
            try await page.press(.enter)
            try await courier.expect("Pressed: Picked up.")
            try await page.tab(to: "undo-\(delivery.id)")
            try await page.press(.enter)
            try await page.waitUntil("nothing waits") {
                try await page.elements("[id=\"undo-\(delivery.id)\"]").isEmpty
            }
            #expect(try await delivery.delivery().status == .staged)
            try await delivery.set(.cancelled)
            try await courier.press(.pickedUp)
            try await courier.expect("That is not possible any more.")
        }
    }

    @Test("Once it has a credential a courier's page shares the position, and stops by itself with nothing to deliver")
    func courierPosition() async throws {
        try await OpenDelivery.run { delivery in
            let shop = delivery.stack.asOperator
            let phone: EnrolledPhoneBody = try await shop.send(
                .POST, .courierETA, "/v1/couriers/\(delivery.courier)/phones", EnrolPhoneBody(label: "browser"))
            let courier = try await CourierOfDelivery(of: delivery)
            let page = courier.page
            try await page.setPosition(latitude: 55.7, longitude: 12.57)
            try await courier.open()
            try await courier.expect("To share it, open the newest link")
            try await page.execute("location.hash = arguments[0]", "#t=\(phone.token)")
            try await courier.expect("Your position is not shared.")
            #expect(try await !page.url.contains(phone.token))
            try await page.click("#share")
            try await courier.expect("Your position is shared.")
            try await page.waitUntil("courier-eta has the position") {
                let position: CourierPositionBody = try await shop.get(.courierETA, "/v1/couriers/\(delivery.courier)")
                return position.latest?.latitude == 55.7
            }
            try await courier.expectAccessible()
            try await courier.pressAnswered(.pickedUp)
            try await courier.press(.handedOver)
            try await courier.waitUntil(.delivered)
            try await courier.expect("Not shared: you have nothing to deliver.")
            try await courier.expectSilentConsole()
        }
    }

    @Test("Positions of a gap are sent one hundred after the other without a pause, up to the newest")
    func courierGap() async throws {
        try await OpenDelivery.run { delivery in
            let shop = delivery.stack.asOperator
            let phone: EnrolledPhoneBody = try await shop.send(
                .POST, .courierETA, "/v1/couriers/\(delivery.courier)/phones", EnrolPhoneBody(label: "browser"))
            let courier = try await CourierOfDelivery(of: delivery, with: phone.token)
            try await courier.open()
            try await courier.page.beOlder()
            try await courier.page.setPositions(ofSeconds: 300)
            try await courier.page.click("#share")
            try await courier.page.waitUntil("courier-eta has the newest position") {
                let position: CourierPositionBody = try await shop.get(.courierETA, "/v1/couriers/\(delivery.courier)")
                return position.latest.map { $0.latitude > 55.702985 } ?? false
            }
            try await courier.expectSilentConsole()
        }
    }

    @Test("A phone's clock that is ahead, so that no position counts, is what a courier's page asks to set")
    func courierClock() async throws {
        try await OpenDelivery.run { delivery in
            let phone: EnrolledPhoneBody = try await delivery.stack.asOperator.send(
                .POST, .courierETA, "/v1/couriers/\(delivery.courier)/phones", EnrolPhoneBody(label: "browser"))
            let courier = try await CourierOfDelivery(of: delivery, with: phone.token)
            try await courier.page.setPosition(latitude: 55.7, longitude: 12.57)
            try await courier.open()
            try await courier.page.setPositions(aheadSeconds: 600)
            try await courier.page.click("#share")
            try await courier.expect("this phone's clock is wrong")
            try await courier.expectAccessible()
            try await courier.expectSilentConsole()
        }
    }
}

extension CourierOfDelivery {
    fileprivate func expectAccessible() async throws { try await delivery.expectAccessible(page) }
    fileprivate func expectSilentConsole() async throws { try await delivery.expectSilentConsole(page) }
}

extension BrowserPage {
    /// Whether the button of what is not sent yet is the same element, with the focus, after the page has drawn again.
    fileprivate func keepsFocusOnUnsent() async throws -> Bool {
        try await execute(
            """
            const button = document.querySelector("[data-forget]")
            button.focus()
            window.dispatchEvent(new Event("storage"))
            return document.activeElement === button && document.querySelector("[data-forget]") === button
            """, as: Bool.self)
    }

    /// Has the page's own requests refused as the service refuses a press that is not possible, or sends them again.
    fileprivate func setPresses(refused isRefused: Bool) async throws {
        try await execute(
            """
            const [isRefused] = arguments, headers = { "Content-Type": "application/problem+json" }
            window.kept = window.kept ?? window.fetch
            window.fetch = isRefused ? async () => new Response("{}", { status: 409, headers }) : window.kept
            """, isRefused)
    }

    /// Has the phone's clock be so many seconds ahead for the positions that the page reads.
    fileprivate func setPositions(aheadSeconds: Int) async throws {
        try await execute(
            """
            const [seconds] = arguments, { geolocation } = navigator
            const watch = geolocation.watchPosition.bind(geolocation)
            geolocation.watchPosition = (found, ...others) => watch(
                ({ coords, timestamp }) => found({ coords, timestamp: timestamp + seconds * 1000 }), ...others)
            """, aheadSeconds)
    }

    /// Has the page read one position for each of the last seconds at once, further north each, the newest last, and
    /// stops its timers, so that only what it sends without a pause arrives.
    fileprivate func setPositions(ofSeconds count: Int) async throws {
        try await execute(
            """
            const [count] = arguments, now = Date.now()
            for (let timer = setTimeout(() => {}); timer > 0; timer--) { clearTimeout(timer) }
            navigator.geolocation.watchPosition = (found) => {
                for (let second = 1; second <= count; second++) {
                    const place = { latitude: 55.7 + (second - 1) / 1e5, longitude: 12.57 }
                    const coords = { ...place, accuracy: 10, speed: null, heading: null }
                    found({ coords, timestamp: now - (count - second) * 1000 })
                }
                return 1
            }
            """, count)
    }

    /// Has the page's pictures wait before they leave, or go on.
    fileprivate func setPictures(held isHeld: Bool) async throws {
        try await execute(
            """
            if (!arguments[0]) { return window.goOn() }
            const send = window.fetch, held = new Promise((goOn) => { window.goOn = goOn })
            window.fetch = async (path, request) => {
                if (path.includes("/proofs/")) { await held }
                return send(path, request)
            }
            """, isHeld)
    }
}
