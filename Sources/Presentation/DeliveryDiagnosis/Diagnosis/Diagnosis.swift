internal import DoorstepAPI
package import Foundation
internal import LiveActivity
internal import OrderDomain
internal import TimePresentation

/// The state of a delivery in one sentence and, in case of a fault, the remedy.
///
/// Of several faults it reports the first: what blocks the delivery, then what delays it, then what keeps its screens
/// outdated.
package struct Diagnosis: Hashable, Sendable {
    package let sentence: String
    /// Nil where nothing need be done, or nothing can be.
    package let advice: Advice?

    /// - Parameter now: domain time.
    package init(_ timeline: MergedTimeline, now: Date, timeZone: TimeZone) {
        let times = StoreTimes(timeZone: timeZone, now: now)
        let cards = timeline.activities.body.map { CardsDiagnosis($0, phones: timeline.phones, times) }
        guard let delivery = timeline.orders.body?.delivery else {
            self.init("What is true now is not known, because orders does not answer.", Self.checkServices)
            return
        }
        let found =
            Self.undispatched(timeline, delivery, now)
            ?? Self.ended(delivery, cards, times)
            ?? Self.stopped(delivery, times)
            ?? Self.late(delivery, timeline.estimate.body, cards, times)
            ?? Self.unseen(timeline, delivery, cards)
        self = found ?? Self.well(delivery, timeline.estimate.body, cards, times)
    }

    private init(_ sentence: String, _ advice: Advice?) {
        self.sentence = sentence
        self.advice = advice
    }

    /// Seconds after which an undispatched change counts as late; dispatch usually needs less than one.
    private static let dispatchedWithin: TimeInterval = 10

    /// A change that has not reached `activity-dispatch`: the cards' confirmed state is outdated in any case.
    private static func undispatched(_ timeline: MergedTimeline, _ delivery: DeliveryBody, _ now: Date) -> Diagnosis? {
        guard let dispatched = timeline.activities.body?.first?.wanted.content.revision.version,
            dispatched < delivery.version,
            let since = timeline.orders.body?.entries.first(where: { $0.version > dispatched })?.at,
            now.timeIntervalSince(since) > dispatchedWithin
        else { return nil }
        let seconds = Int(now.timeIntervalSince(since))
        return Diagnosis(
            """
            It is \(delivery.status.rawValue), v\(delivery.version), but cards are told of v\(dispatched): what changed \
            \(seconds) s ago has not reached activity-dispatch.
            """, "\(action: .checkServices): the broker, or a service's relay, does not pass messages on")
    }

    private static func ended(
        _ delivery: DeliveryBody, _ cards: CardsDiagnosis?, _ times: StoreTimes
    ) -> Diagnosis? {
        guard let endedAt = delivery.endedAt else { return nil }
        let reason = delivery.reason.map { " (\($0))" } ?? ""
        let end = "It ended at \(times.text(endedAt)) as \(delivery.status.rawValue)\(reason)"
        guard let cards else {
            return Diagnosis(
                end + "; whether screens say so is not known, because activity-dispatch does not answer.",
                checkServices)
        }
        guard cards.count > 0 || !cards.notes.isEmpty else {
            return Diagnosis(
                "\(end); \(cards.isKnown ? "no device had a card of it" : "activity-dispatch knows nothing of it").",
                nil)
        }
        guard cards.behind > 0 else {
            let screens = cards.notes.isEmpty ? "nothing is left to do" : cards.notes.joined(separator: "; ")
            return Diagnosis("\(end); \(screens).", cards.advice)
        }
        return Diagnosis(
            "\(end), but \(cards.behindText): \(cards.why).", cards.behindAdvice ?? resend)
    }

    private static func stopped(_ delivery: DeliveryBody, _ times: StoreTimes) -> Diagnosis? {
        let courier = delivery.courier?.name ?? "the courier"
        if delivery.flags.contains(.onHold) {
            let reason = delivery.reason.map { ": \($0)" } ?? ""
            return Diagnosis("It is on hold\(reason).", "\(action: .release), when it may go on")
        }
        switch delivery.status {
        case .attempted:
            return Diagnosis(
                "\(courier.capitalizedFirst) was at the door and could not hand it over.",
                "call the customer; then \(action: .setStatus([.atDoor, .returning]))")
        case .returning:
            return Diagnosis("It is on its way back to the store.", "set it to returned when the store has it")
        default: break
        }
        // At the door the courier is with the customer, whether or not the phone reports.
        if delivery.flags.contains(.courierSilent), delivery.status != .atDoor {
            return Diagnosis(
                "\(courier.capitalizedFirst)'s phone is silent, so nobody knows where the delivery is.",
                "call \(courier); or \(action: .assignCourier)")
        }
        if delivery.flags.contains(.needsCustomer) {
            let until = delivery.needsCustomerUntil.map { " until \(times.text($0))" } ?? ""
            return Diagnosis("It waits for the customer's answer\(until), and goes on without one after that.", nil)
        }
        if delivery.courierStatus == .unassigned, delivery.status == .staged {
            return Diagnosis(
                "It is packed and has no courier.", "\(action: .assignCourier)")
        }
        return nil
    }

    private static func late(
        _ delivery: DeliveryBody, _ estimate: EstimateBody?, _ cards: CardsDiagnosis?, _ times: StoreTimes
    ) -> Diagnosis? {
        let end = delivery.promise.end
        let promised = "promised until \(times.text(end))"
        let customer =
            switch (delivery.flags.contains(.delayed), cards) {
            case (false, _): "the customer has not been told"
            case (true, nil): "whether the customer's screens say so is not known"
            case (true, let cards?): cards.shown > 0 ? "the customer's screen says so" : cards.text
            }
        if let arrival = estimate?.estimate?.arrivesAt, arrival > end {
            let minutes = Int((arrival.timeIntervalSince(end) / 60).rounded(.up))
            return Diagnosis(
                "It will be about \(minutes) min late: expected \(times.text(arrival)), \(promised); \(customer).",
                "nothing, or another courier: \(action: .assignCourier)")
        }
        guard times.now > end else { return nil }
        return Diagnosis(
            "It is late: \(promised), now \(times.text(times.now)) and still \(delivery.status.rawValue); \(customer).",
            delivery.courier == nil
                ? "\(action: .assignCourier)" : "call the store or the courier")
    }

    private static func unseen(
        _ timeline: MergedTimeline, _ delivery: DeliveryBody, _ cards: CardsDiagnosis?
    ) -> Diagnosis? {
        let status = delivery.status.rawValue
        if let cards, cards.behind > 0 {
            return Diagnosis(
                "It is \(status), but \(cards.behindText): \(cards.why).",
                cards.behindAdvice ?? resend)
        }
        if case .unavailable = timeline.activities {
            return Diagnosis(
                "It is \(status); whether screens say so is not known, because activity-dispatch does not answer.",
                checkServices)
        }
        if case .unavailable = timeline.estimate {
            return Diagnosis(
                "It is \(status); when it arrives is not known, because courier-eta does not answer.",
                checkServices)
        }
        return nil
    }

    /// The advice where a card is behind and the device needs nothing.
    private static let resend: Advice = "wait a minute; then \(action: .resend)"

    private static let checkServices: Advice = "\(action: .checkServices)"

    private static func well(
        _ delivery: DeliveryBody, _ estimate: EstimateBody?, _ cards: CardsDiagnosis?, _ times: StoreTimes
    ) -> Diagnosis {
        let expected = estimate?.estimate.map { "expected \($0.text(times)), " } ?? ""
        let promised = "\(expected)promised until \(times.text(delivery.promise.end))"
        let screens = cards?.text ?? "whether screens show it is not known"
        let isSeen = cards.map { $0.shown == $0.count && $0.count > 0 } ?? false
        return Diagnosis(
            "\(isSeen ? "All is well" : "Nothing stops it"): \(delivery.status.rawValue), \(promised); \(screens).",
            cards?.advice)
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
