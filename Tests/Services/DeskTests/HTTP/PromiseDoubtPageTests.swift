import DeliverySamples
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import Desk

@Suite("A window that cannot be kept", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct PromiseDoubtPageTests {
    @Test("A window that ends before the earliest expected arrival is named in the previews of one and of several")
    func earlyWindow() async throws {
        try await DeskUnderTest.run { desk, client in
            let delivery = SampleDeliveries.whole(SampleDeliveries.toEnRoute)
            try desk.services.know(delivery)
            let body = SampleTimeline.estimate(arriving: 100)
            try desk.services.answer("courier-eta", "/v1/estimates/\(delivery.id)", body)
            let row = BoardBody.Row(
                delivery, risk: .late, lateMinutes: 50, estimate: body.forReaders, cards: nil,
                for: Principal(.operator("ada")))
            let board = BoardBody(
                counts: .init(live: 1, late: 1, atRisk: 0, silent: 0, unassigned: 0, waitingForCustomer: 0),
                deliveries: [row], next: nil)
            try desk.services.answer("orders", "/v1/deliveries", board)
            try desk.services.answer(
                "orders", "PUT /v1/deliveries/\(delivery.id)/promise?preview=true",
                PreviewBody(
                    changes: true,
                    delivery: DeliveryBody(delivery, dropOff: nil, links: [], for: Principal(.operator("ada"))),
                    activity: ActivityStep.after(DeliverySnapshot(delivery, links: []), arrival: nil, step: 0),
                    alert: nil, cards: nil))
            await desk.reader.read()
            let ada = try await desk.browser(client)
            // 19:37 in Copenhagen; half an hour later than promised is 19:20, an hour is 19:50.
            let doubt = "this window ends before the earliest expected arrival, 19:37"
            for (minutes, isEarly) in [(30, true), (60, false)] {
                let later = TimeInterval(60 * minutes)
                let (start, end) = (delivery.promise.start + later, delivery.promise.end + later)
                let single = try await ada.post(
                    "/deliveries/\(delivery.id)/change/promise",
                    [
                        ("version", "\(delivery.version)"), ("reason", "late"), ("step", "preview"),
                        ("start-exact", "\(Int(start.timeIntervalSince1970))"),
                        ("end-exact", "\(Int(end.timeIntervalSince1970))"),
                    ])
                #expect(single.html.contains(doubt) == isEarly)
                let several = try await ada.post(
                    "/bulk",
                    [
                        ("kind", "promise"), ("reason", "late"), ("step", "preview"), ("window", "\(minutes)"),
                        ("delivery", "\(delivery.id) \(delivery.version)"),
                    ])
                #expect(several.html.contains("; \(doubt)") == isEarly && several.html.contains("Do it to 1"))
            }
        }
    }

    @Test("Of several, one whose expected arrival has passed is refused the expected window with that reason")
    func passedArrival() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let delivery = SampleDeliveries.whole(SampleDeliveries.toEnRoute)
            let row = BoardBody.Row(
                delivery, risk: .late, lateMinutes: 50, estimate: SampleTimeline.estimate(arriving: 1).forReaders,
                cards: nil, for: Principal(.operator("ada")))
            let board = BoardBody(
                counts: .init(live: 1, late: 1, atRisk: 0, silent: 0, unassigned: 0, waitingForCustomer: 0),
                deliveries: [row], next: nil)
            try desk.services.answer("orders", "/v1/deliveries", board)
            await desk.reader.read()
            let shown = try await ada.post(
                "/bulk",
                [
                    ("kind", "promise"), ("reason", "late"), ("step", "preview"), ("window", "expected"),
                    ("delivery", "\(delivery.id) \(delivery.version)"),
                ])
            #expect(shown.html.contains("not done: its expected arrival has passed"))
        }
    }

    @Test("At the door no window is as expected, and none is too early")
    func atDoor() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let atDoor: [DeliveryChange] = SampleDeliveries.toEnRoute + [.status(.atDoor, reason: nil)]
            for (changes, isExpected) in [(SampleDeliveries.toEnRoute, true), (atDoor, false)] {
                let delivery = SampleDeliveries.whole(changes)
                let path = "/deliveries/\(delivery.id)/change/promise"
                try desk.services.know(delivery)
                try desk.services.answer(
                    "courier-eta", "/v1/estimates/\(delivery.id)", SampleTimeline.estimate(arriving: 100))
                try desk.services.answer(
                    "orders", "PUT /v1/deliveries/\(delivery.id)/promise?preview=true",
                    PreviewBody(
                        changes: true,
                        delivery: DeliveryBody(delivery, dropOff: nil, links: [], for: Principal(.operator("ada"))),
                        activity: ActivityStep.after(DeliverySnapshot(delivery, links: []), arrival: nil, step: 0),
                        alert: nil, cards: nil))
                #expect(try await ada.get(path).html.contains(", as expected") == isExpected)
                let (start, end) = (delivery.promise.start + 1_800, delivery.promise.end + 1_800)
                let preview = try await ada.post(
                    path,
                    [
                        ("version", "\(delivery.version)"), ("reason", "late"), ("step", "preview"),
                        ("start-exact", "\(Int(start.timeIntervalSince1970))"),
                        ("end-exact", "\(Int(end.timeIntervalSince1970))"),
                    ])
                #expect(preview.0.status == .ok)
                #expect(preview.html.contains("before the earliest expected arrival") == isExpected)
            }
        }
    }
}
