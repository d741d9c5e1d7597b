import DeliveryDiagnosis
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

@testable import Desk

@Suite("Moving deliveries to a courier", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct MovePageTests {
    private static let delivery = SampleDeliveries.whole(SampleDeliveries.toEnRoute)
    private static let finn = Courier(
        id: SampleDeliveries.id("finn"), name: "Finn", vehicle: .bicycle, phone: nil)
    private static var change: String { "PUT /v1/deliveries/\(delivery.id)/courier" }

    private static let tooMany = ProblemByTest(
        "malformed", title: "The request is malformed",
        errors: [.init(path: "query adding", message: "finn would get 9 more: a trip has at most 51 stops")])

    private func moved() throws -> Delivery {
        var moved = Self.delivery
        _ = try moved.apply(.courier(Self.finn, stopsBefore: 4), at: SampleDeliveries.at(30))
        return moved
    }

    private func trip(
        without notLive: [DeliveryID]? = nil, from former: CourierID = SampleDeliveries.mira.id, versionsAgo: Int = 0
    ) -> TripPreviewBody {
        func estimate(_ minutes: Double) -> Estimate {
            let at = SampleDeliveries.at(minutes)
            return Estimate(arrivesAt: at, earliest: at, latest: at, madeAt: SampleDeliveries.at(0))
        }
        let stop = TripPreviewBody.Stop(
            delivery: Self.delivery.id, reference: Self.delivery.reference, bag: Self.delivery.bag,
            version: Self.delivery.version - versionsAgo, stopsBefore: 4, formerStopsBefore: 0, isAdded: true,
            formerCourier: former, fetchedFrom: "Mira", promiseEnd: Self.delivery.promise.end,
            timeZone: "UTC", estimate: estimate(70), formerEstimate: estimate(40), isLate: true, wasLate: false)
        return TripPreviewBody(
            courier: Self.finn.id, asOf: SampleDeliveries.at(0), stops: [stop], notLive: notLive)
    }

    private func prepare(_ desk: DeskUnderTest) throws {
        try desk.services.know(Self.delivery)
        let moved = try moved()
        try desk.services.answer(
            "courier-eta", "/v1/couriers", CouriersBody(couriers: [.known("eva"), .known("finn")], next: nil))
        try desk.services.answer("courier-eta", "/v1/couriers?courier=eav", CouriersBody(couriers: [], next: nil))
        try desk.services.answer("courier-eta", "/v1/couriers/finn/trip", trip())
        let body = DeliveryBody(moved, dropOff: nil, links: [], for: Principal(.operator("ada")))
        try desk.services.answer(
            "orders", Self.change + "?preview=true&unknown=true",
            PreviewBody(
                changes: true, delivery: body,
                activity: ActivityStep.after(DeliverySnapshot(moved, links: []), arrival: nil, step: 0), alert: nil,
                cards: nil))
        try desk.services.answer("orders", Self.change + "?unknown=true", body)
        // `orders` has no description of who is not known to `courier-eta`.
        try desk.services.refuse(
            "orders", Self.change,
            with: .init("unknown-courier", title: "Unknown courier", detail: "no courier eav is enrolled or assigned"),
            status: 422)
    }

    @Test("A courier whom neither service knows is refused by both forms, and nothing is changed")
    func unknownCourier() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try prepare(desk)
            let version = "\(Self.delivery.version)"
            for step in ["preview", "commit"] {
                let single = try await ada.post(
                    "/deliveries/\(Self.delivery.id)/change/courier",
                    [("version", version), ("reason", "flat"), ("courier", "eav"), ("step", step)])
                #expect(single.0.status == .unprocessableContent && single.html.contains("no courier eav"))
            }
            let several = try await ada.post(
                "/bulk",
                [
                    ("kind", "courier"), ("reason", "flat"), ("courier", "eav"), ("step", "preview"),
                    ("delivery", "\(Self.delivery.id) \(version)"),
                ])
            #expect(several.html.contains("no courier eav") && several.html.contains("Do it to 0"))
            let forged = try await ada.post(
                "/bulk",
                [
                    ("kind", "courier"), ("reason", "flat"), ("step", "commit"),
                    ("delivery", "\(Self.delivery.id) \(version) courier=eav&stops=0 courier=mira&stops=0"),
                ])
            #expect(forged.html.contains("no courier eav") && !forged.html.contains("id=\"undo\""))
            #expect(desk.services.takeSent().allSatisfy { !$0.path.contains("unknown=true") })
        }
    }

    @Test("Without courier-eta a courier whom orders knows is assigned all the same, and an older row is no way back")
    func withoutEstimates() async throws {
        try await DeskUnderTest.run { desk, client in
            try prepare(desk)
            let body = DeliveryBody(try moved(), dropOff: nil, links: [], for: Principal(.operator("ada")))
            let preview = PreviewBody(
                changes: true, delivery: body,
                activity: ActivityStep.after(DeliverySnapshot(try moved(), links: []), arrival: nil, step: 0),
                alert: nil, cards: nil)
            try desk.services.answer("orders", Self.change + "?preview=true", preview)
            try desk.services.answer("orders", Self.change, body)
            desk.services.set(away: ["courier-eta"])
            let older = SampleDeliveries.whole([.status(.accepted, reason: nil)])
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([older]))
            await desk.reader.read()
            let ada = try await desk.browser(client)
            let version = Self.delivery.version
            let fields = [("kind", "courier"), ("reason", "flat"), ("courier", "finn")]
            let shown = try await ada.post(
                "/bulk", fields + [("step", "preview"), ("delivery", "\(Self.delivery.id) \(version)")])
            #expect(shown.html.contains("The order of stops is not known") && shown.html.contains("Do it to 1"))
            #expect(shown.html.contains("value=\"\(Self.delivery.id) \(version) courier=finn\""))
            let done = try await ada.post(
                "/bulk",
                fields + [("step", "commit"), ("delivery", "\(Self.delivery.id) \(version) courier=finn courier=mira")])
            #expect(done.html.contains("done; it is at version"))
            let single = try await ada.post(
                "/deliveries/\(Self.delivery.id)/change/courier",
                [("version", "\(version)"), ("reason", "flat"), ("courier", "finn"), ("step", "commit")])
            #expect(single.0.status == .seeOther)
        }
    }

    @Test("The preview has each arrival, what becomes late and each card; one button makes it, one takes it back")
    func wholeMove() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try prepare(desk)
            let version = Self.delivery.version
            let fields = [("kind", "courier"), ("reason", "flat"), ("courier", "finn")]
            let shown = try await ada.post(
                "/bulk", fields + [("step", "preview"), ("delivery", "\(Self.delivery.id) \(version)")])
            #expect(shown.html.contains("becomes late") && shown.html.contains("Do it to 1"))
            #expect(shown.html.contains("Finn fetches your groceries from Mira"))
            let value = "\(Self.delivery.id) \(version) courier=finn&stops=4 courier=mira&stops=0"
            #expect(shown.html.contains("value=\"\(value.replacing("&", with: "&amp;"))\""))
            _ = desk.services.takeSent()

            let done = try await ada.post("/bulk", fields + [("step", "commit"), ("delivery", value)])
            let made = try #require(desk.services.takeSent().first { $0.method == .PUT })
            #expect(made.headers.first(name: "If-Match") == "\"v\(version)\"")
            #expect(made.body == #"{"courier":"finn","reason":"flat","stopsBefore":4}"#)
            let back = "\(Self.delivery.id) \(try moved().version) courier=mira&stops=0 courier=finn&stops=4"
            #expect(done.html.contains("id=\"undo\""))
            #expect(done.html.contains("value=\"\(back.replacing("&", with: "&amp;"))\""))
            #expect(done.html.contains("name=\"step\" value=\"undo\""))

            // The former courier has nothing any more by which courier-eta would know them.
            try desk.services.answer("courier-eta", "/v1/couriers?courier=mira", CouriersBody(couriers: [], next: nil))
            let undone = try await ada.post(
                "/bulk", [("kind", "courier"), ("reason", "Undo"), ("step", "undo"), ("delivery", back)])
            #expect(undone.html.contains("done; it is at version"))
            let reversed = try #require(desk.services.takeSent().last { $0.method == .PUT })
            #expect(reversed.body == #"{"courier":"mira","reason":"Undo","stopsBefore":0}"#)
        }
    }

    @Test("A delivery that has ended meanwhile is refused alone, and the others keep their places on the trip")
    func endedMeanwhile() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try prepare(desk)
            let ended = SampleDeliveries.whole(number: 2, SampleDeliveries.toEnRoute)
            try desk.services.answer("courier-eta", "/v1/couriers/finn/trip", trip(without: [ended.id]))
            let shown = try await ada.post(
                "/bulk",
                [("kind", "courier"), ("reason", "flat"), ("courier", "finn"), ("step", "preview")]
                    + [Self.delivery, ended].map { ("delivery", "\($0.id) \($0.version)") })
            #expect(shown.html.contains("not done: it has ended") && shown.html.contains("Do it to 1"))
            #expect(shown.html.contains(ended.id.rawValue) && shown.html.contains("1 left out, no longer live"))
            let value = "\(Self.delivery.id) \(Self.delivery.version) courier=finn&stops=4 courier=mira&stops=0"
            #expect(shown.html.contains("value=\"\(value.replacing("&", with: "&amp;"))\""))
        }
    }

    @Test(
        "A move is taken back also after an estimate changed the delivery, and not after it went to another courier",
        arguments: [2, 1])
    func lateUndo(puts: Int) async throws {
        try await DeskUnderTest.run { desk, client in
            try prepare(desk)
            let path = "/v1/deliveries/\(Self.delivery.id)"
            var present = try moved()
            let later = SampleDeliveries.at(31)
            _ = try present.apply(puts == 2 ? .stopsBefore(3) : .courier(SampleDeliveries.mira), at: later)
            try desk.services.answer(
                "orders", path, DeliveryBody(present, dropOff: nil, links: [], for: Principal(.operator("ada"))))
            try desk.services.refuse("orders", "\(Self.change)?unknown=true", with: Self.tooMany, status: 412)
            let ada = try await desk.browser(client)
            _ = desk.services.takeSent()
            let back = "\(Self.delivery.id) \(Self.delivery.version + 1) courier=mira&stops=0 courier=finn&stops=4"
            let undone = try await ada.post(
                "/bulk", [("kind", "courier"), ("reason", "Undo"), ("step", "undo"), ("delivery", back)])
            #expect(undone.html.contains("not done") && !undone.html.contains("id=\"undo\""))
            let made = desk.services.takeSent().filter { $0.method == .PUT }
            #expect(made.count == puts)
            #expect(
                made.compactMap { $0.headers.first(name: "If-Match") }
                    == [Self.delivery.version + 1, present.version].prefix(puts).map { "\"v\($0)\"" })
        }
    }

    @Test("A delivery's own page previews another courier as a move of several does, and no trip of another version")
    func singleMove() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try prepare(desk)
            let version = Self.delivery.version
            let path = "/deliveries/\(Self.delivery.id)/change/courier"
            let fields = [("reason", "flat"), ("courier", "finn"), ("step", "preview")]
            let shown = try await ada.post(path, fields + [("version", "\(version)")])
            #expect(shown.0.status == .ok && shown.html.contains("1 delivery to finn"))
            #expect(shown.html.contains("becomes late") && shown.html.contains("Finn fetches your groceries from Mira"))
            let value = "\(Self.delivery.id) \(version) courier=finn&stops=4 courier=mira&stops=0"
            #expect(shown.html.contains("value=\"\(value.replacing("&", with: "&amp;"))\""))
            let asked = "/v1/couriers/finn/trip?adding=\(Self.delivery.id)"
            #expect(desk.services.takeSent().contains { $0.path == asked })

            let older = trip(from: SampleDeliveries.id("bo"), versionsAgo: 1)
            try desk.services.answer("courier-eta", "/v1/couriers/finn/trip", older)
            let alone = try await ada.post(path, fields + [("version", "\(version)")])
            #expect(alone.0.status == .ok && !alone.html.contains("1 delivery to finn"))
            let several = [("kind", "courier"), ("delivery", "\(Self.delivery.id) \(version)")]
            let unordered = try await ada.post("/bulk", fields + several).html
            #expect(unordered.contains("The order of stops is not known") && !unordered.contains("courier=bo"))
            #expect(unordered.contains("value=\"\(Self.delivery.id) \(version) courier=finn\""))

            try desk.services.refuse("courier-eta", "/v1/couriers/finn/trip", with: Self.tooMany, status: 400)
            let refused = try await ada.post(path, fields + [("version", "\(version)")])
            #expect(refused.0.status == .badRequest && refused.html.contains("a trip has at most 51 stops"))
            #expect(desk.services.takeSent().allSatisfy { $0.method == .GET || $0.path.contains("preview=true") })
        }
    }

    @Test("A move holds no more once its courier has the goods")
    func fetched() throws {
        let move = DeskChange.courier(Self.finn.id)
        func holds(_ delivery: Delivery) -> Bool {
            move.holds(in: DeliveryBody(delivery, dropOff: nil, links: [], for: Principal(.operator("ada"))))
        }
        var delivery = try moved()
        #expect(holds(delivery))
        _ = try delivery.apply(.status(.pickedUp, reason: nil), at: SampleDeliveries.at(31))
        #expect(!holds(delivery))
    }

    @Test("A move of more stops than a trip may have is refused as a whole, with the reason")
    func tooManyStops() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try prepare(desk)
            try desk.services.refuse("courier-eta", "/v1/couriers/finn/trip", with: Self.tooMany, status: 400)
            let answer = try await ada.post(
                "/bulk",
                [
                    ("kind", "courier"), ("reason", "flat"), ("courier", "finn"), ("step", "preview"),
                    ("delivery", "\(Self.delivery.id) \(Self.delivery.version)"),
                ])
            #expect(answer.0.status == .unprocessableContent && answer.html.contains("a trip has at most 51 stops"))
            #expect(desk.services.takeSent().allSatisfy { $0.method == .GET })
        }
    }

    @Test("A former courier gets a delivery back by its page too, though no service knows them any more")
    func singleUndo() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try prepare(desk)
            try desk.services.answer("courier-eta", "/v1/couriers?courier=mira", CouriersBody(couriers: [], next: nil))
            let path = "/deliveries/\(Self.delivery.id)/change/courier"
            let made = try await ada.post(
                path,
                [
                    ("version", "\(Self.delivery.version)"), ("reason", "flat"), ("courier", "finn"),
                    ("step", "commit"),
                ])
            #expect(made.0.headers[.location]?.hasSuffix("undo=courier&courier=mira&former=mira") == true)
            let form = try await ada.get(path + "?reason=Undo&courier=mira&former=mira")
            #expect(form.html.contains("name=\"former\" value=\"mira\""))
            let fields = [
                ("version", "\(Self.delivery.version)"), ("reason", "Undo"), ("courier", "mira"), ("former", "mira"),
            ]
            for step in ["preview", "commit"] {
                let answer = try await ada.post(path, fields + [("step", step)])
                #expect(answer.0.status == (step == "preview" ? .ok : .seeOther))
            }
            let other = try await ada.post(path, fields.filter { $0.0 != "courier" } + [("courier", "eav")])
            #expect(other.html.contains("no courier eav"), "another courier than the former one is checked")
        }
    }

    @Test("Without a proposed trip the preview too says that a move releases what a broken vehicle holds")
    func brokenVehicle() async throws {
        try await DeskUnderTest.run { desk, client in
            try prepare(desk)
            let held = SampleDeliveries.whole(
                SampleDeliveries.toEnRoute + [.hold(reason: CourierProblem.vehicle.reason)])
            try desk.services.know(held)
            try desk.services.answer(
                "orders", Self.change + "?preview=true",
                PreviewBody(
                    changes: true,
                    delivery: DeliveryBody(try moved(), dropOff: nil, links: [], for: Principal(.operator("ada"))),
                    activity: ActivityStep.after(DeliverySnapshot(try moved(), links: []), arrival: nil, step: 0),
                    alert: nil, cards: nil))
            desk.services.set(away: ["courier-eta"])
            let ada = try await desk.browser(client)
            let shown = try await ada.post(
                "/deliveries/\(held.id)/change/courier",
                [("version", "\(held.version)"), ("reason", "flat"), ("courier", "finn"), ("step", "preview")])
            #expect(shown.html.contains("This releases it from hold: the former courier"))
        }
    }

    @Test("A planned change is written in a form and read again")
    func text() throws {
        let courier = PlannedMove.Place(courier: Self.finn.id, stopsBefore: 4)
        let none = PlannedMove.Place(courier: nil, stopsBefore: nil)
        let move = PlannedChange(PlannedMove(Self.delivery.id, version: 7, to: courier, from: none))
        #expect(move.fields == ["courier": "finn", "stops": "4"] && move.former == ["courier": "nobody"])
        let back = PlannedChange(Self.delivery.id, version: 8, fields: ["courier": "nobody"], former: move.fields)
        #expect(move.undone(at: 8) == back)
        let others = [
            PlannedChange(Self.delivery.id, version: 7), PlannedChange(Self.delivery.id, version: 7, former: [:]),
            PlannedChange(Self.delivery.id, version: 7, fields: ["status": "a b&c=*"]),
        ]
        for change in [move, back] + others { #expect(PlannedChange(change.text) == change) }
        #expect(others[2].undone(at: 8) == nil)
        for text in ["", "\(Self.delivery.id)", "\(Self.delivery.id) x", "\(Self.delivery.id) 7 finn"] {
            #expect(PlannedChange(text) == nil)
        }
    }
}
