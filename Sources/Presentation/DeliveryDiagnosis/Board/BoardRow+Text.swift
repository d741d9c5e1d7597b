package import DoorstepAPI
package import Foundation
package import OrderDomain
package import TimePresentation

extension StoreTimes {
    /// - Parameters:
    ///   - rows: of the board; of stores in several zones the one of most rows counts.
    ///   - former: the zone where there are no rows.
    ///   - now: domain time.
    package init(_ rows: [BoardBody.Row], former: TimeZone = .gmt, now: Date) {
        let zones = Dictionary(grouping: rows.compactMap(\.timeZone), by: \.self)
        // The name decides between equals, so that it does not change from one page to the next.
        let name = zones.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key
        self.init(timeZone: name.flatMap { TimeZone(identifier: $0) } ?? former, now: now)
    }

    /// The promised window in a sentence: `promised 18:20 to 18:50`.
    package func promised(_ promise: Promise) -> String {
        "promised \(text(from: promise.start, to: promise.end))"
    }

    /// The promised window in a column: `18:20–18:50`.
    package func window(_ promise: Promise) -> String {
        text(from: promise.start, to: promise.end, joinedBy: "–")
    }

    /// When a delivery is expected, or when it ended.
    package func expected(_ row: BoardBody.Row) -> String {
        if let endedAt = row.endedAt { return "ended \(text(endedAt))" }
        return row.estimate.map { text($0.arrivesAt) } ?? "–"
    }
}

extension BoardBody.Row {
    /// The delivery's problem in a word; empty without one.
    package var mark: String {
        switch risk {
        case .late: "late"
        case .atRisk: "at risk"
        case .onTime, .ended: ""
        }
    }

    /// How late the delivery is or may be: `12 min late`, `may be 19 min late`; nil where it is in time.
    package var riskText: String? {
        switch risk {
        case .late: lateMinutes.map { "\($0) min late" } ?? "late"
        case .atRisk: lateMinutes.map { "may be \($0) min late" } ?? "may be late"
        case .onTime, .ended: lateMinutes.map { "\($0) min late" }
        }
    }

    /// The delivery's most urgent need of an operator, in words; nil without one.
    package var needText: String? {
        switch need {
        case .unproven: proofText
        case .attempted, .returning: status.text
        case .held: holdText
        case .correction: correctionText
        case .silent: "courier silent"
        case .unassigned: "no courier"
        case .disputed: problemText.map { "customer: \($0)" } ?? "disputed"
        case nil: nil
        }
    }

    /// The question of a missing proof: the courier is at the door, or has handed over without it.
    private var proofText: String { handedOverAt == nil ? "proof missing" : "hand-over to be confirmed" }

    /// The steps of people that corrections wait for: `the provider may have the former details`; nil without one.
    package var correctionText: String? {
        correctionsDue.map { $0.map(\.text).joined(separator: ", ") }
    }

    /// The order's reference, with the bag where there are several.
    package var orderText: String { bag.count > 1 ? "\(reference) \(bag.number)/\(bag.count)" : reference }

    /// The status in words, with the courier's until pickup: `packed, no courier`.
    package var statusText: String {
        [status.text, courierStatus?.text].compactMap(\.self).joined(separator: ", ")
    }

    /// The recipient's name, or the customer's id where the order names no recipient.
    package var customerText: String { recipient ?? customer?.rawValue ?? "–" }

    /// The courier's name, with the courier who has the goods still: `Finn (from Ali)`.
    package var courierText: String {
        (courierName ?? courier?.rawValue ?? "–") + (fetchedFrom.map { " (from \($0))" } ?? "")
    }

    /// A hold with its reason: `on hold: the street is closed`; nil without one.
    package var holdText: String? {
        guard flags.contains(.onHold) else { return nil }
        return holdReason.map { "on hold: \($0)" } ?? "on hold"
    }

    /// The customer's problem that waits for a decision: `missing: Oat milk`; nil without one.
    package var problemText: String? {
        guard let feedback, feedback.kind.isProblem, feedback.settledAt == nil else { return nil }
        return feedback.text
    }

    /// A missing proof that a person decides about, the flags in words, a hold and a dispute with their reasons, and the
    /// steps that corrections wait for: `several stops, on hold: the street is closed`.
    package var flagsText: String {
        let texts = flags.map { flag in
            let reason = flag == .onHold ? holdReason : flag == .disputed ? problemText : nil
            return flag.text + (reason.map { ": \($0)" } ?? "")
        }
        let proofs = undecidedSince == nil ? [] : [proofText]
        return (proofs + texts + [correctionText].compactMap(\.self)).joined(separator: ", ")
    }

    /// Whether the courier has reported a broken vehicle; another courier's delivery is released from such a hold.
    package var hasBrokenVehicle: Bool { holdReason == CourierProblem.vehicle.reason }

    /// The store's name, or its id without one.
    package var storeText: String { storeName ?? store.rawValue }

    /// Minutes late: `+12`.
    package var lateText: String { lateMinutes.map { "+\($0)" } ?? "" }
}
