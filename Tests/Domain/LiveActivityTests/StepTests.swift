import Foundation
import Testing

@testable import LiveActivity

@Suite("Steps of an activity")
struct StepTests {
    static func shown(_ delivery: DeliverySnapshot, arrival: Window? = nil, now: Int? = nil) throws -> ShownActivity {
        guard case .show(let shown) = ActivityStep.after(delivery, arrival: arrival, step: 0, now: now) else {
            throw NotShown()
        }
        return shown
    }

    struct NotShown: Error {}

    @Test("A live status shows and an end ends", arguments: Sample.setsByStatus)
    func ends(sets: Sample.Sets) {
        for sample in sets.cases {
            #expect(sample.step.isEnd == sample.isEnd, "\(sample)")
        }
    }

    @Test("A card starts when picking begins or 90 minutes before the promise, whichever is first")
    func startAt() throws {
        var delivery = Sample.delivery(.accepted)
        #expect(try Self.shown(delivery).startAt == delivery.promise.from - 5400)
        delivery = Sample.delivery(.picking)
        delivery.pickingSince = delivery.promise.from - 7200
        #expect(try Self.shown(delivery).startAt == delivery.promise.from - 7200)
        delivery.pickingSince = delivery.promise.from - 60
        #expect(try Self.shown(delivery).startAt == delivery.promise.from - 5400)
    }

    @Test("A card is stale not later than the arrival's end", arguments: Sample.setsByStatus)
    func staleAt(sets: Sample.Sets) throws {
        for sample in sets.cases {
            guard !sample.isEnd else { continue }
            for minutes in [-30, 3, 40] {
                let to = Sample.sixPM + minutes * 60
                let shown = try Self.shown(sample.delivery, arrival: Window(from: to - 60, to: to), now: Sample.sixPM)
                if shown.content.arrival != nil { #expect(shown.staleAt <= to, "\(sample)") }
            }
        }
    }

    @Test("A silent courier near the door raises no alert of being there; the next fix does")
    func silentNearTheDoor() {
        #expect(Sample.delivery(.arriving).alert(arrival: nil, keptFor: nil)?.id.hasSuffix("/arriving") == true)
        #expect(Sample.delivery(.arriving, flags: [.courierSilent]).alert(arrival: nil, keptFor: nil) == nil)
    }

    @Test("While a courier is silent, a text takes the place of a window that is over")
    func windowOver() {
        let delivery = Sample.delivery(.enRoute, flags: [.courierSilent])
        let shown = ContentTests.content(delivery, arrival: Sample.arrival(of: .enRoute))
        let over = ContentTests.content(delivery)
        #expect(shown.detail?.code.hasPrefix("silence_explained") == true)
        #expect(over.arrival == nil && over.detail?.text.hasPrefix("We cannot tell when it arrives") == true)
    }

    @Test("A silent courier and a missing estimate make a card stale sooner")
    func tighter() throws {
        let now = Sample.sixPM + 15 * 60
        let arrival = Window(from: now + 20 * 60, to: now + 30 * 60)
        let confident = try Self.shown(Sample.delivery(.enRoute), arrival: arrival, now: now).staleAt
        let blind = try Self.shown(Sample.delivery(.enRoute), now: now).staleAt
        let silent = try Self.shown(Sample.delivery(.enRoute, flags: [.courierSilent]), arrival: arrival, now: now)
        #expect(confident == arrival.to)
        #expect(blind == now + 15 * 60)
        #expect(silent.staleAt == now + 2 * 60)
    }

    @Test("A writer's freshness limit makes a card stale sooner than the arrival, and not at once")
    func freshUntil() throws {
        let now = Sample.sixPM + 15 * 60
        let arrival = Window(from: now + 20 * 60, to: now + 30 * 60)
        for (until, staleAt) in [(8, 8), (45, 30), (-5, 1)] {
            let step = ActivityStep.after(
                Sample.delivery(.enRoute), arrival: arrival, step: 1, freshUntil: now + until * 60, now: now)
            guard case .show(let shown) = step else { throw NotShown() }
            #expect(shown.staleAt == now + staleAt * 60)
        }
    }

    @Test("Without an arrival, nothing is stale when it is made", arguments: Sample.setsByStatus)
    func fresh(sets: Sample.Sets) throws {
        for sample in sets.cases {
            guard !sample.isEnd else { continue }
            let now = Sample.sixPM + 6 * 3600
            #expect(try Self.shown(sample.delivery, now: now).staleAt > now, "\(sample)")
        }
    }

    @Test("Relevance: the summary, what needs the customer, the nearest arrival, and an end last")
    func relevance() throws {
        let soon = Window(from: Sample.sixPM, to: Sample.sixPM + 300)
        let later = Window(from: Sample.sixPM, to: Sample.sixPM + 360)
        let question = try Self.shown(Sample.delivery(.picking, flags: [.needsCustomer])).relevance
        let missed = try Self.shown(Sample.delivery(.attempted)).relevance
        let door = try Self.shown(Sample.delivery(.atDoor)).relevance
        let near = try Self.shown(Sample.delivery(.arriving), arrival: soon).relevance
        let far = try Self.shown(Sample.delivery(.enRoute), arrival: later).relevance
        let promised = try Self.shown(Sample.delivery(.accepted)).relevance
        let back = try Self.shown(Sample.delivery(.returning)).relevance
        let order = [1000, question, missed, door, near, far, promised, back, 0]
        #expect(zip(order, order.dropFirst()).allSatisfy { $0 > $1 }, "\(order)")
    }

    @Test(
        "An end stays as long as its policy says",
        arguments: [
            (DeliverySnapshot.Status.delivered, 900), (.cancelled, 1800), (.returned, 7200), (.failed, 7200),
        ])
    func dismissal(status: DeliverySnapshot.Status, seconds: Int) throws {
        guard case .ended(let ended) = ActivityStep.after(Sample.delivery(status), arrival: nil, step: 0) else {
            throw NotShown()
        }
        #expect(ended.dismissal == .after(seconds: seconds))
        #expect(ended.endedAt == Sample.sixPM + 27 * 60)
    }

    @Test("A store's own policy applies, up to the system's four hours")
    func policy() {
        let policy = DismissalPolicy(deliveredSeconds: 60, failedSeconds: 99_999)
        #expect(policy.dismissal(of: .delivered) == .after(seconds: 60))
        #expect(policy.dismissal(of: .failed) == .after(seconds: 14_400))
        #expect(policy.dismissal(of: .picking) == nil)
    }

    @Test("A store that leaves ended cards to the system sends no date, and the system keeps them for four hours")
    func systemDefault() throws {
        for status in [DeliverySnapshot.Status.delivered, .cancelled, .returned, .failed] {
            let step = ActivityStep.after(Sample.delivery(status), arrival: nil, step: 0, dismissal: .system)
            guard case .ended(let ended) = step else { throw NotShown() }
            #expect(ended.dismissal == .default)
            let payload = PushPayload.end(ended, timestamp: 1000, alert: nil)
            #expect(payload.aps.dismissalDate == nil)
            #expect(!String(decoding: try payload.encoded(), as: UTF8.self).contains("dismissal-date"))
            #expect(ended.dismissal.date(endedAt: 0, now: 1000) == 1000 + 4 * 3600)
            #expect(try JSONDecoder().decode(ActivityStep.self, from: JSONEncoder().encode(step)) == step)
        }
        #expect(DismissalPolicy.system.dismissal(of: .picking) == nil)
    }

    @Test(
        "A dismissal date is clamped between a minute and four hours from now",
        arguments: [(0, 900, 100, 900), (0, 900, 899, 959), (0, 900, 50_000, 50_060), (0, 99_999, 10, 14_410)])
    func clamp(endedAt: Int, seconds: Int, now: Int, date: Int) {
        #expect(Dismissal.after(seconds: seconds).date(endedAt: endedAt, now: now) == date)
        #expect(Dismissal.immediate.date(endedAt: endedAt, now: now) < now)
    }

    // MARK: Alerts

    @Test(
        "Alerts are for a question, nearness, the door, a failed attempt, an end and a broken promise",
        arguments: Sample.setsByStatus)
    func alerts(sets: Sample.Sets) {
        for sample in sets.cases {
            let alert = sample.step.alert
            let suffix = alert.map { String($0.id.dropFirst(sample.delivery.activity.count + 1)) }
            let near = sample.status == .arriving ? "arriving" : "at-door/\(sample.delivery.statusSince)"
            switch sample.status {
            case .placed, .accepted, .picking, .staged:
                let expected =
                    sample.flags.contains(.needsCustomer)
                    ? "needs-customer/i-3-1"
                    : sample.flags.contains(.delayed) ? "delayed/\(sample.delivery.promise.to)" : nil
                #expect(suffix == expected, "\(sample)")
            case .pickedUp, .enRoute:
                #expect(
                    suffix == (sample.flags.contains(.delayed) ? "delayed/\(sample.delivery.promise.to)" : nil),
                    "\(sample)")
            case .arriving:
                let isQuiet = !sample.flags.isDisjoint(with: [.onHold, .courierSilent])
                #expect(suffix == (isQuiet ? nil : near), "\(sample)")
            case .atDoor: #expect(suffix == (sample.flags.contains(.onHold) ? nil : near), "\(sample)")
            case .attempted: #expect(suffix == "attempted/\(sample.delivery.statusSince)", "\(sample)")
            case .returning: #expect(suffix == nil, "\(sample)")
            case .delivered, .returned, .cancelled, .failed: #expect(suffix == sample.status.rawValue, "\(sample)")
            }
        }
    }

    @Test("Goods that the courier says are handed over ring at no door, and their card asks nobody to open it")
    func handedOver() {
        var delivery = Sample.delivery(.atDoor)
        let waiting = ActivityStep.after(delivery, arrival: nil, step: 0)
        delivery.proofs = [.init(kind: .pin, state: .missing)]
        delivery.pin = "0417"
        delivery.isHandedOver = true
        let step = ActivityStep.after(delivery, arrival: nil, step: 0)
        #expect(waiting.alert != nil && step.alert == nil)
        #expect(step.content.headline == Phrase(.handedOver) && step.content.phase == .atDoor)
        #expect(waiting.content.detail?.code.contains("open_door") == true)
        #expect(step.content.detail?.code.contains("door") != true)
        #expect(step.content.pin == nil && delivery.handoffLines(address: nil, note: nil).isEmpty)
        let coming = Sample.delivery(.enRoute)
        #expect(delivery.relevance(arrival: nil) < coming.relevance(arrival: nil))
    }

    @Test("A hand-over that is confirmed later announces its end, and keeps its card, from the confirmation on")
    func confirmed() throws {
        var delivery = Sample.delivery(.delivered)
        let known = try #require(delivery.endedAt) + 20 * 60
        let former = ActivityStep.after(delivery, arrival: nil, step: 0)
        delivery.endKnownAt = known
        guard case .ended(let ended) = ActivityStep.after(delivery, arrival: nil, step: 0) else { throw NotShown() }
        #expect(ended.alert?.validUntil == known + 15 * 60)
        #expect(ended.dismissal.date(endedAt: ended.endedAt, now: known) == known + 15 * 60)
        #expect(ended.content == former.content, "its text has the time of the hand-over")
    }

    @Test("The alert of one event has the same id at any version, step and time", arguments: Sample.cases)
    func stableIDs(sample: Sample.Case) {
        var later = sample.delivery
        later.version += 5
        later.foundCount = 18
        let one = ActivityStep.after(sample.delivery, arrival: nil, step: 0).alert
        let other = ActivityStep.after(later, arrival: Sample.arrival(of: .enRoute), step: 9, now: Sample.sixPM + 999)
            .alert
        #expect(one?.id == other?.id)
    }

    @Test("Each approach to the door has an alert of its own, and the first has the plain id")
    func approaches() {
        let ids = (0...2).map { count in
            var delivery = Sample.delivery(.arriving)
            delivery.formerApproaches = count
            return delivery.alert(arrival: nil, keptFor: nil)?.id
        }
        let activity = Sample.delivery(.arriving).activity
        #expect(ids == ["\(activity)/arriving", "\(activity)/arriving/1", "\(activity)/arriving/2"])
    }

    @Test("Two questions are two alerts")
    func questions() {
        let first = Sample.delivery(.picking, flags: [.needsCustomer])
        var second = first
        second.proposal = .init(id: "i-3-2", item: "Milk", substitute: "Oat milk", quantity: 1, answerUntil: nil)
        let ids = [first, second].map { ActivityStep.after($0, arrival: nil, step: 0).alert?.id }
        #expect(ids[0] != ids[1])
    }

    @Test("Alerts contain no time of day, which iOS could not format", arguments: Sample.setsByStatus)
    func timeless(sets: Sample.Sets) throws {
        for sample in sets.cases {
            guard let alert = sample.step.alert else { continue }
            for phrase in [alert.title, alert.body] {
                let code = try #require(PhraseCode(rawValue: phrase.code))
                #expect(TextCatalogue.english.phrase(code)?.hasTimes == false, "\(sample)")
                #expect(Set(phrase.values.keys) == Set(code.valueNames), "\(sample)")
            }
            #expect(alert.validUntil > sample.delivery.statusSince, "\(sample)")
        }
    }
}

extension ActivityStep {
    var alert: ActivityAlert? {
        switch self {
        case .show(let shown): shown.alert
        case .ended(let ended): ended.alert
        }
    }
}
