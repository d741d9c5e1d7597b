import BrowserSupport
import CardPresentation
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import NIOHTTP1
import OrderDomain
import PhoneRules
import SimulationSupport
import Synchronization
import Testing
import WireCoding

/// A delivery that is placed, its customer's phone, and a browser on the link that its shop texted.
///
/// Its order, store, customer and courier are its own, so that scenarios can share a stack.
struct OpenDelivery: Sendable {
    /// Counts the scenarios of this process, from 1.
    let number: Int
    let stack: ProcessStack
    let phone: SimulatedDevice
    let browser: Browser
    let page: BrowserPage
    let id: DeliveryID
    /// The link that only shows the delivery.
    let link: String

    var reference: String { Self.reference(number) }
    var courier: String { "mira-\(number)" }

    private static func reference(_ number: Int) -> String { "G-\(1041 + number)" }
    static func customer(_ number: Int) -> String { "mette-\(number)" }

    private static let count = Atomic(0)

    /// Runs a scenario with one, on the stack that scenarios share.
    ///
    /// - Parameters:
    ///   - requires: the proofs that the hand-over requires.
    ///   - corrections: what the store lets its customers correct; nil for nothing.
    ///   - isAlone: whether it gets a stack of its own, which is stopped in the end: it reads what every delivery changes.
    ///   - alertingBrowsers: by push services of this machine, which takes a stack of its own.
    ///   - hasTiles: whether maps have a file of images, which takes a stack of its own.
    ///   - showsCouriers: whether customers' pages have a map, which takes a stack of its own.
    static func run(
        items: [PlaceOrderBody.Line]? = nil, to dropOff: DropOff? = nil, requires: [ProofKind]? = nil,
        corrections: [CustomerCorrection]? = nil, isAlone: Bool = false, alertingBrowsers: Bool = false,
        hasTiles: Bool = false, showsCouriers: Bool = false,
        _ scenario: (OpenDelivery) async throws -> Void
    ) async throws {
        guard isAlone || alertingBrowsers || hasTiles || showsCouriers else {
            return try await BrowserStack.withShared {
                try await run(
                    items: items, to: dropOff, requires: requires, corrections: corrections, on: $0, scenario)
            }
        }
        try await BrowserStack.withOwn(
            alertingBrowsers: alertingBrowsers, hasTiles: hasTiles, showsCouriers: showsCouriers
        ) {
            try await run(
                items: items, to: dropOff, requires: requires, corrections: corrections, on: $0, scenario)
        }
    }

    private static func run(
        items: [PlaceOrderBody.Line]?, to dropOff: DropOff?, requires: [ProofKind]?,
        corrections: [CustomerCorrection]?, on stack: ProcessStack,
        _ scenario: (OpenDelivery) async throws -> Void
    ) async throws {
        let number = count.add(1, ordering: .relaxed).newValue
        let customer = customer(number)
        let phone = try await SimulatedDevice(customer, id: "\(customer)-phone", stack: stack)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await phone.run() }
            let shop = stack.asStore
            let order: OrderBody = try await shop.send(
                .POST, .orders, "/v1/orders",
                try body(
                    number, items: items, dropOff: dropOff, requires: requires, corrections: corrections,
                    now: stack.clock.now),
                headers: ["Idempotency-Key": "order-\(number)"])
            let id = try #require(order.deliveries.first).id
            let link: ViewLinkBody = try await shop.send(
                .POST, .orders, "/v1/deliveries/\(id)/view-link", [String: String]())
            try await Browser.run { browser in
                let page = try await browser.newPage()
                try await page.resize(to: ViewportSize(width: 390, height: 844, isMobile: true))
                try await scenario(
                    OpenDelivery(
                        number: number, stack: stack, phone: phone, browser: browser, page: page, id: id,
                        link: link.url))
            }
            group.cancelAll()
        }
    }

    /// Another order of the same customer at the same store, for the same door.
    func placeAnother() async throws -> OpenDelivery {
        let order: OrderBody = try await stack.asStore.send(
            .POST, .orders, "/v1/orders",
            try Self.body(number, suffix: "-B", items: nil, dropOff: nil, requires: nil, now: stack.clock.now),
            headers: ["Idempotency-Key": "order-\(number)-B"])
        let id = try #require(order.deliveries.first).id
        return OpenDelivery(
            number: number, stack: stack, phone: phone, browser: browser, page: page, id: id, link: link)
    }

    private static func body(
        _ number: Int, suffix: String = "", items: [PlaceOrderBody.Line]?, dropOff: DropOff?, requires: [ProofKind]?,
        corrections: [CustomerCorrection]? = nil, now: Date
    ) throws -> PlaceOrderBody {
        let oats = PlaceOrderBody.Line(
            id: try #require(ItemID(rawValue: "oats")), name: "Oat milk", quantity: 2, ifUnavailable: .ask)
        let bread = PlaceOrderBody.Line(
            id: try #require(ItemID(rawValue: "bread")), name: "Rye bread", quantity: 1, ifUnavailable: .ask)
        return PlaceOrderBody(
            reference: reference(number) + suffix, customer: try #require(CustomerID(rawValue: customer(number))),
            store: Store(
                id: try #require(StoreID(rawValue: "nordhavn-\(number)")), name: "Nordhavn",
                location: try #require(Coordinate(latitude: 55.7085, longitude: 12.5942)),
                timeZone: "Europe/Copenhagen", currency: CurrencyCode(rawValue: "DKK"),
                corrections: corrections.map { CorrectionLimits(byCustomer: $0) }),
            promise: try #require(Promise(start: now.addingTimeInterval(1_200), end: now.addingTimeInterval(3_000))),
            door: try #require(Coordinate(latitude: 55.6933, longitude: 12.5489)),
            recipient: dropOff?.recipient, address: dropOff?.address, note: dropOff?.note, handoff: nil,
            requires: requires, deliveries: [.init(items: items ?? [oats, bread])])
    }

    // MARK: The shop

    private var shop: RetryingClient { stack.asStore }

    /// Reports statuses, one after the other.
    func set(_ statuses: StatusCode...) async throws {
        for status in statuses {
            try await shop.exchange(
                .POST, .orders, "/v1/deliveries/\(id)/status", try WireJSON.encode(StatusBody(status: status)))
        }
    }

    func assignMira() async throws {
        let mira = CourierBody(
            id: try #require(CourierID(rawValue: courier)), name: "Mira", vehicle: .bicycle, phone: "+4512345678")
        try await shop.exchange(
            .PUT, .orders, "/v1/deliveries/\(id)/courier",
            try WireJSON.encode(AssignBody(courier: .described(mira))))
    }

    func report(_ item: String, _ body: ItemBody) async throws {
        try await shop.exchange(
            .PATCH, .orders, "/v1/deliveries/\(id)/items/\(item)", try WireJSON.encode(body))
    }

    /// The courier's phone says where it is, part of the way from the store to the door.
    func ride(_ part: Double) async throws {
        let courier = RetryingClient(stack: stack, token: try await stack.tokens.courier(self.courier))
        let fix = FixBody.readable(
            .init(
                time: stack.clock.now, latitude: 55.7085 - 0.0152 * part, longitude: 12.5942 - 0.0453 * part,
                accuracy: 8))
        let _: FixesAnswer = try await courier.send(.POST, .courierETA, "/v1/fixes", FixesBody(fixes: [fix]))
    }

    func delivery() async throws -> DeliveryBody { try await shop.get(.orders, "/v1/deliveries/\(id)") }

    // MARK: The page

    /// Gives the order's number on the page.
    func prove() async throws {
        try await page.type(reference, into: "#reference")
        try await page.click("#proof button")
        try await page.waitUntil("the page has buttons") { try await !page.elements("#do-cancel").isEmpty }
    }

    /// The card on the phone of the customer, as a page would draw it now; nil before there is one.
    func phoneFace() async -> CardFace? {
        let now = stack.clock.now.epochSeconds
        let card = await phone.screen.phone.rememberedCards.first { $0.attributes.delivery == id.rawValue }
        return card.map { CardFace($0, words: Words(locale: "en"), now: now, in: .page) }
    }

    /// Waits until the page and its title, which follows the card a moment later, show what the phone shows: a phase.
    func expectPhoneCard(in phase: KnownStep) async throws {
        try await page.waitUntil("the page shows the phone's card \(phase)") {
            guard try await hasPhoneCard(page, in: phase) else { return false }
            return try await page.title.contains(phase.shortPhase)
        }
    }

    /// Whether a page, the customer's or another, draws the card that the phone shows, in a phase.
    func hasPhoneCard(_ page: BrowserPage, in phase: KnownStep) async throws -> Bool {
        guard let face = await phoneFace(), face.shortPhase == phase.shortPhase else { return false }
        let card = try await page.element("#card").text
        let parts = [face.question ?? face.headline, face.detail, face.arrival, face.courier, face.store]
        return parts.compactMap(\.self).allSatisfy(card.contains)
    }

    /// A step that a page is watched through, by the words on the side of a phone's island.
    struct KnownStep: Sendable, CustomStringConvertible {
        let shortPhase: String
        var description: String { "in \(shortPhase)" }

        init(_ phase: LiveActivity.Phase) { shortPhase = Words(locale: "en").shortPhase(phase) }
    }

    /// Waits until a part of the page, which may be another element a moment later, has a text.
    func expect(_ part: String, contains text: String) async throws {
        try await page.expect(part, contains: text)
    }

    /// Waits until the page says no more that there is no connection.
    func expectConnected() async throws {
        try await page.waitUntil("the page has a connection") {
            try await !page.element("#connection").isDisplayed
        }
    }

    /// Nothing on the page is out of reach of anybody, in both appearances.
    func expectAccessible(_ other: BrowserPage? = nil) async throws {
        let page = other ?? page
        for appearance in [MediaFeature.light, .dark] {
            try await page.prefer(appearance)
            let violations = try await page.violations()
            #expect(violations.isEmpty, "\(appearance): \(violations)")
        }
        try await page.prefer()
    }

    /// The browser has complained about nothing: no script failed, and no policy was broken.
    func expectSilentConsole(_ other: BrowserPage? = nil) async throws {
        let page = other ?? page
        let entries = try await page.readConsole()
        #expect(entries.isEmpty, "\(entries)")
    }
}
