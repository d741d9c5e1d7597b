import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import TimePresentation

/// One entry of a delivery's timeline: the change, its actor and its reason.
struct TimelineEntry: Hashable, Sendable {
    let at: Date
    /// The delivery's version after the change.
    let version: Int
    /// An open code such as `placed`, `status`, `courier`, `item`, `milestone` or `hold`.
    let kind: String
    let summary: String
    /// The actor of the change, in the form of `Principal.recordedName`.
    let by: String
    let reason: String?
    /// The details of a provider's report; nil for every other entry.
    var report: ReportMark?
    /// The reverse patch of the change; nil for entries without a new version, and for an entry read from the database.
    var reversal: DeliveryReversal?

    /// The stored details of a report besides its change.
    struct ReportMark: Hashable, Sendable {
        let source: ProviderID
        /// The key that identifies repeats; nil for an inferred entry.
        let id: String?
        /// When it happened; nil where the provider gave no time.
        let occurredAt: Date?
        /// Whether the reported event was already superseded.
        var isLate = false
        /// Whether the event is inferred from reports, without a report of its own.
        var isInferred = false
    }

    /// The entry as this reader may see it.
    ///
    /// Who made a change is for shops and operators, and so are reasons: customers and couriers read their own. Others
    /// are roles to a courier, who reads no customer after the end; a customer sees roles. Neither reads couriers'
    /// names here: the delivery's own answer has its courier, for a customer from pickup on.
    func redacted(for reader: Principal) -> TimelineEntry {
        switch reader.subject {
        case .store, .operator, .system:
            self
        case .courier:
            with(
                summary: namelessSummary, by: isBy(reader) ? by : kindOfPerson, reason: isBy(reader) ? reason : nil)
        case .customer:
            with(summary: namelessSummary, by: kindOfPerson, reason: isBy(reader) ? reason : nil)
        }
    }

    private func with(summary: String, by: String, reason: String?) -> TimelineEntry {
        TimelineEntry(at: at, version: version, kind: kind, summary: summary, by: by, reason: reason, report: report)
    }

    private func isBy(_ reader: Principal) -> Bool { by == reader.recordedName }

    /// `operator` of `operator ada`; services and timers, by their whole name.
    private var kindOfPerson: String {
        ["customer", "store", "courier", "operator"].first { by.hasPrefix("\($0) ") } ?? by
    }

    /// The change without the names of couriers.
    var namelessSummary: String {
        guard kind == Self.courierKind else { return summary }
        return summary.hasSuffix("→ \(Self.nobody)") ? "the courier was taken off" : "a courier was assigned"
    }

    /// Whether this reader is shown the entry: who read a number or saw an image is for shops and operators, and the
    /// customer's feedback is not for couriers.
    func isVisible(to reader: Principal) -> Bool {
        switch reader.subject {
        case .store, .operator, .system: true
        case .customer: kind != Self.contactKind
        case .courier: kind != Self.contactKind && kind != Self.feedbackKind
        }
    }

    /// The kinds of automatic notices: stops that a trip has left, and readings of numbers.
    ///
    /// A milestone is a notice where it moved no status.
    static let noticeKinds = [tripKind, contactKind]
    static let milestoneKind = "milestone"
    /// Stands between the former status and the new one in a summary.
    static let arrow = "→"
    private static let tripKind = "trip"
    private static let courierKind = "courier"
    /// An operator read the number of a person, or saw an image of the hand-over.
    static let contactKind = "contact"
    /// The customer's word after the end.
    static let feedbackKind = "feedback"
    static let reportKind = "report"
    /// A check at the door.
    static let proofKind = "proof"
    private static let correctionKind = "correction"
    private static let nobody = "nobody"
}

extension TimelineEntry {
    /// The entry of one change.
    ///
    /// - Parameter reason: used where the change itself carries none.
    init(
        _ change: DeliveryChange, from before: Delivery, to after: Delivery, by principal: Principal, reason: String?,
        at now: Date
    ) {
        let (kind, summary) = Self.summary(of: change, from: before, to: after, at: now)
        let ownReason: String? =
            switch change {
            case .status(_, let reason, _): reason
            case .override(_, let reason, _), .hold(let reason), .dispute(let reason): reason
            case .report(let report): report.reason
            case .courier, .stopsBefore, .item, .answer, .answerOverdue, .pin, .age, .image, .barcode, .proofDecision,
                .handedOverUnconfirmed, .leaveAtDoor, .handToCustomer, .promise, .correct, .addItems, .requestAddress,
                .settleCorrection, .release, .feedback, .milestone:
                nil
            }
        self.init(
            at: now, version: after.version, kind: kind, summary: summary, by: principal.recordedName,
            reason: ownReason ?? reason)
    }

    private static func stopsText(_ count: Int) -> String {
        "\(count) \(count == 1 ? "stop" : "stops") before this one"
    }

    /// The end or the beginning of a hold for a broken vehicle by a change of the courier, after a comma; empty without
    /// either.
    private static func vehicleText(_ before: Delivery, _ after: Delivery) -> String {
        switch (before.flags.contains(.onHold), after.flags.contains(.onHold)) {
        case (true, false): ", released: the former courier's vehicle has broken down"
        case (false, true): ", on hold again: this courier's vehicle has broken down"
        case (true, true), (false, false): ""
        }
    }

    /// The effect of a provider's report on a takeover and on a hold for a broken vehicle, after a comma; empty without
    /// any, and with the delivery's end, which ends both.
    private static func takeoverText(_ before: Delivery, _ after: Delivery) -> String {
        guard !after.status.isEnded else { return "" }
        let isBack = after.fetchedFrom == nil && before.fetchedFrom.map { $0.id == after.courier?.id } ?? false
        return (isBack ? ", the former courier has it again" : "") + vehicleText(before, after)
    }

    private static func summary(
        of change: DeliveryChange, from before: Delivery, to after: Delivery, at now: Date
    ) -> (kind: String, summary: String) {
        let transition = "\(before.status.codes) \(arrow) \(after.status.codes)"
        let hasMoved = before.status != after.status
        func withTransition(_ outcome: String) -> String { hasMoved ? "\(outcome): \(transition)" : outcome }
        switch change {
        case .status(_, _, let notice), .override(_, _, let notice):
            let isFetched = before.fetchedFrom != nil && after.fetchedFrom == nil
            let handOver = isFetched ? ["fetched from the former courier"] : []
            let waived = waivedProofs(from: before, to: after)
            let parts = [transition] + handOver + waived + notice.summary(in: after.store.currency)
            return ("status", parts.joined(separator: ", "))
        case .courier(let courier, let stopsBefore):
            let names = "\(before.courier?.name ?? nobody) → \(courier?.name ?? nobody)"
            let handOver = after.fetchedFrom.map { ", who fetches it from \($0.name)" } ?? ""
            let stops = stopsBefore.map { ", " + stopsText($0) } ?? ""
            return (courierKind, names + handOver + stops + vehicleText(before, after))
        case .stopsBefore(let count): return (tripKind, stopsText(count))
        case .item(let id, _, _), .answer(let id, _, _), .answerOverdue(let id, _):
            let item = after.items.first { $0.id == id }
            let status = item?.status.rawValue ?? "unknown"
            let hasSubstitute = item?.status.hasSubstitute == true
            let substitute = hasSubstitute ? item?.substitute.map { " (\($0.name))" } ?? "" : ""
            let refund = CustomerNotice(refundMinorUnits: item?.refundMinorUnits).summary(in: after.store.currency)
            let isHandedOver = before.handoff.method == .leaveAtDoor && after.handoff.method == .handToCustomer
            let handOver = isHandedOver ? ["not left at the door any more"] : []
            let outcome = (["\(status)\(substitute)"] + refund + handOver).joined(separator: ", ")
            return ("item", "\(item?.name ?? id.rawValue): \(outcome)")
        case .pin(let isRight, _):
            let left = after.proof?.pinTriesLeft ?? 0
            return (proofKind, withTransition(isRight ? "the PIN was right" : "a wrong PIN, \(left) tries left"))
        case .age(let isPassed):
            return (proofKind, withTransition(isPassed ? "age check passed" : "age check refused"))
        case .image(let kind, _): return (proofKind, withTransition("\(kind.rawValue) taken"))
        case .barcode: return (proofKind, withTransition("the barcode is the bag's"))
        case .handedOverUnconfirmed:
            let missing = after.missingProofs
            guard !missing.isEmpty else { return (proofKind, "handed over: \(transition)") }
            let isReleased = before.reportedProblem == .vehicle && after.reportedProblem == nil
            let outcome = withTransition("handed over, to be confirmed, without \(names(of: missing))")
            return (proofKind, outcome + (isReleased ? ", released" : ""))
        case .proofDecision: return (proofKind, "asks for a decision, without \(names(of: after.missingProofs))")
        case .leaveAtDoor: return ("handoff", "leave at door")
        case .handToCustomer: return ("handoff", "hand to the customer")
        case .promise(let promise):
            let times = StoreTimes(timeZone: after.store.timeZone, now: now)
            return ("promise", "now \(times.text(from: promise.start, to: promise.end, joinedBy: "–"))")
        case .correct(let correction):
            let fields = "corrected: " + correction.fields.map(\.name).joined(separator: ", ")
            return (correctionKind, fields + (hasMoved ? ", \(transition)" : ""))
        case .addItems(let items):
            return (correctionKind, "added: " + items.map { "\($0.quantity) × \($0.name)" }.joined(separator: ", "))
        case .requestAddress: return (correctionKind, "the customer asks for another address")
        case .settleCorrection(.decision): return (correctionKind, "the address stays as it is")
        case .settleCorrection(.provider): return (correctionKind, "the provider was informed")
        case .hold: return ("hold", "on hold")
        case .release: return ("hold", "released" + (hasMoved ? ", \(transition)" : ""))
        case .dispute: return ("dispute", "disputed")
        case .feedback(let kind, _):
            return (feedbackKind, FeedbackBody(after)?.text ?? kind.words)
        case .milestone(let milestone, _, _, _): return (milestoneKind, withTransition(milestone.rawValue))
        case .report(let report):
            if !hasMoved, let refutation = report.refutation(by: after) {
                return (reportKind, "\(report.kind): not applied, \(refutation)")
            }
            if !hasMoved, report.isKept(by: after) {
                return (reportKind, "\(report.kind): not applied without \(names(of: after.missingProofs))")
            }
            return (reportKind, withTransition(report.kind) + takeoverText(before, after))
        }
    }

    private static func names(of kinds: [ProofKind]) -> String { kinds.map(\.rawValue).joined(separator: ", ") }

    /// The proofs that the change waived.
    private static func waivedProofs(from before: Delivery, to after: Delivery) -> [String] {
        let waived = after.requiredProofs.filter { kind in
            after.proof?.result(of: kind)?.outcome == .waived
                && before.proof?.result(of: kind) != after.proof?.result(of: kind)
        }
        return waived.isEmpty ? [] : ["without \(names(of: waived))"]
    }
}

extension CorrectedField {
    /// `door code` for `door_code`.
    fileprivate var name: String { rawValue.replacing("_", with: " ") }
}

extension CustomerNotice {
    /// The customer-facing notice, part by part, as codes and amounts.
    fileprivate func summary(in currency: CurrencyCode?) -> [String] {
        let refund = refundMinorUnits.map { minorUnits in
            "refund "
                + (currency.map { Amount(minorUnits: minorUnits, currency: $0.rawValue).plainText }
                    ?? "\(minorUnits) in the smallest unit of a currency that the order does not name")
        }
        return [reason?.rawValue, nextStep?.rawValue, refund].compactMap(\.self)
    }
}

extension DeliveryStatus {
    /// The codes of both regions until pickup, then the one code.
    fileprivate var codes: String {
        courierStatus.map { "\(code.rawValue)/\($0.rawValue)" } ?? code.rawValue
    }
}
