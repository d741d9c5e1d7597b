import BrowserSupport
import DoorstepAPI
import LiveActivity
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing
import WireCoding

extension BrowserTests {
    @Test("A question is answered with the keyboard alone, after the order's number was given")
    func answered() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await delivery.ask()
            try await page.open(delivery.link)
            #expect(try await page.elements("#answer-0-approve-substitution").isEmpty)
            #expect(try await !page.source.contains(delivery.reference))
            #expect(try await page.elements("#question ~ #proof").count == 1, "the question comes first")
            try await page.tab(to: "reference")
            try await page.type(delivery.reference)
            try await page.press(.enter)
            try await page.expect("#answer-0-approve-substitution")
            try await delivery.expectAccessible()
            try await page.tab(to: "answer-0-approve-substitution")
            try await page.press(.enter)
            try await page.expect("#outcome", contains: "Barista oats comes instead of Oat milk")
            let item = try await delivery.delivery().items.first
            #expect(item?.status == .substituted)
            try await delivery.expectSilentConsole()
        }
    }

    @Test("A question that comes while the order's number is typed has its own title, and leaves what was typed")
    func askedWhileTyping() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await page.open(delivery.link)
            try await page.expect("#proof-title", contains: "Change something")
            try await page.element("#reference").type("G-")
            try await delivery.ask()
            try await page.expect("#proof-title", contains: "To answer, give your order's number")
            #expect(try await page.element("#reference").property("value", as: String.self) == "G-")
            try await page.element("#reference").type(String(delivery.reference.dropFirst(2)))
            try await page.click("#proof button")
            try await page.expect("#answer-0-approve-substitution")
            try await delivery.expectSilentConsole()
        }
    }

    @Test("What is ticked in the question after the end is still ticked when the page was read again")
    func ticked() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await delivery.assignMira()
            try await page.open(delivery.link)
            try await delivery.prove()
            try await delivery.set(.accepted, .picking, .pickedUp, .delivered)
            try await page.click("#feedback .choice label")
            try await page.execute("document.getElementById('live').dataset.isFormer = 'true'")
            try await page.execute("window.dispatchEvent(new Event('online'))")
            try await page.waitUntil("the page was read again") {
                try await page.elements("#live[data-is-former]").isEmpty
            }
            try await page.expect("#feedback input:checked")
            try await delivery.expectAccessible()
            try await page.click("#feedback-missing")
            try await page.expect("#feedback-given", contains: "Something is missing · Oat milk.")
            try await page.expect("#feedback input:checked")
            try await delivery.expectSilentConsole()
        }
    }

    @Test("A form that is pressed twice is sent once, so that a wrong number costs one try, and again after a return")
    func pressedTwice() async throws {
        try await OpenDelivery.run { delivery in
            try await delivery.page.open(delivery.link)
            try await delivery.page.expect("#reference")
            let sent = try await delivery.page.execute(
                """
                const press = () => document.querySelector("#proof form")
                    .dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true }))
                const pressed = [press(), press()]
                window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))
                return [...pressed, press()]
                """, as: [Bool].self)
            #expect(sent == [true, false, true])
            try await delivery.expectSilentConsole()
        }
    }

    @Test("Another form, and another button, of one address is sent at once behind the first; the same again is not")
    func pressedBoth() async throws {
        let dropOff = DropOff(recipient: nil, address: Address(street: "Falkoner Alle 1"), note: "Ring twice")
        try await OpenDelivery.run(to: dropOff, corrections: [.note, .address]) { delivery in
            let page = delivery.page
            try await page.open(delivery.link)
            try await delivery.prove()
            try await page.click("#do-correct")
            try await page.expect("#correct-ask")
            #expect(try await page.areSent("correct-save", "correct-ask", "correct-ask") == [true, true, false])
            #expect(try await page.areSent("correct-save") == [true])
            try await page.type(" or call", into: "#correct-note")
            #expect(try await page.areSent("correct-save", "correct-save") == [true, false], "another text was typed")

            try await delivery.assignMira()
            try await delivery.set(.accepted, .picking, .pickedUp, .delivered)
            try await page.open(delivery.link)
            try await page.expect("#feedback-missing")
            #expect(
                try await page.areSent("feedback-damaged", "feedback-missing", "feedback-missing")
                    == [true, true, false])
            try await delivery.expectSilentConsole()
        }
    }

    @Test("Leaving at the door is on the page, and is taken back there")
    func leftAtDoor() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await page.open(delivery.link)
            try await page.expect("#about", contains: "Will be handed to you")
            try await delivery.prove()
            try await page.click("#do-leave-at-door")
            try await page.expect("#outcome", contains: "It will be left at the door")
            try await page.expect("#about", contains: "Will be left at your door")
            try await delivery.expectAccessible()
            try await page.click("#do-hand-to-me")
            try await page.expect("#outcome", contains: "It will be handed to you")
            try await page.expect("#about", contains: "Will be handed to you")
            try await page.click("#do-leave-at-door")
            try await page.expect("#outcome", contains: "It will be left at the door")

            // What comes is no longer said once it came.
            try await delivery.assignMira()
            try await delivery.set(.accepted, .picking, .pickedUp, .delivered)
            try await delivery.expectPhoneCard(in: .init(.ended))
            try await page.waitUntil("nothing will be left at the door any more") {
                try await !page.text.contains("It will be left")
            }
            try await delivery.expectAccessible()
            try await delivery.expectSilentConsole()
        }
    }

    @Test("To cancel is asked about first; a press that came too late says so, and nothing has changed")
    func cancelled() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await page.open(delivery.link)
            try await delivery.prove()
            try await page.click("#do-cancel")
            try await page.waitUntil("the page asks") {
                try await page.element("#press-title").text == "Cancel this delivery?"
            }
            try await delivery.expectAccessible()
            #expect(try await delivery.delivery().status == .placed)
            let asking = try await page.url
            try await page.click("#press button")
            try await page.expect("#outcome", contains: "The delivery is cancelled")
            #expect(try await delivery.delivery().status == .cancelled)
            try await page.open(delivery.link)
            #expect(try await page.elements("#do-cancel").isEmpty)
            try await page.open(asking)
            #expect(try await page.elements("#press button").isEmpty)
            try await delivery.expectSilentConsole()
        }
    }

    @Test("A question that was answered in another window does not come back on the page when the answer is reversed")
    func answeredElsewhere() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await delivery.set(.accepted)
            try await page.open(delivery.link)
            try await delivery.prove()
            try await page.click("#do-cancel")
            try await page.expect("#press button")
            let other = try await delivery.browser.newPage()
            try await other.open(page.url)
            try await other.type(delivery.reference, into: "#press-reference")
            try await other.click("#press button")
            try await other.expect("#outcome", contains: "The delivery is cancelled")
            try await page.expect("#outcome", contains: "The delivery is cancelled")
            #expect(try await !page.element("#press").isDisplayed)

            try await delivery.stack.asOperator.exchange(
                .POST, .orders, "/v1/deliveries/\(delivery.id)/status",
                try WireJSON.encode(StatusBody(status: .accepted, reason: "it goes on")),
                headers: ["If-Match": "\"v\(try await delivery.delivery().version)\""])
            try await page.waitUntil("it is cancelled no more") {
                try await page.elements("#outcome section").isEmpty
            }
            #expect(try await !page.element("#press").isDisplayed)
            let card = try await page.element("#card").frame
            let notices = try await page.element("#live").frame
            #expect(card.y == notices.y, "what was answered takes no place")
            try await delivery.expectAccessible()
            try await delivery.expectSilentConsole()
        }
    }

    @Test("Without scripts everything can be pressed, and the page is read again by itself")
    func withoutScripts() async throws {
        try await OpenDelivery.run { delivery in
            let page = delivery.page
            try await delivery.ask()
            try await page.setScripts(enabled: false)
            try await page.open(delivery.link)
            try await delivery.prove()
            try await page.click("#answer-0-refuse-substitution")
            try await page.expect("#outcome", contains: "Oat milk will be refunded")
            try await delivery.set(.staged)
            try await delivery.expect("#headline", contains: "packed")
        }
    }
}

extension BrowserPage {
    /// Whether the page sends the forms of buttons, pressed one after the other by their ids.
    ///
    /// Each form is replaced by a copy behind its press, as an update of the page replaces it.
    fileprivate func areSent(_ buttons: String...) async throws -> [Bool] {
        try await execute(
            """
            return arguments[0].map((id) => {
                const submitter = document.getElementById(id), { form } = submitter
                const isSent = form.dispatchEvent(
                    new SubmitEvent("submit", { bubbles: true, cancelable: true, submitter }))
                form.replaceWith(form.cloneNode(true))
                return isSent
            })
            """, buttons, as: [Bool].self)
    }
}

extension OpenDelivery {
    /// The shop asks whether something else will do.
    fileprivate func ask() async throws {
        try await set(.accepted)
        try await set(.picking)
        try await report(
            "oats",
            ItemBody(
                status: .substituteProposed, substitute: .init(name: "Barista oats", priceDifferenceMinorUnits: 450)))
    }
}
