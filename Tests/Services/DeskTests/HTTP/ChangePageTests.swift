import DeliverySamples
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import Messages
import NIOCore
import NIOHTTP1
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import Desk

@Suite("A change by an operator", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ChangePageTests {
    static let delivery = SampleDeliveries.whole([.status(.accepted, reason: nil)])
    static var path: String { "/deliveries/\(delivery.id)" }

    static func preview() -> PreviewBody {
        var held = delivery
        do { _ = try held.apply(.hold(reason: "flat tyre"), at: SampleDeliveries.at(14)) } catch {}
        return PreviewBody(
            changes: true,
            delivery: DeliveryBody(held, dropOff: nil, links: [], for: Principal(.operator("ada"))),
            activity: ActivityStep.after(DeliverySnapshot(held, links: []), arrival: nil, step: 0),
            alert: nil, cards: .init(count: 2, behind: 0, reason: nil))
    }

    @Test("It is shown with the card before it is made, and made with its reason, against the version that was seen")
    func hold() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            let hold = "PUT /v1/deliveries/\(Self.delivery.id)/hold"
            try desk.services.answer("orders", hold + "?preview=true", Self.preview())
            try desk.services.answer("orders", hold, Self.preview().delivery)
            let form = try await ada.get(Self.path + "/change/hold")
            #expect(form.html.contains("name=\"version\" value=\"2\""))
            _ = desk.services.takeSent()

            let fields = [("version", "2"), ("reason", "flat tyre")]
            let shown = try await ada.post(Self.path + "/change/hold", fields + [("step", "preview")])
            #expect(shown.0.status == .ok && shown.html.contains("Your delivery is on hold"))
            #expect(shown.html.contains("Doorstep updates 2 cards.") && shown.html.contains("id=\"commit\""))
            #expect(!desk.services.takeSent().contains { $0.method == .PUT && !$0.path.contains("preview=true") })

            let done = try await ada.post(Self.path + "/change/hold", fields + [("step", "commit")])
            #expect(done.0.status == .seeOther)
            #expect(done.0.headers[.location] == Self.path + "?done=hold&undo=release")
            let made = try #require(desk.services.takeSent().first { $0.method == .PUT })
            #expect(made.headers.first(name: "If-Match") == "\"v2\"" && made.body == #"{"reason":"flat tyre"}"#)
            let page = try await ada.get(Self.path + "?done=hold&undo=release")
            #expect(page.html.contains("/change/release?reason=Undo"))
        }
    }

    @Test("Where somebody was faster nothing is changed: the form comes back with what they did")
    func stale() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(
                Self.delivery,
                entries: [
                    .init(
                        at: SampleDeliveries.at(2), version: 1, kind: "placed", what: "placed", by: "shop", reason: nil),
                    .init(
                        at: SampleDeliveries.at(13), version: 2, kind: "status", what: "placed → accepted",
                        by: "operator bo", reason: nil),
                ])
            try desk.services.refuse(
                "orders", "PUT /v1/deliveries/\(Self.delivery.id)/hold", with: .stale, status: 412)
            let answer = try await ada.post(
                Self.path + "/change/hold", [("version", "1"), ("reason", "flat tyre"), ("step", "commit")])
            #expect(answer.0.status == .conflict)
            #expect(answer.html.contains("operator bo: placed → accepted") && !answer.html.contains("by shop"))
            #expect(answer.html.contains("value=\"flat tyre\""), "what was written is still there")
            #expect(answer.html.contains("name=\"version\" value=\"2\""), "and is against what is true now")
        }
    }

    @Test("What a form lacks is said on it, and no service is asked to change anything")
    func faults() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            try desk.services.answer("courier-eta", "/v1/couriers", CouriersBody(couriers: [], next: nil))
            for (kind, fields, text) in [
                ("hold", [("version", "2")], "Give a reason"),
                ("courier", [("version", "2"), ("reason", "x"), ("courier", "a b")], "Choose a courier"),
                ("promise", [("version", "2"), ("reason", "x"), ("start", "soon")], "Write a date"),
                ("trip", [("version", "2"), ("reason", "x"), ("stops", "-1")], "0 to 50"),
                ("status", [("version", "x"), ("reason", "x")], "The form is incomplete"),
            ] {
                let answer = try await ada.post("\(Self.path)/change/\(kind)", fields + [("step", "commit")])
                #expect(answer.0.status == .unprocessableContent && answer.html.contains(text), "\(kind)")
            }
            #expect(desk.services.takeSent().allSatisfy { $0.method == .GET })
            #expect(try await ada.get(Self.path + "/change/nothing").0.status == .notFound)
        }
    }

    @Test("Of several deliveries each is asked about by itself, and one that is refused keeps none of the others")
    func bulk() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let other = SampleDeliveries.whole(number: 2, [.status(.accepted, reason: nil)])
            for delivery in [Self.delivery, other] { try desk.services.know(delivery) }
            let hold = "PUT /v1/deliveries/\(Self.delivery.id)/hold"
            try desk.services.answer("orders", hold + "?preview=true", Self.preview())
            try desk.services.answer("orders", hold, Self.preview().delivery)
            try desk.services.refuse("orders", "PUT /v1/deliveries/\(other.id)/hold", with: .stale, status: 412)
            let fields = [
                ("kind", "hold"), ("reason", "storm"), ("delivery", "\(Self.delivery.id) 2"),
                ("delivery", "\(other.id) 1"),
            ]
            let shown = try await ada.post("/bulk", fields + [("step", "preview")])
            #expect(
                shown.html.contains("Do it to 1") && shown.html.contains("it has changed since the board showed it"))
            #expect(shown.html.components(separatedBy: "name=\"delivery\"").count == 2, "only what can be done")
            _ = desk.services.takeSent()
            let done = try await ada.post("/bulk", fields + [("step", "commit")])
            #expect(done.html.contains("done; it is at version 3"))
            #expect(desk.services.takeSent().count { $0.method == .PUT } == 2)
            for bad in [[("kind", "hold")], fields + [("delivery", "x")]] {
                #expect(try await ada.post("/bulk", bad).0.status == .unprocessableContent)
            }
        }
    }

    @Test(
        "A promise moves of several at once: each card is shown, each to its own window, and one button takes it back")
    func bulkPromise() async throws {
        try await DeskUnderTest.run { desk, client in
            let other = SampleDeliveries.whole(number: 2, [.status(.accepted, reason: nil)])
            let later = try #require(
                Promise(start: Self.delivery.promise.start + 1_800, end: Self.delivery.promise.end + 1_800))
            for delivery in [Self.delivery, other] {
                try desk.services.know(delivery)
                var moved = delivery
                _ = try moved.apply(.promise(later), at: SampleDeliveries.at(14))
                let put = "PUT /v1/deliveries/\(delivery.id)/promise"
                let body = DeliveryBody(moved, dropOff: nil, links: [], for: Principal(.operator("ada")))
                try desk.services.answer(
                    "orders", put + "?preview=true",
                    PreviewBody(
                        changes: true, delivery: body,
                        activity: ActivityStep.after(DeliverySnapshot(moved, links: []), arrival: nil, step: 0),
                        alert: nil, cards: nil))
                try desk.services.answer("orders", put, body)
            }
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([Self.delivery, other]))
            await desk.reader.read()
            let ada = try await desk.browser(client)
            let chosen = [("delivery", "\(Self.delivery.id) 2"), ("delivery", "\(other.id) 2")]
            let choices = try await ada.post("/bulk", [("kind", "promise"), ("step", "preview")] + chosen)
            #expect(choices.html.contains("name=\"window\" value=\"30\"") && choices.html.contains("name=\"reason\""))

            let fields = [("kind", "promise"), ("reason", "storm")]
            let shown = try await ada.post("/bulk", fields + [("step", "preview"), ("window", "30")] + chosen)
            #expect(shown.html.contains("Do it to 2") && shown.html.components(separatedBy: "its card: “").count == 3)
            func text(_ promise: Promise) -> String {
                let (start, end) = (promise.start.timeIntervalSince1970, promise.end.timeIntervalSince1970)
                return "end-exact=\(Int(end))&start-exact=\(Int(start))"
            }
            let planned = [Self.delivery, other].map { "\($0.id) 2 \(text(later)) \(text($0.promise))" }
            for value in planned { #expect(shown.html.contains(value.replacing("&", with: "&amp;"))) }
            // Without an estimate nothing is expected, and a row that is not the board's is not changed.
            let none = try await ada.post("/bulk", fields + [("step", "preview"), ("window", "expected")] + chosen)
            #expect(none.html.contains("there is no estimate") && none.html.contains("Do it to 0"))
            let stale = try await ada.post(
                "/bulk", fields + [("step", "preview"), ("window", "30"), ("delivery", "\(other.id) 1")])
            #expect(stale.html.contains("it has changed since the board showed it"))
            _ = desk.services.takeSent()

            let done = try await ada.post(
                "/bulk", fields + [("step", "commit")] + planned.map { ("delivery", $0) })
            let made = desk.services.takeSent().filter { $0.method == .PUT }
            #expect(made.count == 2 && made.allSatisfy { $0.body.contains("storm") })
            #expect(made.allSatisfy { $0.headers.first(name: "If-Match") == "\"v2\"" })
            let back = "\(other.id) 3 \(text(other.promise)) \(text(later))"
            #expect(done.html.contains("id=\"undo\"") && done.html.contains(back.replacing("&", with: "&amp;")))
            _ = try await ada.post(
                "/bulk", [("kind", "promise"), ("reason", "Undo"), ("step", "undo"), ("delivery", back)])
            let undone = try #require(desk.services.takeSent().last { $0.method == .PUT })
            #expect(undone.body.contains("\"reason\":\"Undo\"") && undone.headers.first(name: "If-Match") == "\"v3\"")
        }
    }

    @Test("A moved promise proposes the order's other bags that have it too, and one press moves all that are ticked")
    func bagsOfOneOrder() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let other = SampleDeliveries.whole(number: 2, [.status(.accepted, reason: nil)])
            let later = try #require(
                Promise(start: Self.delivery.promise.start + 1_800, end: Self.delivery.promise.end + 1_800))
            for delivery in [Self.delivery, other] {
                try desk.services.know(delivery)
                let put = "PUT /v1/deliveries/\(delivery.id)/promise"
                try desk.services.answer("orders", put + "?preview=true", Self.preview())
                try desk.services.answer("orders", put, Self.preview().delivery)
            }
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([Self.delivery, other]))
            await desk.reader.read()
            func exact(_ promise: Promise) -> [String: Int] {
                [
                    "start-exact": Int(promise.start.timeIntervalSince1970),
                    "end-exact": Int(promise.end.timeIntervalSince1970),
                ]
            }
            let fields = [("version", "2"), ("reason", "storm"), ("step", "preview")]
            let shown = try await ada.post(
                Self.path + "/change/promise", fields + exact(later).map { ($0.key, "\($0.value)") })
            let planned = [Self.delivery, other].map { delivery in
                let (new, old) = (exact(later), exact(delivery.promise))
                func text(_ times: [String: Int]) -> String {
                    "end-exact=\(times["end-exact"] ?? 0)&start-exact=\(times["start-exact"] ?? 0)"
                }
                return "\(delivery.id) 2 \(text(new)) \(text(old))"
            }
            let ticked = "value=\"\(planned[1].replacing("&", with: "&amp;"))\" checked"
            #expect(shown.html.contains(ticked) && shown.html.contains("A-1043 2/2: its card: “"))
            #expect(shown.html.contains("name=\"delivery\" value=\"\(planned[0].replacing("&", with: "&amp;"))\""))

            let wall = desk.wall
            desk.services.observe { if $0.method == .PUT { wall.advance(by: 35) } }
            let late = try await ada.post(
                Self.path + "/change/promise", fields + exact(later).map { ($0.key, "\($0.value)") })
            #expect(late.html.contains("A-1043 2/2: not tried") && !late.html.contains(ticked))
            desk.services.observe { _ in }

            var moved = other
            _ = try moved.apply(.promise(later), at: SampleDeliveries.at(14))
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([Self.delivery, moved]))
            desk.board.wakeAll()
            await desk.reader.read()
            let alone = try await ada.post(
                Self.path + "/change/promise", fields + exact(later).map { ($0.key, "\($0.value)") })
            #expect(alone.html.contains("id=\"commit\"") && !alone.html.contains("type=\"checkbox\" name=\"delivery\""))

            _ = desk.services.takeSent()
            let done = try await ada.post(
                "/bulk",
                [("kind", "promise"), ("reason", "storm"), ("step", "commit")] + planned.map { ("delivery", $0) })
            #expect(done.html.contains("id=\"undo\"") && desk.services.takeSent().count { $0.method == .PUT } == 2)
        }
    }

    @Test("A status changes of several at once, of those that may follow, and a hold of several is taken back")
    func bulkStatus() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            let carried = SampleDeliveries.whole(
                number: 2, [.status(.accepted, reason: nil), .courier(SampleDeliveries.mira)])
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([Self.delivery, carried]))
            await desk.reader.read()
            let path = "/v1/deliveries/\(Self.delivery.id)"
            for change in ["POST \(path)/status", "PUT \(path)/hold"] {
                try desk.services.answer("orders", change + "?preview=true", Self.preview())
                try desk.services.answer("orders", change, Self.preview().delivery)
            }
            let chosen = ("delivery", "\(Self.delivery.id) 2")
            let choices = try await ada.post("/bulk", [("kind", "status"), ("step", "preview"), chosen])
            #expect(choices.html.contains("name=\"status\" value=\"picking\""))
            for code in ["delivered", "unassigned", "assigned", "to_store", "at_store"] {
                #expect(!choices.html.contains("value=\"\(code)\""), "\(code) without a courier")
            }
            let other = ("delivery", "\(carried.id) \(carried.version)")
            let both = try await ada.post("/bulk", [("kind", "status"), ("step", "preview"), chosen, other])
            #expect(both.html.contains("name=\"status\" value=\"to_store\""))
            let fields = [("kind", "status"), ("reason", "tablet"), ("step", "preview"), ("status", "picking"), chosen]
            let shown = try await ada.post("/bulk", fields)
            let value = "\(Self.delivery.id) 2 status=picking"
            #expect(shown.html.contains("value=\"\(value)\"") && shown.html.contains("its card: “"))
            let commit = [("kind", "status"), ("reason", "tablet"), ("step", "commit"), ("delivery", value)]
            let done = try await ada.post("/bulk", commit)
            #expect(done.html.contains("done; it is at version 3") && !done.html.contains("id=\"undo\""))
            let sent = try #require(desk.services.takeSent().last { $0.method == .POST })
            #expect(sent.body == #"{"reason":"tablet","status":"picking"}"#)

            let held = try await ada.post(
                "/bulk",
                [("kind", "hold"), ("reason", "storm"), ("step", "commit"), ("delivery", "\(value.prefix(38)) * *")])
            #expect(held.html.contains("id=\"undo\"") && held.html.contains("name=\"kind\" value=\"release\""))
            #expect(held.html.contains("value=\"\(Self.delivery.id) 3 * *\""))
        }
    }

    @Test("A window for a late delivery takes a press of the form, which has the reason already")
    func windows() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            let row = ServicesByTest.row(Self.delivery, risk: .late, lateMinutes: 12)
            let board = BoardBody(
                counts: .init(live: 1, late: 1, atRisk: 0, silent: 0, unassigned: 0, waitingForCustomer: 0),
                deliveries: [row], next: nil)
            try desk.services.answer("orders", "/v1/deliveries?ids=\(Self.delivery.id)", board)
            let put = "PUT /v1/deliveries/\(Self.delivery.id)/promise"
            try desk.services.answer("orders", put + "?preview=true", Self.preview())
            let form = try await ada.get(Self.path + "/change/promise")
            let start = Int(Self.delivery.promise.start.timeIntervalSince1970) + 1_800
            let end = Int(Self.delivery.promise.end.timeIntervalSince1970) + 1_800
            #expect(form.html.contains("name=\"window\" value=\"\(start)-\(end)\""))
            #expect(form.html.contains("value=\"12 min late\""))
            let shown = try await ada.post(
                Self.path + "/change/promise",
                [
                    ("version", "2"), ("reason", "12 min late"), ("step", "preview"), ("start", "2026-11-21T18:20"),
                    ("end", "2026-11-21T18:50"), ("window", "\(start)-\(end)"),
                ])
            #expect(shown.html.contains("id=\"commit\""))
            #expect(shown.html.contains("name=\"start-exact\" value=\"\(start)\""))
            let sent = try #require(desk.services.takeSent().last { $0.method == .PUT })
            #expect(sent.body.contains("12 min late"))
        }
    }

    @Test("The page names the chosen deliveries that another operator has changed; the operator owns the others")
    func ownSeveral() async throws {
        try await DeskUnderTest.run { desk, client in
            let other = SampleDeliveries.whole(number: 2, [.status(.accepted, reason: nil)])
            // Stored by another replica, so that the board of this one does not have it.
            var triage = Triage.none
            (triage.changedBy, triage.changedAt) = ("bob", desk.clock.now)
            _ = try await TriageRepository.set(triage, of: other.id, inPlaceOf: 0, on: desk.pool)
            let ada = try await desk.browser(client)
            let answer = try await ada.post(
                "/bulk", [("kind", "own"), ("delivery", "\(Self.delivery.id) 2"), ("delivery", "\(other.id) 1")])
            #expect(answer.0.status == .conflict && answer.html.contains("\(other.id.rawValue) by bob"))
            let stored = try await TriageRepository.triage(of: [Self.delivery.id, other.id], on: desk.pool)
            #expect(stored[Self.delivery.id]?.owner?.subject == "ada" && stored[other.id]?.owner == nil)
        }
    }
}
