import BrowserSupport
import CardPresentation
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing

/// An operator at the desk of an open delivery's stack, in a browser of their own.
struct DeskOfDelivery: Sendable {
    let delivery: OpenDelivery
    let page: BrowserPage
    let name: String

    /// Signs an operator in by a link.
    ///
    /// - Parameter scope: of the operator's token; nil for a supervisor.
    init(
        of delivery: OpenDelivery, as name: String = "ada", scope: String? = nil, scripts: Bool = true
    ) async throws {
        self.delivery = delivery
        self.name = name
        page = try await delivery.browser.newPage()
        try await page.resize(to: ViewportSize(width: 1280, height: 900))
        if !scripts { try await page.setScripts(enabled: false) }
        let token = try await delivery.stack.tokens.operator(name, scope: scope)
        let client = RetryingClient(stack: delivery.stack, token: token)
        let link: SignInLinkBody = try await client.send(.POST, .desk, "/v1/sign-in-links", [String: String]())
        try await page.open(link.url)
        try await page.click("main button")
        try await page.expect(".who", contains: name)
    }

    var address: String { delivery.stack.url(.desk) }
    var path: String { "/deliveries/\(delivery.id)" }
    /// The delivery's row on the board.
    var row: String { "[data-id=\"\(delivery.id)\"]" }

    func open(_ path: String) async throws { try await page.open(address + path) }

    func expect(_ part: String, contains text: String) async throws {
        try await page.expect(part, contains: text)
    }

    /// Scrolls a row of the board to the middle of the window, away from the bar of the chosen, and chooses it.
    func choose(_ id: DeliveryID) async throws {
        let row = "[data-id=\"\(id)\"] input"
        try await page.waitUntil("\(row) is in the middle") {
            let box = try await page.element(row)
            try await page.execute("arguments[0].scrollIntoView({ block: 'center' })", box)
            return true
        }
        try await page.click(row)
    }

    /// Fills in a change of the delivery, and reads what would happen.
    func preview(_ kind: String, _ fields: [(id: String, value: String)] = [], reason: String) async throws {
        try await open("\(path)/change/\(kind)")
        for field in fields {
            // As a user chooses, by the keyboard: the field is a list.
            try await page.type(field.value, into: "#\(field.id)")
        }
        try await page.element("#reason").clear()
        try await page.type(reason, into: "#reason")
        try await page.click("#change button")
    }

    /// Makes what is shown.
    func commit() async throws {
        try await page.click("#commit")
        try await page.waitUntil("it is done") { try await page.url.contains("?done=") }
    }

    /// Waits until the desk draws the card that the phone shows, and that shows a phase.
    func expectPhoneCard(in phase: OpenDelivery.KnownStep) async throws {
        try await page.waitUntil("the desk shows the phone's card \(phase)") {
            try await delivery.hasPhoneCard(page, in: phase)
        }
    }

    /// Waits until the page says no more that there is no connection.
    func expectConnected() async throws {
        try await page.waitUntil("the desk has a connection") {
            try await !page.element("#connection").isDisplayed
        }
    }
}
