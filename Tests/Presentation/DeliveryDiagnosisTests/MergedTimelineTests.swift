import DeliveryDiagnosis
import DeliverySamples
import DoorstepAPI
import Foundation
import OrderDomain
import Testing
import TimePresentation

@Suite("What happened to a delivery")
struct MergedTimelineTests {
    private static let orders = SampleTimeline.orders(SampleDeliveries.delivery(SampleDeliveries.toEnRoute))

    private static let whole = MergedTimeline(
        orders: .body(orders), estimate: .body(SampleTimeline.estimate(arriving: 24)),
        activities: .body([SampleTimeline.activity(isBehind: false)]))

    @Test("Each event has its time, the service that knows of it, its kind, and who did it")
    func events() {
        let events = Self.whole.events(StoreTimes(timeZone: .gmt, now: SampleDeliveries.at(0)))
        #expect(events.map(\.at) == [0, 4, 11.5, 12, 12.1, 12.5, 13, 13.5].map(SampleDeliveries.at))
        #expect(
            events.map(\.kind) == [.change, .change, .milestone, .change, .push, .override, .estimate, .position])
        #expect(
            events.map(\.source) == [
                .orders, .orders, .courierETA, .orders, .activityDispatch, .activityDispatch, .courierETA, .courierETA,
            ])
        #expect(
            events.map(\.by) == ["store nordhavn", "operator ada", nil, "courier mira", nil, "ada", nil, nil])
        #expect(events[3].text == "v6 status: picked up → on the way, by courier mira (left the store)")
        #expect(events[4].text == "push update to iphone-1 of version 6 with alert on-the-way at priority 10: accepted")
    }

    private static let texts: [(kind: String, what: String, text: String)] = [
        ("milestone", "on_time", "milestone: on time again, by courier-eta"),
        (
            "milestone", "arriving: en_route → arriving",
            "milestone: almost there: on the way → almost there, by courier-eta"
        ),
        (
            "status", "picking → cancelled, customer_request, order_again, refund 3.50",
            "status: picking → cancelled, as the customer asked, to be ordered again, refund 3.50, by courier-eta"
        ),
        ("item", "Lager: out_of_stock: out_of_stock", "item: Lager: out of stock: out_of_stock, by courier-eta"),
        ("item", "Milk: substituted (on_time: 1 l)", "item: Milk: substituted (on_time: 1 l), by courier-eta"),
        ("promise", "now 18:00–19:00", "promise: now 18:00–19:00, by courier-eta"),
    ]

    @Test("A code is in words for people, and a name is none", arguments: texts.indices)
    func words(index: Int) {
        let (kind, what, text) = Self.texts[index]
        let entry = TimelineBody.Entry(
            at: SampleDeliveries.at(3), version: 3, kind: kind, what: what, by: "courier-eta", reason: nil)
        #expect(entry.text(StoreTimes(timeZone: .gmt, now: SampleDeliveries.at(3))) == text)
    }

    @Test("Events of one time keep the order in which their service has them")
    func equalTimes() {
        let at = SampleDeliveries.at(3)
        let entries = (1...9).map {
            TimelineBody.Entry(at: at, version: $0, kind: "item", what: "milk", by: "store nordhavn", reason: nil)
        }
        let timeline = MergedTimeline(
            orders: .body(.init(delivery: Self.orders.delivery, entries: entries)), estimate: .notFound,
            activities: .notFound)
        #expect(
            timeline.events(StoreTimes(timeZone: .gmt, now: SampleDeliveries.at(0))).map { $0.text.prefix(2) }
                == (1...9).map { "v\($0)" })
    }

    @Test("Only a service that does not answer leaves something missing")
    func missingParts() {
        #expect(Self.whole.missingParts.isEmpty)
        let timeline = MergedTimeline(
            orders: .unavailable(reason: "away"), estimate: .notFound, activities: .unavailable(reason: "slow"))
        #expect(
            timeline.missingParts == [
                "the status and its timeline are missing here: away", "the cards and pushes are missing here: slow",
            ])
    }

    @Test("Times are the store's, and UTC where the store is not known")
    func timeZone() {
        #expect(Self.whole.timeZone.identifier == "Europe/Copenhagen")
        let silent = MergedTimeline(orders: .notFound, estimate: .notFound, activities: .notFound)
        #expect(silent.timeZone == .gmt)
    }
}
