import Foundation
import Testing

@testable import LiveActivity

@Suite("Content of a card")
struct ContentTests {
    typealias ContentState = GroceryDeliveryAttributes.ContentState

    static func content(
        _ delivery: DeliverySnapshot, arrival: Window? = nil, legProgress: Double? = nil
    ) -> ContentState { ContentState(delivery, arrival: arrival, legProgress: legProgress, step: 0) }

    @Test("The progress line is full at the door and exact at its marks")
    func marks() {
        var picking = Sample.delivery(.picking)
        picking.foundCount = 0
        #expect(Self.content(Sample.delivery(.accepted)).progress == 0)
        #expect(Self.content(picking).progress == 0)
        #expect(Self.content(Sample.delivery(.staged)).progress == 1.0 / 3)
        #expect(Self.content(Sample.delivery(.pickedUp)).progress == 2.0 / 3)
        #expect(Self.content(Sample.delivery(.atDoor)).progress == 1)
        #expect(Self.content(Sample.delivery(.delivered)).progress == 1)
        picking.foundCount = 9
        #expect(Self.content(picking).progress == 0.166)
        picking.itemCount = 0
        #expect(Self.content(picking).progress == 0)
    }

    @Test(
        "On the way the progress line follows the leg and is never full before the door",
        arguments: [(-1.0, 2.0 / 3), (0, 2.0 / 3), (0.5, 0.833), (1, 0.983), (9, 0.983), (.nan, 2.0 / 3)])
    func leg(fraction: Double, progress: Double) {
        #expect(Self.content(Sample.delivery(.enRoute), legProgress: fraction).progress == progress)
    }

    @Test("Progress is from 0 to 1 for every input", arguments: Sample.cases)
    func bounded(sample: Sample.Case) {
        for fraction in [nil, -3, 0, 0.3, 1, 7, .infinity, .nan] as [Double?] {
            let progress = Self.content(sample.delivery, legProgress: fraction).progress
            #expect((0...1).contains(progress))
        }
    }

    @Test("In the phase an end beats a problem, and a problem beats the place", arguments: Sample.setsByStatus)
    func phase(sets: Sample.Sets) {
        for sample in sets.cases {
            let phase = Self.content(sample.delivery).phase
            if sample.isEnd {
                #expect(phase == .ended, "\(sample)")
            } else if sample.flags.contains(.onHold) || [.attempted, .returning].contains(sample.status) {
                #expect(phase == .problem, "\(sample)")
            } else {
                #expect(phase != .ended && phase != .problem, "\(sample)")
            }
        }
    }

    @Test("An unexpected stop is in the detail, on the way only, and not while the courier is silent")
    func unexpectedStop() {
        var delivery = Sample.delivery(.enRoute)
        delivery.standingSince = Sample.sixPM + 4 * 60
        let content = Self.content(delivery)
        let attributes = GroceryDeliveryAttributes(delivery)
        #expect(content.headline.code == "en_route")
        #expect(
            Words(locale: "en").detail(content, attributes, now: Sample.sixPM)?.hasPrefix("Standing still since 18:04")
                == true)
        #expect(
            Words(locale: "da").detail(content, attributes, now: Sample.sixPM)?.hasPrefix(
                "Holder stille siden kl. 18:04") == true)
        delivery.flags = [.courierSilent]
        #expect(Self.content(delivery).detail?.code.contains("standing") == false)
        delivery.flags = []
        delivery.status = .atDoor
        #expect(Self.content(delivery).detail?.code.contains("standing") == false)
    }

    @Test("The courier's distance is in the detail of the next stop, on the way, and not of a silent courier")
    func distance() {
        var delivery = Sample.delivery(.enRoute)
        delivery.withinMetres = 500
        func detail(_ locale: String) -> String? {
            Words(locale: locale).detail(Self.content(delivery), GroceryDeliveryAttributes(delivery), now: Sample.sixPM)
        }
        #expect(detail("en")?.contains("Less than 500 m away") == true)
        #expect(detail("da")?.contains("Mindre end 500 m væk") == true)
        delivery.withinMetres = 2_000
        #expect(detail("en")?.contains("Less than 2 km away") == true)
        delivery.courier = Courier(name: "Mira", vehicle: "bicycle", stopsBefore: 2)
        #expect(detail("en")?.contains("2 stops before you") == true && detail("en")?.contains("km") == false)
        delivery.courier = Courier(name: "Mira", vehicle: "bicycle")
        delivery.flags = [.courierSilent]
        #expect(Self.content(delivery).detail?.code.contains("within") == false)
        delivery.flags = []
        for status in DeliverySnapshot.Status.allCases where ![.pickedUp, .enRoute, .arriving].contains(status) {
            delivery.status = status
            #expect(Self.content(delivery).detail?.code.contains("within") != true)
        }
    }

    @Test("A question is the headline of any live delivery, then a hold, then a silent courier on the way")
    func precedence() {
        let all: Set<DeliverySnapshot.Flag> = [.needsCustomer, .onHold, .courierSilent]
        #expect(Self.content(Sample.delivery(.picking, flags: all)).headline.code == "substitute_proposed")
        #expect(Self.content(Sample.delivery(.enRoute, flags: [.onHold, .courierSilent])).headline.code == "on_hold")
        #expect(Self.content(Sample.delivery(.enRoute, flags: [.courierSilent])).headline.code == "courier_silent")
        #expect(Self.content(Sample.delivery(.picking, flags: [.courierSilent])).headline.code == "picking")
        #expect(Self.content(Sample.delivery(.atDoor, flags: [.courierSilent])).headline.code == "at_door")
        #expect(Self.content(Sample.delivery(.delivered, flags: all)).headline.code == "delivered")
    }

    @Test("Each flag that matters in a status is in the text of a live card", arguments: Sample.cases)
    func flagsInText(sample: Sample.Case) throws {
        guard !sample.isEnd, let flag = sample.flags.first else { return }
        let plain = Self.content(Sample.delivery(sample.status, courierStatus: sample.courierStatus))
        let content = Self.content(sample.delivery)
        let isExpected =
            switch flag {
            case .onHold, .needsCustomer, .disputed: true
            case .delayed: ![.attempted, .returning].contains(sample.status)
            case .rescheduled: ![.atDoor, .attempted, .returning].contains(sample.status)
            case .courierSilent: ![.placed, .accepted, .picking, .atDoor].contains(sample.status)
            case .batched: [.pickedUp, .enRoute, .arriving].contains(sample.status)
            case .reassigning: sample.status != .placed
            }
        #expect(content.flags == [flag.rawValue])
        #expect((content.headline != plain.headline || content.detail != plain.detail) == isExpected)
    }

    @Test("The card of a delivery that was marked as delivered by mistake says so")
    func markedByMistake() {
        var delivery = Sample.delivery(.enRoute, flags: [.disputed])
        #expect(Self.content(delivery).detail?.code.contains("reopened") == true)
        delivery.reopenedFrom = .delivered
        #expect(Self.content(delivery).detail?.text.hasPrefix("Marked as delivered by mistake") == true)
        delivery.reopenedFrom = .cancelled
        #expect(Self.content(delivery).detail?.code.contains("reopened") == true)
    }

    @Test("The card of a former episode ends at once, with another text than its outcome, whatever comes late of it")
    func continued() {
        let delivered = ActivityStep.after(Sample.delivery(.delivered), arrival: nil, step: 3)
        let ended = delivered.continued(at: Revision(version: 90, step: 0), now: 5)
        #expect(ended.isContinued && ended.supersedes(delivered) && !delivered.isContinued)
        #expect(ended.content.headline.text == "This delivery goes on, see its new card")
        #expect(ended.content.detail == nil && ended.alert == nil)
        #expect(delivered.content.buttons.map(\.verb) == ["feedback", "details"])
        #expect(ended.content.buttons.map(\.verb) == ["details"], "nothing is asked about an end that was none")
        guard case .ended(let end) = ended else { return }
        #expect(end.dismissal == .immediate && end.attributes == delivered.attributes)
    }

    @Test("Nothing is asked of the customer while all is on hold", arguments: Sample.statuses)
    func held(status: DeliverySnapshot.Status) {
        guard !Sample.ends.contains(status) else { return }
        let content = Self.content(Sample.delivery(status, flags: [.onHold, .delayed]))
        #expect(content.detail?.text == "We are sorting something out · Later than promised, sorry")
    }

    @Test("A card has at most three buttons and only verbs that are legal now", arguments: Sample.setsByStatus)
    func buttons(sets: Sample.Sets) {
        for sample in sets.cases {
            let delivery = sample.delivery
            let buttons = Self.content(delivery).buttons
            let legal = Dictionary(uniqueKeysWithValues: delivery.links.map { ($0.verb.rawValue, $0.url) })
            #expect(buttons.count <= 3 && Set(buttons.map(\.verb)).count == buttons.count, "\(sample)")
            #expect(buttons.allSatisfy { legal[$0.verb] == $0.url }, "\(sample)")
            #expect(buttons.contains { $0.verb == "details" }, "\(sample)")
        }
    }

    @Test("Without links there are no buttons", arguments: Sample.statuses)
    func noLinks(status: DeliverySnapshot.Status) {
        var delivery = Sample.delivery(status)
        delivery.links = []
        #expect(Self.content(delivery).buttons.isEmpty)
    }

    @Test("A question's answers come first")
    func answers() {
        let buttons = Self.content(Sample.delivery(.picking, flags: [.needsCustomer])).buttons
        #expect(buttons.map(\.verb) == ["approve-substitution", "refuse-substitution", "details"])
        #expect(buttons.map(\.title) == ["Yes, swap it", "No, refund it", "Details"])
    }

    @Test("On the way the sketch's three buttons are there, and leaving at the door is asked once")
    func wayButtons() {
        var delivery = Sample.delivery(.enRoute)
        #expect(Self.content(delivery).buttons.map(\.title) == ["Leave at door", "Contact Mira", "Details"])
        delivery.isLeftAtDoor = true
        #expect(Self.content(delivery).buttons.map(\.title) == ["Contact Mira", "Details"])
        #expect(Self.content(delivery).detail?.text == "Will be left at your door · 1 item swapped")
    }

    @Test("No arrival is shown on hold, at the door, on the way back, or after the end", arguments: Sample.setsByStatus)
    func arrival(sets: Sample.Sets) {
        for sample in sets.cases {
            let window = Window(from: Sample.sixPM, to: Sample.sixPM + 60)
            let hasArrival = Self.content(sample.delivery, arrival: window).arrival != nil
            let isOnWay =
                Sample.preparing.contains(sample.status) || [.pickedUp, .enRoute, .arriving].contains(sample.status)
            #expect(hasArrival == (isOnWay && !sample.flags.contains(.onHold)), "\(sample)")
        }
    }

    @Test("An ended card shows no courier to contact")
    func endedCourier() {
        #expect(Self.content(Sample.delivery(.delivered)).courier == nil)
        #expect(Self.content(Sample.delivery(.enRoute)).courier?.name == "Mira")
    }

    @Test("A detail has two parts at most, the most important first")
    func details() {
        let late = Self.content(Sample.delivery(.enRoute, flags: [.delayed, .batched]))
        #expect(late.detail?.text == "Later than promised, sorry · 2 stops before you")
        let stops = Self.content(Sample.delivery(.enRoute, flags: [.batched]))
        #expect(stops.detail?.text == "2 stops before you · 1 item swapped")
        #expect(stops.detail?.code == "stops_before+items_swapped")
    }

    @Test(
        "A delivery is early before the first promise's beginning, late after its end, and on time in between",
        arguments: [
            (-48 * 60, "18 min early"), (-31 * 60, "1 min early"), (-31 * 60 + 1, "On time"), (-18 * 60, "On time"),
            (0, "On time"), (59, "On time"), (60, "1 min late, sorry"),
            (125 * 60, "2 h 5 min late, sorry"),
        ])
    func punctuality(seconds: Int, text: String) {
        var delivery = Sample.delivery(.delivered)
        delivery.substitutedCount = 0
        delivery.endedAt = delivery.originalPromise.to + seconds
        #expect(Self.content(delivery).detail?.text == text)
    }

    @Test("A promise without a beginning is called by its end, and nothing is early in it")
    func promiseWithoutBeginning() {
        let promise = Window(from: Sample.sixPM, to: Sample.sixPM)
        #expect(Punctuality(of: Sample.sixPM - 3_600, in: promise) == .asPromised)
        #expect(Punctuality(of: Sample.sixPM + 3_600, in: promise) == .late(minutes: 60))
        #expect(Punctuality(of: .min, in: Window(from: 0, to: .max)) == .early(minutes: Int.max / 60))
        let attributes = GroceryDeliveryAttributes(
            activity: "a", delivery: "d", reference: nil, store: "Nordhavn", bag: nil, itemCount: 1, promise: promise,
            timeZone: "Europe/Copenhagen")
        #expect(Words(locale: "en").promise(attributes, now: Sample.sixPM) == "promised by 18:00")
        #expect(Words(locale: "da").promise(attributes, now: Sample.sixPM) == "lovet senest 18:00")
    }

    @Test("A phrase without a courier's name is still a sentence", arguments: Sample.statuses)
    func unnamed(status: DeliverySnapshot.Status) {
        var delivery = Sample.delivery(status, flags: Sample.ends.contains(status) ? [] : [.courierSilent])
        delivery.courier = nil
        let content = Self.content(delivery)
        #expect(!content.headline.text.isEmpty && !content.headline.text.contains("{"))
        #expect(content.detail?.text.contains("{") != true)
    }

    @Test("Until goods are fetched from the former courier, nothing says that the present one has them")
    func handOver() {
        for status in [DeliverySnapshot.Status.pickedUp, .enRoute] {
            var delivery = Sample.delivery(status)
            delivery.fetchedFrom = "Ali"
            #expect(Self.content(delivery).headline.text == "Mira fetches your groceries from Ali")
            delivery.flags.insert(.courierSilent)
            #expect(Self.content(delivery).headline.code == "courier_silent")
        }
    }

    @Test("A failed attempt is not attributed to the courier who has still to fetch the goods")
    func handOverAfterAttempt() {
        var delivery = Sample.delivery(.attempted)
        delivery.fetchedFrom = "Ali"
        let content = Self.content(delivery)
        #expect(content.headline.text == "Mira fetches your groceries from Ali")
        #expect(content.detail?.text == "We try again, or take them back to Nordhavn")
        let alert = delivery.alert(arrival: nil, keptFor: nil)
        #expect(alert?.title.text == "We could not reach you")
        let former = Sample.delivery(.attempted).alert(arrival: nil, keptFor: nil)
        #expect(alert?.id == former?.id, "it is the same attempt")
    }

    @Test("An attempt that failed for another reason than reaching the customer is not said to be that")
    func attemptsByReason() {
        let apart: Set<DeliverySnapshot.Reason> = [.notVerified, .notAccepted, .damaged, .lost]
        for reason in DeliverySnapshot.Reason.allCases {
            var delivery = Sample.delivery(.attempted)
            delivery.reason = reason
            let text = apart.contains(reason) ? "We could not deliver your groceries" : "Mira could not reach you"
            #expect(Self.content(delivery).headline.text == text, "\(reason)")
            #expect(delivery.alert(arrival: nil, keptFor: nil)?.title.text == text, "\(reason)")
            delivery.fetchedFrom = "Ali"
            let unnamed = apart.contains(reason) ? text : "We could not reach you"
            #expect(delivery.alert(arrival: nil, keptFor: nil)?.title.text == unnamed, "\(reason)")
        }
    }

    @Test("The English fallback has no raw times", arguments: Sample.setsByStatus)
    func fallback(sets: Sample.Sets) throws {
        for sample in sets.cases {
            let content = Self.content(sample.delivery)
            for phrase in [content.headline, content.detail].compactMap({ $0 }) {
                #expect(!phrase.text.isEmpty, "\(sample)")
                #expect(phrase.text.firstMatch(of: /[0-9]{9,}|[{}\[\]]/) == nil, "\(sample): \(phrase.text)")
            }
        }
    }
}
