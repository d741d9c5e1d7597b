import CommandOutput
import DoorstepAPI
import Foundation
import Messages
import OrderDomain

/// The state of a delivery in one sentence and, where something is wrong, what to do about it.
///
/// Of several faults it reports the first: what stops the delivery, then what makes it late, then what keeps its screens
/// from showing it.
struct Diagnosis: Hashable {
    let sentence: String
    let advice: String?

    /// - Parameter now: domain time.
    init(_ timeline: MergedTimeline, id: String, now: Date, timeZone: TimeZone) {
        let cards = timeline.activities.body.map(Cards.init)
        guard let delivery = timeline.orders.body?.delivery else {
            self.init("What is true now is not known, because orders does not answer.", "doorstep admin doctor")
            return
        }
        let found =
            Self.ended(delivery, cards, id, timeZone)
            ?? Self.stopped(delivery, id, timeZone)
            ?? Self.late(delivery, timeline.estimate.body, id, now, timeZone)
            ?? Self.unseen(timeline, delivery, cards, id)
        self = found ?? Self.well(delivery, timeline.estimate.body, cards, timeZone)
    }

    private init(_ sentence: String, _ advice: String?) {
        self.sentence = sentence
        self.advice = advice
    }

    /// How many of the newest activity's cards do not show what they should, and why the first of them does not.
    private struct Cards {
        let count: Int
        let behind: Int
        let why: String

        init(_ activities: [ActivityBody]) {
            let cards = activities.first?.cards ?? []
            let late = cards.filter(\.isBehind)
            count = cards.count
            behind = late.count
            why = late.first?.why ?? "unknown"
        }

        var summary: String {
            if count == 1 { return "its card is behind" }
            return "\(behind) of its \(count) cards \(behind == 1 ? "is" : "are") behind"
        }
    }

    private static func ended(
        _ delivery: DeliveryBody, _ cards: Cards?, _ id: String, _ timeZone: TimeZone
    ) -> Diagnosis? {
        guard let endedAt = delivery.endedAt else { return nil }
        let reason = delivery.reason.map { " (\($0))" } ?? ""
        let end = "It ended at \(endedAt.clock(in: timeZone)) as \(delivery.status.rawValue)\(reason)"
        guard let cards, cards.behind > 0 else { return Diagnosis(end + "; nothing is left to do.", nil) }
        return Diagnosis(
            "\(end), but \(cards.summary): \(cards.why).",
            "wait a minute; then doorstep ops resend \(id) --reason …")
    }

    private static func stopped(_ delivery: DeliveryBody, _ id: String, _ timeZone: TimeZone) -> Diagnosis? {
        let courier = delivery.courier?.name ?? "the courier"
        if delivery.flags.contains(.onHold) {
            let reason = delivery.reason.map { ": \($0)" } ?? ""
            return Diagnosis("It is on hold\(reason).", "doorstep ops release \(id) --reason …, when it may go on")
        }
        switch delivery.status {
        case .attempted:
            return Diagnosis(
                "\(courier.capitalizedFirst) was at the door and could not hand it over.",
                "call the customer; then doorstep ops set-status \(id) --status at_door, or returning, --reason …")
        case .returning:
            return Diagnosis("It is on its way back to the store.", "set it to returned when the store has it")
        default: break
        }
        if delivery.flags.contains(.courierSilent) {
            return Diagnosis(
                "\(courier.capitalizedFirst)'s phone is silent, so nobody knows where the delivery is.",
                "call \(courier); or doorstep ops assign \(id) --courier … --reason …")
        }
        if delivery.flags.contains(.needsCustomer) {
            let until = delivery.needsCustomerUntil.map { " until \($0.clock(in: timeZone))" } ?? ""
            return Diagnosis("It waits for the customer's answer\(until), and goes on without one after that.", nil)
        }
        if delivery.courierStatus == .unassigned, delivery.status == .staged {
            return Diagnosis(
                "It is packed and has no courier.", "doorstep ops assign \(id) --courier … --reason …")
        }
        return nil
    }

    private static func late(
        _ delivery: DeliveryBody, _ estimate: EstimateBody?, _ id: String, _ now: Date, _ timeZone: TimeZone
    ) -> Diagnosis? {
        let end = delivery.promise.end
        let promised = "promised until \(end.clock(in: timeZone))"
        let customer = delivery.flags.contains(.delayed) ? "the customer knows" : "the customer has not been told"
        if let arrival = estimate?.estimate?.arrivesAt, arrival > end {
            let minutes = Int((arrival.timeIntervalSince(end) / 60).rounded(.up))
            return Diagnosis(
                "It will be about \(minutes) min late: expected \(arrival.clock(in: timeZone)), \(promised); \(customer).",
                "nothing, or another courier: doorstep ops assign \(id) --courier … --reason …")
        }
        guard now > end else { return nil }
        return Diagnosis(
            "It is late: \(promised), now \(now.clock(in: timeZone)) and still \(delivery.status.rawValue); \(customer).",
            delivery.courier == nil
                ? "doorstep ops assign \(id) --courier … --reason …" : "call the store or the courier")
    }

    private static func unseen(
        _ timeline: MergedTimeline, _ delivery: DeliveryBody, _ cards: Cards?, _ id: String
    ) -> Diagnosis? {
        let status = delivery.status.rawValue
        if let cards, cards.behind > 0 {
            return Diagnosis(
                "It is \(status), but \(cards.summary): \(cards.why).",
                "wait a minute; then doorstep ops resend \(id) --reason …")
        }
        if case .unavailable = timeline.activities {
            return Diagnosis(
                "It is \(status); whether screens say so is not known, because activity-dispatch does not answer.",
                "doorstep admin doctor")
        }
        if case .unavailable = timeline.estimate {
            return Diagnosis(
                "It is \(status); when it arrives is not known, because courier-eta does not answer.",
                "doorstep admin doctor")
        }
        return nil
    }

    private static func well(
        _ delivery: DeliveryBody, _ estimate: EstimateBody?, _ cards: Cards?, _ timeZone: TimeZone
    ) -> Diagnosis {
        let expected = estimate?.estimate.map { "expected \($0.text(in: timeZone)), " } ?? ""
        let promised = "\(expected)promised until \(delivery.promise.end.clock(in: timeZone))"
        let screens =
            switch cards?.count ?? 0 {
            case 0: "no screen shows it yet"
            case 1: "the one card shows it"
            case let count: "all \(count) cards show it"
            }
        return Diagnosis("All is well: \(delivery.status.rawValue), \(promised); \(screens).", nil)
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
