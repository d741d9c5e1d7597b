import CardPresentation
import CommandOutput
import DeliveryDiagnosis
import DeliverySamples
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import Testing

@testable import Doorstep

/// Every text that commands print with times of a delivery, over the end of summer time and on another day.
@Suite("Times in what commands print")
struct WrittenTimesTests {
    /// The first second of winter time in Copenhagen, 31 October 2027.
    private static let winter = Date(timeIntervalSince1970: 1_824_944_400)

    /// 02:45 to 02:15 by the clocks there.
    private static func promise() throws -> Promise {
        try #require(Promise(start: winter.addingTimeInterval(-900), end: winter.addingTimeInterval(900)))
    }

    static func order(_ delivery: Delivery) -> OrderBody {
        let order = Order(
            id: delivery.order, reference: delivery.reference, customer: delivery.customer, store: delivery.store,
            placedAt: delivery.placedAt, deliveries: [delivery.id])
        let body = DeliveryBody(delivery, dropOff: nil, links: [], for: Principal(.operator("ada")))
        return OrderBody(order, deliveries: [body])
    }

    @Test("An order, a delivery, its timeline and its diagnosis tell the hour apart, and have the day")
    func operators() throws {
        let whole = SampleDeliveries.whole([.promise(try Self.promise())])
        let delivery = SampleDeliveries.delivery([.promise(try Self.promise())])
        let merged = MergedTimeline(
            orders: .body(SampleTimeline.orders(delivery)), estimate: .body(SampleTimeline.estimate(arriving: 24)),
            activities: .body([SampleTimeline.activity(isBehind: false)]), phones: [SamplePhone.phone()])
        for (now, day) in [(SampleDeliveries.at(55), "31 Oct 2027 "), (Self.winter, "")] {
            let window = "\(day)02:45 (UTC+2)"
            let texts = [
                "order show": (Self.order(whole).text(now: now), "\(window)–02:15 (UTC+1)"),
                "ops show": (delivery.text([], now: now), "\(window) to 02:15 (UTC+1)"),
                "ops why": (
                    merged.lines(id: "x", now: now).joined(separator: "\n"),
                    "promised \(window) to 02:15 (UTC+1)"
                ),
            ]
            for (name, text) in texts { #expect(text.0.contains(text.1), "\(name): \(text.0)") }
        }
        // What happened on another day than that on which it is read.
        let later = merged.lines(id: "x", now: SampleDeliveries.at(2 * 24 * 60))
        #expect(later.contains { $0.hasPrefix("  21 Nov 18:00:00  orders") }, "\(later)")
        #expect(later.contains { $0.contains("last push: 21 Nov 18:13:00") }, "\(later)")
    }

    @Test("A row of the board does", arguments: [(-45.0, "02:15 (UTC+2)"), (15.0, "02:15 (UTC+1)")])
    func board(minutes: Double, text: String) throws {
        let row = try SampleBoard.row(
            promised: (Self.winter.timeIntervalSince(SampleBoard.now) / 60) + minutes)
        let start = minutes == 15 ? "02:45 (UTC+2)" : "01:45"
        #expect(SampleBoard.board([row]).text(now: SampleBoard.now).contains("31 Oct 2027 \(start)–\(text)"))
        #expect(SampleBoard.board([row]).text(now: Self.winter).contains(" \(start)–\(text)"))
    }

    @Test("A card in a terminal has both times whole, on the Lock Screen and in the island", arguments: ["en", "da"])
    func card(language: String) throws {
        let whole = SampleDeliveries.whole(SampleDeliveries.toEnRoute)
        let arrival = Window(
            from: Int(Self.winter.timeIntervalSince1970) - 900, to: Int(Self.winter.timeIntervalSince1970) + 900)
        let step = ActivityStep.after(DeliverySnapshot(whole, links: []), arrival: arrival, step: 1)
        let words = Words(locale: language)
        for now in [SampleDeliveries.at(14), Self.winter.addingTimeInterval(-1_800)] {
            let seconds = Int(now.timeIntervalSince1970)
            let face = CardFace(
                PhoneCard(showing: step, since: seconds, at: seconds), words: words, now: seconds, in: .terminal)
            let screen = LockScreenDrawing(face: face)
            let window = "02:45 (UTC+2)–02:15 (UTC+1)"
            #expect(screen.drawing.text.contains(window), "\(screen.drawing.text)")
            #expect(screen.rows.count <= LockScreenDrawing.innerRowsMax)
            #expect(screen.rows.allSatisfy { $0.columns <= LockScreenDrawing.innerColumns })
            let island = IslandDrawing(face: face)
            #expect(island.expanded.text.contains(window), "\(island.expanded.text)")
            #expect(!island.compactTrailing.contains("02:") && !island.minimalAttached.text.contains("02:"))
        }
    }
}
