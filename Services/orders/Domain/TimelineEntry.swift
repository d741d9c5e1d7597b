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
    /// An operator's identity and reason are for shops and operators. A customer sees roles and no names; the delivery
    /// itself shows its courier from pickup on.
    func redacted(for reader: Principal) -> TimelineEntry {
        switch reader.subject {
        case .store, .operator, .system:
            self
        case .courier:
            with(by: isByOperator ? "operator" : by, reason: isByOperator ? nil : reason)
        case .customer:
            with(
                summary: namelessSummary, by: kindOfPerson, reason: isByOperator || report != nil ? nil : reason)
        }
    }

    private func with(summary: String? = nil, by: String, reason: String?) -> TimelineEntry {
        TimelineEntry(
            at: at, version: version, kind: kind, summary: summary ?? self.summary, by: by, reason: reason,
            report: report)
    }

    private var isByOperator: Bool { by.hasPrefix("operator ") }

    /// `operator` of `operator ada`; services and timers, by their whole name.
    private var kindOfPerson: String {
        ["customer", "store", "courier", "operator"].first { by.hasPrefix("\($0) ") } ?? by
    }

    private var namelessSummary: String {
        guard kind == Self.courierKind else { return summary }
        return summary.hasSuffix("→ \(Self.nobody)") ? "the courier was taken off" : "a courier was assigned"
    }

    /// Whether this reader is shown the entry: who read a number is for shops and operators.
    func isVisible(to reader: Principal) -> Bool {
        switch reader.subject {
        case .store, .operator, .system: true
        case .customer, .courier: kind != Self.contactKind
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
    /// An operator read the number of a person.
    static let contactKind = "contact"
    static let reportKind = "report"
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
            case .courier, .stopsBefore, .item, .answer, .answerOverdue, .leaveAtDoor, .handToCustomer, .promise,
                .release, .milestone:
                nil
            }
        self.init(
            at: now, version: after.version, kind: kind, summary: summary, by: principal.recordedName,
            reason: ownReason ?? reason)
    }

    private static func stopsText(_ count: Int) -> String {
        "\(count) \(count == 1 ? "stop" : "stops") before this one"
    }

    private static func summary(
        of change: DeliveryChange, from before: Delivery, to after: Delivery, at now: Date
    ) -> (kind: String, summary: String) {
        let transition = "\(before.status.codes) \(arrow) \(after.status.codes)"
        switch change {
        case .status(_, _, let notice), .override(_, _, let notice):
            let isFetched = before.fetchedFrom != nil && after.fetchedFrom == nil
            let handOver = isFetched ? ["fetched from the former courier"] : []
            return (
                "status", ([transition] + handOver + notice.summary(in: after.store.currency)).joined(separator: ", ")
            )
        case .courier(let courier, let stopsBefore):
            let names = "\(before.courier?.name ?? nobody) → \(courier?.name ?? nobody)"
            let handOver = after.fetchedFrom.map { ", who fetches it from \($0.name)" } ?? ""
            return (courierKind, names + handOver + (stopsBefore.map { ", " + stopsText($0) } ?? ""))
        case .stopsBefore(let count): return (tripKind, stopsText(count))
        case .item(let id, _, _), .answer(let id, _, _), .answerOverdue(let id, _):
            let item = after.items.first { $0.id == id }
            let status = item?.status.rawValue ?? "unknown"
            let substitute = item?.substitute.map { " (\($0.name))" } ?? ""
            let refund = CustomerNotice(refundMinorUnits: item?.refundMinorUnits).summary(in: after.store.currency)
            let outcome = (["\(status)\(substitute)"] + refund).joined(separator: ", ")
            return ("item", "\(item?.name ?? id.rawValue): \(outcome)")
        case .leaveAtDoor: return ("handoff", "leave at door")
        case .handToCustomer: return ("handoff", "hand to the customer")
        case .promise(let promise):
            let times = StoreTimes(timeZone: after.store.timeZone, now: now)
            return ("promise", "now \(times.text(from: promise.start, to: promise.end, joinedBy: "–"))")
        case .hold: return ("hold", "on hold")
        case .release: return ("hold", "released")
        case .dispute: return ("dispute", "disputed")
        case .milestone(let milestone, _):
            let hasMoved = before.status != after.status
            return (milestoneKind, hasMoved ? "\(milestone.rawValue): \(transition)" : milestone.rawValue)
        case .report(let report):
            let hasMoved = before.status != after.status
            return (reportKind, hasMoved ? "\(report.kind): \(transition)" : report.kind)
        }
    }
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
