import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOHTTP1
import OrderDomain
import TestSupport
import Testing

@testable import Desk

/// Pages about several deliveries whose services do not answer, or answer late.
extension UndoPageTests {
    private static let previews = [[("kind", "hold")], [("kind", "courier"), ("courier", "finn")]]

    private static func holds(of deliveries: [Delivery]) -> [String] {
        deliveries.map {
            PlannedChange($0.id, version: $0.version, fields: ChangeForm.fields(ofHold: "storm"), former: [:]).text
        }
    }

    private static func undo(_ plans: [String], by ada: BrowserByTest) async throws -> String {
        try await ada.post(
            "/bulk", [("kind", "hold"), ("reason", "Undo"), ("step", "undo")] + plans.map { ("delivery", $0) }
        ).html
    }

    @Test("A preview of several that no service answers ends after two deliveries", arguments: previews)
    func unansweredPreview(fields: [(String, String)]) async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let deliveries = (1...4).map { number in
                let delivery = SampleDeliveries.whole(number: number, [.status(.accepted, reason: nil)])
                return ("delivery", "\(delivery.id) \(delivery.version)")
            }
            desk.services.set(away: ["orders"])
            _ = desk.services.takeSent()
            let shown = try await ada.post(
                "/bulk", fields + [("reason", "storm"), ("step", "preview")] + deliveries)
            #expect(shown.html.components(separatedBy: "not done: orders does not answer").count == 3)
            #expect(shown.html.components(separatedBy: "not tried").count == 3 && shown.html.contains("Do it to 0"))
            #expect(!shown.html.contains("may have been made"))
            #expect(desk.services.takeSent().count { $0.method == .PUT } == 2)
        }
    }

    @Test("After 35 seconds the rest of several is not tried, and the page has what was made with its undo")
    func slow() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let deliveries = (1...4).map { SampleDeliveries.whole(number: $0, [.status(.accepted, reason: nil)]) }
            for delivery in deliveries {
                try answer(desk, "PUT", "hold", delivery)
                try answer(desk, "PUT", "courier", delivery)
            }
            let wall = desk.wall
            desk.services.observe { if $0.method == .PUT { wall.advance(by: 20) } }
            func post(_ fields: [(String, String)], _ plans: [String]) async throws -> String {
                _ = desk.services.takeSent()
                let html = try await ada.post(
                    "/bulk", fields + [("reason", "storm")] + plans.map { ("delivery", $0) }
                ).html
                #expect(html.components(separatedBy: "not tried: the deliveries before it used").count == 3)
                #expect(desk.services.takeSent().count { $0.method == .PUT } == 2)
                return html
            }
            for fields in Self.previews {
                let shown = try await post(
                    fields + [("step", "preview")], deliveries.map { "\($0.id) \($0.version)" })
                #expect(shown.contains("Do it to 2"))
            }
            let plans = Self.holds(of: deliveries)
            let done = try await post([("kind", "hold"), ("step", "commit")], plans)
            #expect(done.components(separatedBy: "done; it is at version").count == 3 && done.contains("id=\"undo\""))
        }
    }

    @Test("An undo that is not answered offers all that may still be to do")
    func unansweredUndo() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let deliveries = (1...4).map { SampleDeliveries.whole(number: $0, [.status(.accepted, reason: nil)]) }
            let plans = Self.holds(of: deliveries)
            for (delivery, status) in zip(deliveries, [429, 409]) {
                try desk.services.answer(
                    "orders", "PUT /v1/deliveries/\(delivery.id)/hold", ["title": "Refused"], status: status)
            }
            let refused = try await Self.undo(Array(plans.prefix(2)), by: ada)
            #expect(refused.components(separatedBy: "name=\"delivery\"").count == 2, "429 may pass, 409 stays")

            desk.services.set(away: ["orders"])
            let html = try await Self.undo(plans, by: ada)
            #expect(html.contains("may have been made") && html.contains("Undo the rest"))
            #expect(html.components(separatedBy: "name=\"delivery\"").count == 5)
        }
    }

    @Test("An undo that ends early offers the rest, as it was planned, until all is undone")
    func slowUndo() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let deliveries = (1...4).map { SampleDeliveries.whole(number: $0, [.status(.accepted, reason: nil)]) }
            for delivery in deliveries { try answer(desk, "PUT", "hold", delivery) }
            let wall = desk.wall
            desk.services.observe { if $0.method == .PUT { wall.advance(by: 7) } }
            // Holds that take a release back.
            let plans = Self.holds(of: deliveries)
            func offered(by html: String) -> [String] {
                html.matches(of: /name="delivery" value="([^"]*)"/).map {
                    String($0.1).replacing("&amp;", with: "&")
                }
            }
            let first = try await Self.undo(plans, by: ada)
            #expect(first.components(separatedBy: "done; it is at version").count == 3)
            #expect(first.contains("Undo the rest") && first.contains("name=\"kind\" value=\"hold\""))
            #expect(offered(by: first) == Array(plans.suffix(2)))
            let second = try await Self.undo(offered(by: first), by: ada)
            #expect(second.components(separatedBy: "done; it is at version").count == 3)
            #expect(!second.contains("id=\"undo\""))
        }
    }
}
