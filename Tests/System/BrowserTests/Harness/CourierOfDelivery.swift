import BrowserSupport
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing

/// The courier of an open delivery, with their own page in a browser of their own.
struct CourierOfDelivery: Sendable {
    let delivery: OpenDelivery
    let page: BrowserPage
    let link: String

    /// Has Mira bring the delivery, once it is packed.
    init(of delivery: OpenDelivery, with credential: String? = nil) async throws {
        self.delivery = delivery
        try await delivery.set(.accepted, .picking, .staged)
        try await delivery.assignMira()
        let link: CourierLinkBody = try await delivery.stack.asOperator.send(
            .POST, .orders, "/v1/couriers/\(delivery.courier)/link", [String: String]())
        self.link = link.url + (credential.map { "#t=\($0)" } ?? "")
        page = try await delivery.browser.newPage()
        try await page.resize(to: ViewportSize(width: 390, height: 844, isMobile: true))
    }

    func open() async throws {
        try await page.open(link)
        try await page.waitUntil("the stop is on the page") { try await !page.elements("#\(stop)").isEmpty }
    }

    /// The stop's id on the page.
    var stop: String { "stop-\(delivery.id)" }

    func selector(of action: CourierButton) -> String { "[id=\"\(action.rawValue)-\(delivery.id)\"]" }

    func press(_ action: CourierButton) async throws {
        try await page.click(selector(of: action))
    }

    /// Presses, and waits until the page has the answer, which moves its other buttons.
    func pressAnswered(_ action: CourierButton) async throws {
        try await press(action)
        try await expect("Pressed: ")
    }

    func expect(_ text: String) async throws {
        try await page.expect("main", contains: text)
    }

    /// How often the courier changed the delivery.
    func changes() async throws -> Int {
        let timeline: TimelineBody = try await delivery.stack.asOperator.get(
            .orders, "/v1/deliveries/\(delivery.id)/timeline")
        return timeline.entries.count { $0.by == "courier \(delivery.courier)" }
    }

    func waitUntil(_ status: StatusCode) async throws {
        try await page.waitUntil("the delivery is \(status)") { try await delivery.delivery().status == status }
    }
}

/// The buttons of a courier's page that scenarios press.
enum CourierButton: String, Sendable {
    case atStore = "at_store"
    case pickedUp = "picked_up"
    case atDoor = "at_door"
    case handedOver = "handed_over"
    case nobodyHome = "nobody_home"
}
