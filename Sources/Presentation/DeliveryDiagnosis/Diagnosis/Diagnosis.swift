internal import DoorstepAPI
package import Foundation
internal import LiveActivity
internal import Messages
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
        guard let orders = timeline.orders.body else {
            self.init("orders does not answer, so the state of the delivery is unknown.", Self.checkServices)
            return
        }
        let delivery = orders.delivery
        let found =
            Self.undispatched(timeline, delivery, now)
            ?? Self.ended(delivery, cards, times)
            ?? Self.stopped(orders, times)
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
            orders made version \(delivery.version) (\(delivery.status.text)) \(seconds) s ago, but activity-dispatch \
            has only version \(dispatched), so the cards are outdated.
            """, "\(action: .checkServices): the broker or the outbox relay of a service does not deliver messages")
    }

    private static func ended(
        _ delivery: DeliveryBody, _ cards: CardsDiagnosis?, _ times: StoreTimes
    ) -> Diagnosis? {
        guard let endedAt = delivery.endedAt else { return nil }
        guard delivery.disputedAt == nil else {
            let isFinal = !delivery.allowed.isEmpty && !delivery.allowed.contains(.enRoute)
            let decision = setStatus(oneOf: [delivery.status, .enRoute], of: delivery)
            return Diagnosis(
                "It ended at \(times.text(endedAt)) as \(delivery.status.text), which is disputed"
                    + "\(delivery.reason.map { " (\($0))" } ?? "").",
                "\(action: .call(.customer)); then \(action: decision)\(isFinal ? ", or a supervisor reopens it" : "")")
        }
        let reason = delivery.reason.map { " (\($0))" } ?? ""
        let end =
            "It ended at \(times.text(endedAt)) as \(delivery.status.text)\(reason)"
            + punctuality(delivery, times)
        guard let cards else {
            return Diagnosis(
                end + "; activity-dispatch does not answer, so the state of the cards is unknown.",
                checkServices)
        }
        guard cards.count > 0 || !cards.notes.isEmpty else {
            return Diagnosis(
                "\(end); \(cards.isKnown ? "no device had a card for it" : "activity-dispatch has no record of it").",
                nil)
        }
        guard cards.behind > 0 else {
            let screens = cards.notes.isEmpty ? "nothing is left to do" : cards.notes.joined(separator: "; ")
            return Diagnosis("\(end); \(screens).", cards.advice)
        }
        return Diagnosis(
            "\(end), but \(cards.behindText): \(cards.why).", cards.behindAdvice ?? resend)
    }

    /// How a hand-over compares with the first promise: `, 12 min late (promised 18:20 to 18:50)`; empty for other ends.
    private static func punctuality(_ delivery: DeliveryBody, _ times: StoreTimes) -> String {
        guard delivery.status == .delivered, let endedAt = delivery.endedAt else { return "" }
        let promise = delivery.originalPromise
        let compared =
            switch Punctuality(of: endedAt, in: promise) {
            case .early(let minutes): "\(minutes) min early"
            case .asPromised: "on time"
            case .late(let minutes): "\(minutes) min late"
            }
        return ", \(compared) (\(times.promised(promise)))"
    }

    private static func stopped(_ orders: MergedTimeline.Orders, _ times: StoreTimes) -> Diagnosis? {
        let delivery = orders.delivery
        let courier = delivery.courier?.name ?? "the courier"
        if delivery.undecidedSince != nil {
            let missing = (delivery.proofs ?? []).filter { $0.state == .missing || $0.state == .refused }
                .map(\.kind.text).joined(separator: ", ")
            let back: StatusCode = delivery.status == .returning ? .returned : .returning
            let decision = setStatus(oneOf: [.delivered, back], of: delivery)
            guard delivery.handedOverAt == nil else {
                return Diagnosis(
                    "\(courier.capitalizedFirst) handed it over by their own word: \(missing) is missing or wrong.",
                    "\(action: .call(.customer)); then \(action: decision)")
            }
            return Diagnosis(
                "A person has to decide: \(missing) is missing at the door.",
                "\(action: .call(.courier(name: courier))); then \(action: decision)")
        }
        if delivery.flags.contains(.onHold) {
            let reason = delivery.reason.map { ": \($0)" } ?? ""
            // The vehicle stops the courier, and not this delivery alone.
            return Diagnosis(
                "It is on hold\(reason).",
                delivery.isHeldForVehicle
                    ? "\(action: reassignment(orders)), which releases it"
                    : "\(action: .release), when it may go on")
        }
        switch delivery.status {
        case .attempted:
            // Until the next courier has fetched the goods, the attempt is of the courier who has them.
            let visitor = delivery.fetchedFrom?.name ?? courier
            return Diagnosis(
                "\(visitor.capitalizedFirst) was at the door and could not hand it over.",
                "\(action: .call(.customer)); then \(action: .setStatus([.atDoor, .returning]))")
        case .returning:
            return Diagnosis("It is on its way back to the store.", "set it to returned when the store has it")
        default: break
        }
        if delivery.correctionsDue?.contains(.decision) == true {
            return Diagnosis(
                "The customer asks for another address.",
                "\(action: .correctAddress), to confirm it; or \(action: .settleCorrection(.decision)), to decline it")
        }
        if delivery.correctionsDue?.contains(.provider) == true {
            return Diagnosis(
                "It was changed, and its provider may have the former details.",
                "inform the provider; then \(action: .settleCorrection(.provider))")
        }
        // At the door the courier is with the customer, whether or not the phone reports.
        if delivery.flags.contains(.courierSilent), delivery.status != .atDoor {
            return Diagnosis(
                "\(courier.capitalizedFirst)'s phone sends no positions, so the delivery's position is unknown.",
                "\(action: .call(.courier(name: courier))); or \(action: reassignment(orders))")
        }
        if delivery.flags.contains(.needsCustomer) {
            let until = delivery.needsCustomerUntil.map { " until \(times.text($0))" } ?? ""
            return Diagnosis("It waits for the customer's answer\(until), and goes on without one after that.", nil)
        }
        if delivery.courierStatus == .unassigned, delivery.status == .staged {
            return Diagnosis(
                "It is packed and has no courier.", "\(action: .assignCourier)")
        }
        if delivery.flags.contains(.reassigning) {
            return Diagnosis("Its courier was removed, and it has no other yet.", "\(action: .assignCourier)")
        }
        return nil
    }

    private static func late(
        _ delivery: DeliveryBody, _ estimate: EstimateBody?, _ cards: CardsDiagnosis?, _ times: StoreTimes
    ) -> Diagnosis? {
        let promised = times.promised(delivery.promise)
        let customer =
            switch (delivery.flags.contains(.delayed), cards) {
            case (false, _): "the customer's card does not show the delay yet"
            case (true, nil): "activity-dispatch does not answer, so the state of the cards is unknown"
            case (true, let cards?): cards.shown > 0 ? "the customer's card shows the delay" : cards.text
            }
        if let arrival = estimate?.coming(of: delivery, at: times.now)?.arrivesAt,
            case .late(let minutes) = Punctuality(of: arrival, in: delivery.promise)
        {
            return Diagnosis(
                "It will be about \(minutes) min late: expected \(times.text(arrival)), \(promised); \(customer).",
                delivery.status == .placed
                    ? callStore(delivery, "it has not accepted the order")
                    : "if another courier is nearer: \(action: .assignCourier)")
        }
        guard case .late(let minutes) = Punctuality(of: times.now, in: delivery.promise) else { return nil }
        return Diagnosis(
            "It is \(minutes) min late: \(promised), and still \(delivery.status.text); \(customer).",
            lateAdvice(delivery))
    }

    /// The remedy for a delivery whose window is over, by who has it.
    private static func lateAdvice(_ delivery: DeliveryBody) -> Advice {
        switch delivery.status {
        case .placed: callStore(delivery, "it has not accepted the order")
        case .accepted, .picking: callStore(delivery, "it has not packed the order")
        default:
            if let courier = delivery.courier {
                "\(action: .call(.courier(name: courier.name)))"
            } else {
                "\(action: .assignCourier)"
            }
        }
    }

    /// A call of the store, with its public contact where there is one.
    private static func callStore(_ delivery: DeliveryBody, _ reason: String) -> Advice {
        let contact = [delivery.store.contact?.phone, delivery.store.contact?.url].compactMap(\.self)
        return Advice("call \(([delivery.store.name] + contact).joined(separator: ", ")): \(reason)")
    }

    /// The statuses of the list that the reader may set; all of them for a reader who may set none.
    private static func setStatus(oneOf codes: [StatusCode], of delivery: DeliveryBody) -> OperatorAction {
        let allowed = codes.filter { delivery.allowed.contains($0) }
        return .setStatus(allowed.isEmpty ? codes : allowed)
    }

    /// Another courier for the delivery, and for the courier's other ones where there are several.
    private static func reassignment(_ orders: MergedTimeline.Orders) -> OperatorAction {
        guard orders.courierHasOthers, let courier = orders.delivery.courier else { return .assignCourier }
        return .assignAll(from: courier.id)
    }

    private static func unseen(
        _ timeline: MergedTimeline, _ delivery: DeliveryBody, _ cards: CardsDiagnosis?
    ) -> Diagnosis? {
        let status = delivery.status.text
        if let cards, cards.behind > 0 {
            return Diagnosis(
                "It is \(status), but \(cards.behindText): \(cards.why).",
                cards.behindAdvice ?? resend)
        }
        if case .unavailable = timeline.activities {
            return Diagnosis(
                "It is \(status); activity-dispatch does not answer, so the state of the cards is unknown.",
                checkServices)
        }
        if case .unavailable = timeline.estimate {
            return Diagnosis(
                "It is \(status); courier-eta does not answer, so the time of arrival is unknown.",
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
        let expected = estimate?.coming(of: delivery, at: times.now).map { "expected \($0.text(times)), " } ?? ""
        let promised = expected + times.promised(delivery.promise)
        let screens = cards?.text ?? "the state of the cards is unknown"
        let isSeen = cards.map { $0.shown == $0.count && $0.count > 0 } ?? false
        let state =
            delivery.flags.contains(.disputed)
            ? "It was reopened after its end" : isSeen ? "All is well" : "Nothing stops it"
        return Diagnosis("\(state): \(delivery.status.text), \(promised); \(screens).", cards?.advice)
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
