import BrowserSupport
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing

/// A courier's page in a browser that keeps nothing.
extension BrowserTests {
    @Test("Where the browser keeps nothing, a credential that comes with a newer link outlasts the page's reload")
    func courierCredentialInAddress() async throws {
        try await OpenDelivery.run { delivery in
            let phone: EnrolledPhoneBody = try await delivery.stack.asOperator.send(
                .POST, .courierETA, "/v1/couriers/\(delivery.courier)/phones", EnrolPhoneBody(label: "browser"))
            let courier = try await CourierOfDelivery(of: delivery)
            let page = courier.page
            try await page.setPosition(latitude: 55.7, longitude: 12.57)
            try await courier.open()
            try await courier.expect("To share it, open the newest link")
            try await page.openWithoutStorage("#t=\(phone.token)")
            try await courier.expect("Your position is not shared.")
            try await delivery.expectSilentConsole(page)
        }
    }
}

extension BrowserPage {
    /// Opens the same address with another part behind its `#`, while the open page can store nothing.
    fileprivate func openWithoutStorage(_ part: String) async throws {
        try await execute(
            """
            Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") }
            location.hash = arguments[0]
            """, part)
    }
}
