package import DoorstepAPI
package import Foundation
internal import OrderDomain
internal import TimePresentation

extension TripPreviewBody {
    /// The stops that a move of the added deliveries changes: these, and own stops with another place on the trip.
    package var changed: [Stop] { stops.filter { $0.isAdded || $0.stopsBefore != $0.formerStopsBefore } }

    /// The move in one sentence: `7 deliveries to finn, who has 4; 1 becomes late: G-1181; 2 released from hold`.
    package var summary: String {
        let added = stops.count(where: \.isAdded)
        let late = stops.filter(\.becomesLate)
        let lateness =
            late.isEmpty
            ? "none becomes late"
            : "\(late.count) \(late.count == 1 ? "becomes" : "become") late: "
                + late.map(\.orderText).joined(separator: ", ")
        let own = stops.count - added
        let holds = Dictionary(grouping: stops.compactMap(\.holdText)) { $0 }.mapValues(\.count)
            .sorted { $0.key < $1.key }.map { "; \($0.value) \($0.key)" }.joined()
        let left =
            notLive.map { ids in
                "; \(ids.count) left out, no longer live: " + ids.map(\.rawValue).joined(separator: ", ")
            } ?? ""
        let deliveries = added == 1 ? "delivery" : "deliveries"
        return "\(added) \(deliveries) to \(courier), who has \(own); \(lateness)\(holds)\(left)"
    }
}

extension TripPreviewBody.Stop {
    /// The order's reference, with the bag where there are several.
    package var orderText: String { bag.count > 1 ? "\(reference) \(bag.number)/\(bag.count)" : reference }

    /// Whether the move makes a delivery late that was in time.
    package var becomesLate: Bool { isLate && !wasLate }

    /// The end or the beginning of a hold by the move: `released from hold`; nil without either.
    fileprivate var holdText: String? {
        switch (wasOnHold, isOnHold) {
        case (true?, false?): "released from hold"
        case (false?, true?): "on hold again"
        default: nil
        }
    }

    /// The promise, the arrivals before and after the move, and the end of a hold:
    /// `by 18:45, expected 18:24 → 18:50, becomes late, released from hold`.
    ///
    /// - Parameter now: domain time.
    package func arrivalText(now: Date) -> String {
        let times = StoreTimes(timeZone: timeZone, now: now)
        func text(_ estimate: Estimate?) -> String { estimate.map { times.text($0.arrivesAt) } ?? "–" }
        let lateness = becomesLate ? ", becomes late" : isLate ? ", late" : ""
        return "by \(times.text(promiseEnd)), expected \(text(formerEstimate)) → \(text(estimate))\(lateness)"
            + (holdText.map { ", \($0)" } ?? "")
    }
}
