import BrowserSupport
import CardPresentation
import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import ScriptedPeers
import SimulationSupport
import Testing
import WireCoding

/// A neighbour receives the goods, by the link and the order's number that the customer sent them.
extension BrowserTests {
    @Test("A neighbour reads the PIN to the courier, and the phone, the desk and the shop's events follow each step")
    func neighbour() async throws {
        let receiver = WebhookReceiver(seed: 1, refusalsMax: 0)
        let server = try await ScriptedHTTPServer.start { receiver.receive($0) }
        try await OpenDelivery.run(requires: [.pin]) { delivery in
            let store = try await delivery.delivery().store.id
            let url = server.origin.replacing("localhost", with: "127.0.0.1") + "/events"
            let endpoint = try await WebhookEndpoint.add(url, of: store, on: delivery.stack)
            try receiver.trust(endpoint.secret)
            let desk = try await DeskOfDelivery(of: delivery)
            try await desk.open(desk.path)
            try await delivery.page.open(delivery.link)
            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()

            /// The customer's page, the phone, the desk and the shop have the same.
            func expectEverywhere(_ phase: OpenDelivery.KnownStep, _ status: StatusCode) async throws {
                try await courier.waitUntil(status)
                try await delivery.expectPhoneCard(in: phase)
                try await desk.expectPhoneCard(in: phase)
                try await delivery.page.waitUntil("the shop has the event of \(status)") {
                    try receiver.events().contains { $0.type.status == status }
                }
            }
            try await courier.press(.pickedUp)
            try await expectEverywhere(.init(.onTheWay), .pickedUp)
            #expect(await delivery.phoneFace()?.pin == nil, "the courier is not near yet")
            try await courier.press(.atDoor)
            try await expectEverywhere(.init(.atDoor), .atDoor)

            let neighbour = try await delivery.browser.newPage()
            try await neighbour.open(delivery.link)
            #expect(try await neighbour.elements("#pin").isEmpty, "the number of the order is not known")
            try await neighbour.type(delivery.reference, into: "#reference")
            try await neighbour.click("#proof button")
            let shown = try await neighbour.waitFor("the neighbour reads the PIN") {
                try await neighbour.elements("#pin").first?.text
            }
            #expect(await delivery.phoneFace()?.pin == shown, "the customer's phone shows the same")
            let pin = shown.filter(\.isNumber)
            let wrong = pin == "1234" ? "4321" : "1234"

            try await courier.give(pin: wrong)
            try await courier.expect("4 tries are left")
            #expect(try await delivery.delivery().status == .atDoor)
            try await expectEverywhere(.init(.atDoor), .atDoor)
            try await courier.give(pin: pin)
            try await courier.page.waitUntil("the hand-over is offered") {
                try await !courier.page.elements(courier.selector(of: .handedOver)).isEmpty
            }
            try await courier.press(.handedOver)
            try await expectEverywhere(.init(.ended), .delivered)

            let handedOver = try #require(try receiver.events().first { $0.type.status == .delivered })
            #expect(handedOver.data.proofs?.map(\.state) == [.passed] && receiver.faults.isEmpty)
            for event in receiver.accepted.values {
                let text = String(decoding: event.body, as: UTF8.self)
                #expect(!text.contains("\"\(pin)\"") && !text.contains("\"\(wrong)\""))
            }
            #expect(try await !desk.page.text.contains("PIN \(pin)"))
        }
        try await server.stop()
    }
}
