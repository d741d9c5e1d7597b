import BrowserSupport
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing
import WireCoding

extension BrowserTests {
    @Test("A customer follows the courier on the map from the store to the door, and nothing of it before or after")
    func courierMap() async throws {
        try await OpenDelivery.run(hasTiles: true, showsCouriers: true) { delivery in
            try await delivery.page.open(delivery.link)
            try await delivery.set(.accepted, .picking)
            try await delivery.assignMira()
            try await delivery.ride(0)
            #expect(try await !delivery.page.element("#map").isDisplayed)

            try await delivery.set(.pickedUp, .enRoute)
            try await delivery.page.waitUntil("the map is there, without a place measured before") {
                try await delivery.page.element("#map").isDisplayed
            }
            // Of a version that runs no more: what failed is replaced, and what is loaded does not run again.
            try await delivery.page.execute(
                """
                const { dataset } = document.getElementById("map-drawing")
                dataset.scripts = dataset.scripts.replace(/map-images\\.\\w+/, "map-images.000000000000")
                """)
            try await delivery.ride(0.3, until: "km away")
            try await delivery.page.expect("#map-drawing .map-mark.courier")
            try await delivery.page.expect("#map-drawing .map-mark.door")
            try await delivery.page.expect("#map-drawing path.map-line")
            try await delivery.page.expect("#map-drawing img.leaflet-tile-loaded")
            try await delivery.expect("#map-drawing .leaflet-control-attribution", contains: "Sample Images")
            #expect(try await delivery.page.elements("script[src*='/assets/leaflet.']").count == 1)
            #expect(try await delivery.page.elements("script[src*='000000000000']").isEmpty)
            let complaints = try await delivery.page.readConsole()
            #expect(
                !complaints.isEmpty && complaints.allSatisfy { $0.text.contains("map-images.000000000000") },
                "\(complaints)")
            try await delivery.expectAccessible()

            try await delivery.ride(0.6, until: "towards you")
            try await delivery.page.waitUntil("courier and door fill the drawing") {
                try await delivery.page.execute(Self.isFilled, as: Bool.self)
            }

            // The courier is exempt, and is not any more.
            try await delivery.setMap(isShown: false)
            try await delivery.expect("#map-text", contains: "not known just now")
            try await delivery.page.waitUntil("the drawing is gone") {
                try await !delivery.page.element("#map-drawing").isDisplayed
            }
            try await delivery.expectAccessible()
            try await delivery.setMap(isShown: true)
            try await delivery.ride(0.65, until: "km away")
            try await delivery.page.expect("#map-drawing .map-mark.courier")

            // What is read again has the drawing still.
            try await delivery.page.execute("htmx.trigger(document.getElementById('live'), 'read')")
            try await delivery.page.waitUntil("the drawing is in the page that was read again") {
                try await delivery.page.element("#map-drawing .map-mark.courier").isDisplayed
            }

            try await delivery.set(.atDoor, .delivered)
            try await delivery.page.waitUntil("the map is gone") {
                try await !delivery.page.element("#map").isDisplayed
            }
            try await delivery.expectSilentConsole()
        }
    }

    /// Whether courier and door are apart by more than half of the drawing one way or the other.
    private static let isFilled = """
        const at = (kind) => {
          const box = document.querySelector("#map-drawing .map-mark." + kind).getBoundingClientRect();
          return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
        };
        const [one, other] = [at("courier"), at("door")];
        const map = document.querySelector("#map-drawing .map-drawing");
        return Math.abs(one[0] - other[0]) > map.clientWidth / 2 || Math.abs(one[1] - other[1]) > map.clientHeight / 2;
        """
}

extension OpenDelivery {
    /// The courier's phone sends fixes of one place until the map's text has something.
    fileprivate func ride(_ part: Double, until text: String) async throws {
        try await page.waitUntil("the map has \(text)") {
            try await ride(part)
            try await Task.sleep(for: .seconds(1))
            return try await page.element("#map-text").text.contains(text)
        }
    }

    /// An operator exempts the courier from maps, or ends it.
    fileprivate func setMap(isShown: Bool) async throws {
        let _: CourierMapBody = try await stack.asOperator.send(
            .PUT, .courierETA, "/v1/couriers/\(courier)/map", CourierMapBody(isShown: isShown))
    }
}
