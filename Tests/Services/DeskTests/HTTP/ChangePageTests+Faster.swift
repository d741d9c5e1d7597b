import DeliverySamples
import DoorstepAPI
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import TestSupport
import Testing

@testable import Desk

extension ChangePageTests {
    @Test(
        "A form that comes back names another operator only where one has changed the delivery",
        arguments: [
            (["operator ada"], "You have changed the delivery since you opened this form."),
            (
                ["operator Ada Byron (ada)", "operator ada"],
                "You have changed the delivery since you opened this form."
            ),
            (["operator ada", "operator bo"], "Another operator changed the delivery after you opened this form."),
            (["store n", "operator Ada (bo)"], "Another operator changed the delivery after you opened this form."),
            (["operator ada", "courier mira"], "The delivery has changed since you opened this form."),
            ([], "The delivery has changed since you opened this form."),
        ] as [([String], String)])
    func faster(actors: [String], cause: String) async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let entries = actors.map { actor in
                TimelineBody.Entry(
                    at: SampleDeliveries.at(13), version: 2, kind: "status", what: "placed → accepted", by: actor,
                    reason: nil)
            }
            try desk.services.know(Self.delivery, entries: entries)
            try desk.services.refuse("orders", "PUT /v1/deliveries/\(Self.delivery.id)/hold", with: .stale, status: 412)
            let answer = try await ada.post(
                Self.path + "/change/hold", [("version", "1"), ("reason", "flat tyre"), ("step", "commit")])
            #expect(answer.0.status == .conflict && answer.html.contains(cause))
        }
    }
}
