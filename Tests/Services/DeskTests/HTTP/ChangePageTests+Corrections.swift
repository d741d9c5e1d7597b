import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOHTTP1
import OrderDomain
import Testing

@testable import Desk

extension ChangePageTests {
    @Test(
        "The reason for a change of an item and of stops goes to orders, which keeps it",
        arguments: [
            ("item", "PATCH", "items/milk", #"{"reason":"spilt","status":"out_of_stock"}"#),
            ("trip", "PUT", "trip", #"{"reason":"spilt","stopsBefore":2}"#),
        ])
    func reason(kind: String, method: String, part: String, body: String) async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            let path = "/v1/deliveries/\(Self.delivery.id)"
            try desk.services.answer("orders", "\(method) \(path)/\(part)", Self.preview().delivery)
            let done = try await ada.post(
                "\(Self.path)/change/\(kind)",
                [
                    ("version", "2"), ("reason", "spilt"), ("step", "commit"), ("item", "milk"),
                    ("itemStatus", "out_of_stock"), ("stops", "2"),
                ])
            #expect(done.0.status == .seeOther)
            #expect(desk.services.takeSent().first { $0.method != .GET }?.body == body)
        }
    }

    @Test("A further item is sent with its class, which the form asks for and the preview keeps")
    func addItem() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            let add = "POST /v1/deliveries/\(Self.delivery.id)/items"
            try desk.services.answer("orders", add + "?preview=true", Self.preview())
            try desk.services.answer("orders", add, Self.preview().delivery)
            let form = try await ada.get(Self.path + "/change/add-item")
            #expect(form.html.contains("name=\"class\" value=\"\""))
            let fields = [
                ("version", "2"), ("reason", "called"), ("name", "Wine"), ("quantity", "1"), ("class", "alcohol"),
            ]
            let shown = try await ada.post(Self.path + "/change/add-item", fields + [("step", "preview")])
            #expect(shown.html.contains("name=\"class\" value=\"alcohol\""))
            _ = desk.services.takeSent()
            let done = try await ada.post(Self.path + "/change/add-item", fields + [("step", "commit")])
            #expect(done.0.headers[.location] == Self.path + "?done=add-item")
            let made = try #require(desk.services.takeSent().first { $0.path.hasSuffix("/items") })
            #expect(made.body.contains(#""class":"alcohol""#) && made.body.contains(#""id":"added-2""#))
        }
    }

    @Test("A form that comes back with a mistake or a refusal keeps the version that the operator saw")
    func seenVersion() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            let hold = "PUT /v1/deliveries/\(Self.delivery.id)/hold"
            try desk.services.answer("orders", hold, ["title": "The request is malformed"], status: 400)
            for (kind, fields, status) in [
                ("hold", [("reason", " ")], 422), ("drop-off", [("reason", "called"), ("door", "x")], 422),
                ("hold", [("reason", "flat tyre"), ("step", "commit")], 400),
            ] {
                let answer = try await ada.post("\(Self.path)/change/\(kind)", fields + [("version", "1")])
                #expect(answer.0.status.code == status, "\(kind)")
                #expect(answer.html.contains("name=\"version\" value=\"1\""), "\(kind) \(status)")
            }
        }
    }

    @Test("A corrected address is sent with the version that was seen, and no address of a page has it")
    func dropOff() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            let correct = "PATCH /v1/deliveries/\(Self.delivery.id)/drop-off"
            try desk.services.answer("orders", correct + "?preview=true", Self.preview())
            try desk.services.answer("orders", correct, Self.preview().delivery)
            let form = try await ada.get(Self.path + "/change/drop-off")
            #expect(form.html.contains("name=\"street\"") && form.html.contains("name=\"present\""))
            for (name, charactersMax) in [
                ("street", 120), ("floor", 40), ("postal_code", 16), ("city", 60), ("door_code", 24), ("note", 280),
            ] {
                let field = try #require(form.html.range(of: " name=\"\(name)\""))
                let rest = form.html[field.upperBound...].prefix { $0 != ">" }
                #expect(rest.contains("maxlength=\"\(charactersMax)\""), "\(name)")
            }
            let fields = [
                ("version", "2"), ("reason", "called"), ("street", "Strandgade 2"), ("door", "55.7, 12.6"),
            ]
            let shown = try await ada.post(Self.path + "/change/drop-off", fields + [("step", "preview")])
            #expect(shown.html.contains("name=\"street\" value=\"Strandgade 2\""))
            #expect(shown.html.contains("id=\"commit\""))
            _ = desk.services.takeSent()
            let done = try await ada.post(Self.path + "/change/drop-off", fields + [("step", "commit")])
            #expect(done.0.headers[.location] == Self.path + "?done=drop-off")
            let made = try #require(desk.services.takeSent().first { $0.method == .PATCH })
            #expect(made.headers.first(name: "If-Match") == "\"v2\"")
            #expect(
                made.body
                    == #"{"address":{"street":"Strandgade 2"},"door":{"latitude":55.7,"longitude":12.6},"reason":"called"}"#
            )
        }
    }

    @Test("Another bag for the same door is corrected in what the form changes, and keeps the rest as its own")
    func otherBagsDropOff() async throws {
        try await DeskUnderTest.run { desk, client in
            let other = SampleDeliveries.whole(number: 2, [.status(.accepted, reason: nil)])
            let reader = Principal(.operator("ada"))
            let dropOff = DropOff(
                recipient: nil, address: Address(street: "Torvegade 1", floor: "2. tv"), note: "Ring twice")
            for delivery in [Self.delivery, other] {
                try desk.services.know(delivery)
                try desk.services.answer(
                    "orders", "PATCH /v1/deliveries/\(delivery.id)/drop-off?preview=true", Self.preview())
            }
            try desk.services.answer(
                "orders", "/v1/deliveries/\(Self.delivery.id)",
                DeliveryBody(Self.delivery, dropOff: dropOff, links: [], for: reader))
            let rows = [Self.delivery, other].map { delivery in
                BoardBody.Row(delivery, risk: .onTime, estimate: nil, cards: nil, dropOff: dropOff, for: reader)
            }
            try desk.services.answer(
                "orders", "/v1/deliveries",
                BoardBody(
                    counts: .init(live: 2, late: 0, atRisk: 0, silent: 0, unassigned: 0, waitingForCustomer: 0),
                    deliveries: rows, next: nil))
            await desk.reader.read()
            let ada = try await desk.browser(client)
            let shown = try await ada.post(
                Self.path + "/change/drop-off",
                [
                    ("version", "2"), ("reason", "called"), ("step", "preview"), ("street", "Strandgade 2"),
                    ("floor", "2. tv"), ("note", "Ring twice"), ("door", "55.7, 12.6"),
                ])
            #expect(shown.html.contains("Correct theirs too"))
            let plan = PlannedChange(
                other.id, version: 2, fields: ["street": "Strandgade 2", "door": "55.7, 12.6"])
            #expect(shown.html.contains("value=\"\(plan.text.replacing("&", with: "&amp;"))\" checked"))
        }
    }
}
