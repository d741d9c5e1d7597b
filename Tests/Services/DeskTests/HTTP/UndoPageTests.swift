import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import Messages
import NIOHTTP1
import OrderDomain
import PostgresClient
import TestSupport
import Testing
import WireCoding

@testable import Desk

@Suite("Taking a change back", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct UndoPageTests {
    private static let free = SampleDeliveries.whole([.status(.accepted, reason: nil)])

    private static func held(for reason: String) -> Delivery {
        SampleDeliveries.whole([.status(.accepted, reason: nil), .hold(reason: reason)])
    }

    /// What a change of a delivery results in, made or previewed.
    func answer(_ desk: DeskUnderTest, _ method: String, _ part: String, _ result: Delivery) throws {
        let change = "\(method) /v1/deliveries/\(result.id)/\(part)"
        let body = DeliveryBody(result, dropOff: nil, links: [], for: Principal(.operator("ada")))
        let preview = PreviewBody(
            changes: true, delivery: body,
            activity: ActivityStep.after(DeliverySnapshot(result, links: []), arrival: nil, step: 0), alert: nil,
            cards: nil)
        for query in ["?preview=true", "?preview=true&unknown=true"] {
            try desk.services.answer("orders", change + query, preview)
        }
        try desk.services.answer("orders", change, body)
    }

    private func know(_ delivery: Delivery, on desk: DeskUnderTest) async throws {
        try desk.services.know(delivery)
        try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([delivery]))
        desk.board.wakeAll()
        await desk.reader.read()
    }

    /// The value of the only delivery in the page's form.
    private func planned(_ html: String) throws -> String {
        let value = try #require(html.firstMatch(of: /name="delivery" value="([^"]*)"/)).1
        return String(value).replacing("&amp;", with: "&")
    }

    private static let reasons = ["courier: the <bag> is \"open\" & wet, å", CourierProblem.vehicle.reason]

    @Test(
        "A release on the delivery's page is taken back with a courier's problem as it was, and no address has other words",
        arguments: reasons)
    func release(former: String) async throws {
        let reason = former == CourierProblem.vehicle.reason ? former : "Undo"
        try await DeskUnderTest.runSignedIn { desk, ada in
            let held = Self.held(for: former)
            try desk.services.know(held)
            try answer(desk, "DELETE", "hold", Self.free)
            try answer(desk, "PUT", "hold", held)
            let path = "/deliveries/\(held.id)"
            let done = try await ada.post(
                path + "/change/release", [("version", "\(held.version)"), ("reason", "dry"), ("step", "commit")])
            let page = try await ada.get(try #require(done.0.headers[.location])).html
            let link = try #require(page.firstMatch(of: /href="([^"]*)">Undo</)).1.replacing("&amp;", with: "&")
            #expect(link.hasPrefix(path + "/change/hold?reason=") && (former == reason || !link.contains("wet")))

            let form = try await ada.get(String(link)).html
            #expect(form.contains("name=\"reason\" value=\"\(reason)\""))
            for step in ["preview", "commit"] {
                _ = desk.services.takeSent()
                let fields = [("version", "\(held.version)"), ("reason", reason), ("step", step)]
                let shown = try await ada.post(path + "/change/hold", fields)
                let sent = try #require(desk.services.takeSent().first { $0.method == .PUT })
                #expect(try WireJSON.decode(HoldBody.self, from: Data(sent.body.utf8)).reason == reason)
                if step == "preview" {
                    #expect(shown.html.contains("type=\"hidden\" name=\"reason\" value=\"\(reason)\""))
                }
            }
        }
    }

    @Test("A release of several is taken back with the reason of each former hold", arguments: reasons)
    func bulkRelease(reason: String) async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let held = Self.held(for: reason)
            try await know(held, on: desk)
            try answer(desk, "DELETE", "hold", Self.free)
            try answer(desk, "PUT", "hold", held)
            let fields = [("kind", "release"), ("reason", "dry")]
            let shown = try await ada.post(
                "/bulk", fields + [("step", "preview"), ("delivery", "\(held.id) \(held.version)")])
            let done = try await ada.post(
                "/bulk", fields + [("step", "commit"), ("delivery", try planned(shown.html))])
            #expect(done.html.contains("id=\"undo\"") && done.html.contains("name=\"kind\" value=\"hold\""))
            let undone = try await ada.post(
                "/bulk",
                [("kind", "hold"), ("reason", "Undo"), ("step", "undo"), ("delivery", try planned(done.html))])
            #expect(undone.html.contains("done; it is at version"))
            let sent = try #require(desk.services.takeSent().last { $0.method == .PUT })
            #expect(try WireJSON.decode(HoldBody.self, from: Data(sent.body.utf8)).reason == reason)
        }
    }

    @Test("A release of several is made where the board has not read the hold yet, without a way back")
    func bulkReleaseBehind() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let held = Self.held(for: "rain")
            var released = held
            _ = try released.apply(.release, at: SampleDeliveries.at(14))
            try await know(Self.free, on: desk)
            try answer(desk, "DELETE", "hold", released)
            let fields = [("kind", "release"), ("reason", "dry")]
            let shown = try await ada.post(
                "/bulk", fields + [("step", "preview"), ("delivery", "\(held.id) \(held.version)")])
            #expect(shown.html.contains("Do it to 1") && !shown.html.contains("it has changed since"))
            let done = try await ada.post(
                "/bulk", fields + [("step", "commit"), ("delivery", try planned(shown.html))])
            #expect(done.html.contains("done; it is at version \(released.version), and has no undo here"))
            #expect(!done.html.contains("id=\"undo\""))
        }
    }

    @Test("An undo is not made where the delivery's present state cannot be read")
    func unread() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let plan = PlannedChange(
                Self.free.id, version: Self.free.version, former: ChangeForm.fields(ofHold: "storm"))
            try desk.services.refuse("orders", "DELETE /v1/deliveries/\(Self.free.id)/hold", with: .stale, status: 412)
            desk.services.set(away: ["orders"], .ofReads)
            let done = try await ada.post(
                "/bulk",
                [("kind", "release"), ("reason", "Undo"), ("step", "undo"), ("delivery", plan.text)])
            #expect(done.html.contains("not done: orders does not answer"))
            #expect(!done.html.contains("may have been made"))
        }
    }

    @Test("A courier on the delivery's page is taken back with the stops before, which another courier does not get")
    func courier() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let third = SampleDeliveries.whole(SampleDeliveries.toEnRoute + [.stopsBefore(3)])
            var moved = third
            let finn = Courier(id: SampleDeliveries.id("finn"), name: "Finn", vehicle: .bicycle, phone: nil)
            _ = try moved.apply(.courier(finn), at: SampleDeliveries.at(30))
            try desk.services.know(third)
            try answer(desk, "PUT", "courier", moved)
            let path = "/deliveries/\(third.id)/change/courier"
            let version = ("version", "\(third.version)")
            let made = try await ada.post(
                path, [version, ("reason", "flat"), ("courier", "finn"), ("step", "commit")])
            let page = try await ada.get(try #require(made.0.headers[.location])).html
            let link = try #require(page.firstMatch(of: /href="([^"]*)">Undo</)).1
            #expect(link == "\(path)?reason=Undo&amp;courier=mira&amp;former=mira&amp;stops=3")
            let form = try await ada.get(String(link).replacing("&amp;", with: "&")).html
            #expect(form.contains("name=\"former\" value=\"mira\""))
            #expect(form.contains("name=\"stops\" value=\"3\""))
            /// The body of the request for a courier, by the form that takes the move back.
            func sent(_ courier: String, _ step: String) async throws -> String {
                _ = desk.services.takeSent()
                let fields = [version, ("reason", "Undo"), ("former", "mira"), ("stops", "3")]
                _ = try await ada.post(path, fields + [("courier", courier), ("step", step)])
                return try #require(desk.services.takeSent().first { $0.method == .PUT }).body
            }
            for step in ["preview", "commit"] {
                #expect(try await sent("mira", step) == #"{"courier":"mira","reason":"Undo","stopsBefore":3}"#)
                #expect(try await sent("finn", step) == #"{"courier":"finn","reason":"Undo"}"#)
            }
        }
    }

    @Test("A hold of several leaves out what is on hold already, so that the undo releases nothing of it")
    func bulkHold() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let held = Self.held(for: CourierProblem.vehicle.reason)
            let other = SampleDeliveries.whole(number: 2, [.status(.accepted, reason: nil)])
            var stopped = other
            _ = try stopped.apply(.hold(reason: "storm"), at: SampleDeliveries.at(14))
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([held, other]))
            await desk.reader.read()
            try answer(desk, "PUT", "hold", held)
            try answer(desk, "PUT", "hold", stopped)
            _ = desk.services.takeSent()
            let shown = try await ada.post(
                "/bulk",
                [("kind", "hold"), ("reason", "storm"), ("step", "preview")]
                    + [held, other].map { ("delivery", "\($0.id) \($0.version)") })
            #expect(shown.html.contains("it is on hold already") && shown.html.contains("Do it to 1"))
            #expect(try planned(shown.html) == "\(other.id) \(other.version) reason=storm *")
            #expect(desk.services.takeSent().count { $0.method == .PUT } == 1)
            let done = try await ada.post(
                "/bulk",
                [("kind", "hold"), ("reason", "storm"), ("step", "commit"), ("delivery", try planned(shown.html))])
            #expect(try planned(done.html) == "\(other.id) \(stopped.version) * reason=storm")
            #expect(!done.html.contains(held.id.rawValue))
        }
    }

    @Test("A hold of several is taken back after another change, and not where it is another person's later hold")
    func laterHold() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try await know(Self.free, on: desk)
            let held = Self.held(for: "storm & rain")
            try answer(desk, "PUT", "hold", held)
            let fields = [("kind", "hold"), ("reason", " storm & rain ")]
            let shown = try await ada.post(
                "/bulk", fields + [("step", "preview"), ("delivery", "\(Self.free.id) \(Self.free.version)")])
            let done = try await ada.post(
                "/bulk", fields + [("step", "commit"), ("delivery", try planned(shown.html))])
            let undo = [
                ("kind", "release"), ("reason", "Undo"), ("step", "undo"), ("delivery", try planned(done.html)),
            ]
            try desk.services.refuse("orders", "DELETE /v1/deliveries/\(held.id)/hold", with: .stale, status: 412)
            /// The versions against which the undo releases the delivery, where it is this one meanwhile.
            func released(_ present: Delivery) async throws -> [String] {
                try desk.services.know(present)
                _ = desk.services.takeSent()
                _ = try await ada.post("/bulk", undo)
                return desk.services.takeSent().filter { $0.method == .DELETE }
                    .compactMap { $0.headers.first(name: "If-Match") }
            }
            var moved = held
            _ = try moved.apply(.status(.picking, reason: nil), at: SampleDeliveries.at(15))
            #expect(try await released(moved) == ["\"v\(held.version)\"", "\"v\(moved.version)\""])
            var later = held
            for change in [DeliveryChange.release, .hold(reason: "fraud check")] {
                _ = try later.apply(change, at: SampleDeliveries.at(15))
            }
            #expect(try await released(later) == ["\"v\(held.version)\""])
        }
    }

    @Test("A change of several that is not answered may have been made, and after two of them the others are not tried")
    func unanswered() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let plans = (1...4).map { number in
                let delivery = SampleDeliveries.whole(number: number, [.status(.accepted, reason: nil)])
                return ("delivery", PlannedChange(delivery.id, version: delivery.version, former: [:]).text)
            }
            desk.services.set(away: ["orders"])
            _ = desk.services.takeSent()
            let done = try await ada.post("/bulk", [("kind", "hold"), ("reason", "storm"), ("step", "commit")] + plans)
            #expect(done.html.components(separatedBy: "may have been made: orders does not answer").count == 3)
            #expect(done.html.components(separatedBy: "not tried").count == 3 && !done.html.contains("not done"))
            #expect(desk.services.takeSent().count { $0.method == .PUT } == 2)
            #expect(!done.html.contains("id=\"undo\""))

            desk.services.set(away: ["orders"], .ofConnections)
            let refused = try await ada.post(
                "/bulk", [("kind", "hold"), ("reason", "storm"), ("step", "commit")] + plans)
            #expect(refused.html.components(separatedBy: "not done: orders does not answer").count == 3)
            #expect(refused.html.components(separatedBy: "not tried").count == 3)
            #expect(!refused.html.contains("may have been made"))
        }
    }

    @Test(
        "A hundred deliveries are held and released together, and taken back, each with a reason of the longest",
        arguments: ["å", "あ", "𠮷"])
    func longReasons(letter: String) async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let reason = String(repeating: letter, count: ChangeForm.reasonCharactersMax)
            let hold = PlannedChange(
                Self.free.id, version: Self.free.version, fields: ChangeForm.fields(ofHold: reason), former: [:])
            try answer(desk, "PUT", "hold", Self.held(for: reason))
            try answer(desk, "DELETE", "hold", Self.free)
            func post(_ kind: String, _ step: String, _ reason: String, _ plan: PlannedChange) async throws -> Int {
                let answer = try await ada.post(
                    "/bulk",
                    [("kind", kind), ("reason", reason), ("step", step)]
                        + Array(repeating: ("delivery", plan.text), count: DeskHTTP.deliveriesMax))
                #expect(answer.0.status == .ok)
                return desk.services.takeSent().count { $0.method == (kind == "hold" ? .PUT : .DELETE) }
            }
            let release = try #require(hold.undone(at: Self.free.version))
            #expect(try await post("hold", "commit", reason, hold) == DeskHTTP.deliveriesMax)
            #expect(try await post("release", "undo", "Undo", release) == DeskHTTP.deliveriesMax)
            #expect(try await post("release", "commit", reason, release) == DeskHTTP.deliveriesMax)
            #expect(try await post("hold", "undo", "Undo", hold) == DeskHTTP.deliveriesMax)
        }
    }

    @Test("A planned change is read as it was written, also where a letter combines with a separator")
    func written() throws {
        for reason in ["a & b = 100 % + c", "\u{308}wet \u{600}", "あ \u{3000}い"] {
            let plan = PlannedChange(
                Self.free.id, version: 2, fields: ["reason": reason, "status": "staged"], former: ["reason": reason])
            #expect(PlannedChange(plan.text) == plan, "\(plan.text)")
        }
    }
}
