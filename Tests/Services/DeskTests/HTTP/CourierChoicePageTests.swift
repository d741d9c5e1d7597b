import DeliveryDiagnosis
import DeliverySamples
import DoorstepAPI
import Foundation
import HummingbirdTesting
import OrderDomain
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import Desk

@Suite("Choosing a courier on the desk", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct CourierChoicePageTests {
    private static let delivery = SampleDeliveries.whole(SampleDeliveries.toEnRoute)

    private func position(_ id: String, _ latitude: Double) -> CourierPositionBody {
        .init(
            courier: SampleDeliveries.id(id),
            latest: .init(
                time: SampleDeliveries.at(14), latitude: latitude, longitude: 12.5942, accuracy: nil, speed: nil,
                heading: nil),
            standingSeconds: 0, usualIntervalSeconds: 10, isSilent: false, deliveries: [])
    }

    @Test("Couriers are listed with the nearest to the goods first: to who carries them, and to the store before that")
    func nearest() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            try desk.services.answer(
                "courier-eta", "/v1/couriers", CouriersBody(couriers: [.known("eva"), .known("finn")], next: nil))
            let waiting = SampleDeliveries.whole([.courier(SampleDeliveries.mira)])
            // Eva is beside the store, and Finn beside Mira.
            try desk.services.answer(
                "courier-eta", "/v1/courier-positions",
                CourierPositionsBody(
                    asOf: SampleDeliveries.at(14),
                    positions: [position("eva", 55.71), position("finn", 55.75), position("mira", 55.76)], next: nil))
            let fields = [("kind", "courier"), ("step", "preview"), ("reason", "flat")]
            /// Whether distances are shown, and whether Eva comes before Finn.
            func order(_ html: String) throws -> [Bool] {
                let (eva, finn) = (
                    try #require(html.range(of: "eva Eva, on duty, 2 deliveries")),
                    try #require(html.range(of: "finn Finn, on duty, 2 deliveries"))
                )
                return [html.contains("km away"), eva.lowerBound < finn.lowerBound]
            }
            for (delivery, name, isEvaFirst) in [(Self.delivery, "Mira", false), (waiting, "Nordhavn", true)] {
                try desk.services.answer(
                    "orders", "/v1/deliveries/\(delivery.id)",
                    DeliveryBody(delivery, dropOff: nil, links: [], for: Principal(.operator("ada"))))
                let several = try await ada.post(
                    "/bulk", fields + [("delivery", "\(delivery.id) \(delivery.version)")]
                ).html
                #expect(several.contains("the nearest to <bdi>\(name)</bdi> first"))
                #expect(try order(several) == [true, isEvaFirst])
                let single = try await ada.get("/deliveries/\(delivery.id)/change/courier").html
                #expect(try order(single) == [true, isEvaFirst])
            }
            // The list needs no positions.
            try desk.services.refuse(
                "courier-eta", "/v1/courier-positions",
                with: .init("not-found", title: "There is no such thing here"), status: 404)
            let bare = try await ada.get("/deliveries/\(Self.delivery.id)/change/courier").html
            #expect(try order(bare) == [false, true])
        }
    }

    @Test("A courier of the list's second page can be chosen, and their position counts")
    func secondPage() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            try desk.services.answer(
                "courier-eta", "/v1/couriers",
                CouriersBody(couriers: [.known("eva")], next: SampleDeliveries.id("eva")))
            try desk.services.answer(
                "courier-eta", "/v1/couriers?limit=500&after=eva", CouriersBody(couriers: [.known("zoe")], next: nil))
            func positions(_ all: [CourierPositionBody], next: CourierID?) -> CourierPositionsBody {
                CourierPositionsBody(asOf: SampleDeliveries.at(14), positions: all, next: next)
            }
            try desk.services.answer(
                "courier-eta", "/v1/courier-positions",
                positions([position("eva", 55.71), position("mira", 55.76)], next: SampleDeliveries.id("mira")))
            try desk.services.answer(
                "courier-eta", "/v1/courier-positions?limit=500&after=mira",
                positions([position("zoe", 55.75)], next: nil))
            let several = try await ada.post(
                "/bulk",
                [
                    ("kind", "courier"), ("step", "preview"), ("reason", "flat"),
                    ("delivery", "\(Self.delivery.id) \(Self.delivery.version)"),
                ])
            let single = try await ada.get("/deliveries/\(Self.delivery.id)/change/courier")
            for html in [several.html, single.html] {
                let eva = try #require(html.range(of: "eva Eva, on duty, 2 deliveries"))
                let zoe = try #require(html.range(of: "zoe Zoe, on duty, 2 deliveries"))
                #expect(zoe.lowerBound < eva.lowerBound)
            }
            #expect(try await ada.get("/?courier=zoe").html.contains("Zoe"), "the board's filter names them too")
        }
    }

    @Test("The pages of the list that are not read in time are left out", arguments: [1.9, 2])
    func late(seconds: Double) async throws {
        try await DeskUnderTest.run { desk, _ in
            try desk.services.answer(
                "courier-eta", "/v1/couriers",
                CouriersBody(couriers: [.known("eva")], next: SampleDeliveries.id("eva")))
            try desk.services.answer(
                "courier-eta", "/v1/couriers?limit=500&after=eva", CouriersBody(couriers: [.known("zoe")], next: nil))
            let begun = ContinuousClock.now
            let asked = Mutex(0)
            // The first page is read at once, and its answer needs the time.
            let read = ReadCouriers(services: desk.client, board: desk.board, clock: desk.clock) {
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                return begun.advanced(by: .seconds(count > 2 ? seconds : 0))
            }
            let choices = await read.choices(for: DeskUser(subject: "ada", role: .dispatcher))
            #expect(choices.rows.map(\.courier.rawValue) == (seconds < 2 ? ["eva", "zoe"] : ["eva"]))
            #expect(choices.areCut == (seconds >= 2))
        }
    }

    @Test(
        "Where not all couriers are listed, the fields say so and take an id, and the board's couriers are among them",
        arguments: [true, false])
    func cut(isEndless: Bool) async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([Self.delivery]))
            try desk.services.answer(
                "orders", "/v1/timeline", TimelinePageBody(rows: [], next: nil, until: SampleDeliveries.placedAt))
            try desk.services.answer(
                "courier-eta", "/v1/couriers",
                CouriersBody(couriers: [.known("eva")], next: isEndless ? SampleDeliveries.id("eva") : nil))
            await desk.reader.read()
            func expectChoices(_ html: String, _ page: String) {
                #expect(html.contains("Not all couriers are listed: type the id.") == isEndless, "\(page)")
                #expect(html.contains(" name=\"courier\" list=\"") == isEndless, "\(page)")
                #expect(html.contains("value=\"mira\""), "\(page)")
            }
            let page = "/deliveries/\(Self.delivery.id)/change/courier"
            let change = try await ada.get(page).html.replacing(" value=\"mira\" list=", with: " list=")
            expectChoices(change, page)
            for path in ["/", "/log"] {
                let html = try await ada.get(path).html.replacing(" value=\"\" list=", with: " list=")
                expectChoices(html, path)
            }
            let choose = try await ada.post(
                "/bulk",
                [
                    ("kind", "courier"), ("step", "preview"), ("reason", "flat"),
                    ("delivery", "\(Self.delivery.id) \(Self.delivery.version)"),
                ]
            ).html
            #expect(choose.contains("Not all couriers are listed: type the id.") == isEndless)
            #expect(choose.contains("id=\"other-courier\" name=\"courier\"") == isEndless)
            #expect(choose.contains("<button name=\"courier\" value=\"mira\">"))
        }
    }

    @Test("Where courier-eta does not answer, the fields take an id too, and the board's couriers are among them")
    func withoutList() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let finn = Courier(id: SampleDeliveries.id("finn"), name: "Finn", vehicle: .bicycle, phone: nil)
            let other = SampleDeliveries.whole(number: 2, [.courier(finn)])
            try desk.services.know(Self.delivery)
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([Self.delivery, other]))
            desk.services.set(away: ["courier-eta"])
            await desk.reader.read()
            let html = try await ada.get("/deliveries/\(Self.delivery.id)/change/courier").html
            #expect(html.contains(" name=\"courier\" value=\"mira\" list=\"couriers\""))
            #expect(html.contains("<option value=\"finn\">") && !html.contains("<select id=\"courier\""))
        }
    }

    @Test(
        "A held delivery of a courier whose vehicle is broken leads to the move of all that the courier has",
        arguments: [true, false])
    func brokenVehicle(hasOthers: Bool) async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let held = SampleDeliveries.whole(
                SampleDeliveries.toEnRoute + [.hold(reason: CourierProblem.vehicle.reason)])
            let other = SampleDeliveries.whole(number: 2, SampleDeliveries.toEnRoute)
            try desk.services.know(held)
            try desk.services.answer(
                "orders", "/v1/deliveries", ServicesByTest.board(hasOthers ? [held, other] : [held]))
            await desk.reader.read()
            let page = try await ada.get("/deliveries/\(held.id)").html
            let title = OperatorAction.assignAllTitle.replacing("'", with: "&#39;")
            #expect(page.contains("href=\"/couriers/mira/move\"") == hasOthers)
            #expect(page.contains("→ “\(title)”") == hasOthers)
            #expect(page.contains("→ “\(DeskChange.Kind.courier.title)”") != hasOthers)
        }
    }
}
