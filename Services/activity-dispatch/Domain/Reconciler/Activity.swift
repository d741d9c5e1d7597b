import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain

/// The wanted state of one customer's card for one delivery, or of their summary.
struct Activity: Hashable, Sendable {
    let id: ActivityID
    let customer: CustomerID
    /// Nil on a summary.
    let delivery: DeliveryID?
    /// Nil on a summary, and where no intent has carried it yet.
    private(set) var store: StoreID?
    private(set) var wanted: ActivityStep
    /// The span in which the state was wanted, in the form of the header `traceparent`; nil without one.
    private(set) var traceparent: String?
    /// When the stored state became the wanted one; nil where it was not read.
    private(set) var wantedAt: Date?

    var owner: Ownership { Ownership(customer: customer, store: store, delivery: delivery) }

    var isSummary: Bool { delivery == nil }
    var isEnded: Bool { wanted.isEnd }

    /// Since when the end of its delivery is known, in domain time; nil while it is live, and on a summary.
    ///
    /// It is nil for the end of a former episode's card too: that states only that a later one shows the delivery.
    var deliveryEndedAt: Date? {
        guard delivery != nil, !wanted.isContinued, case .ended(let ended) = wanted else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(ended.endedAt))
    }

    /// Domain seconds before the stale date in which a repeated state prolongs it.
    ///
    /// More than the ten minutes in which writers repeat everything, so that one repeat arrives in time; an earlier
    /// repeat would cause a needless push.
    static let prolongedWithin = 15 * 60

    /// Makes `step` the wanted state, unless it is not newer by (ended, version, step) and prolongs nothing.
    ///
    /// - Returns: whether the wanted state changed; a redelivered intent and an older one change nothing.
    mutating func advance(to step: ActivityStep) -> Bool {
        guard step.isNews(after: wanted) else { return false }
        wanted = step
        return true
    }

    /// The order of activities on a device: the summary first, then questions to the customer, then the earliest
    /// arrival, and last where nothing arrives any more.
    ///
    /// Without an estimate the end of the present promise counts as the arrival. Equal deliveries are ordered by their bags,
    /// and then by id, so that two replicas agree.
    var displayRank: DisplayRank {
        let arrival =
            switch wanted {
            case .show(let shown): shown.isArriving ? shown.dueAt : nil
            case .ended(let ended): ended.attributes.promise?.to
            }
        return DisplayRank(
            kind: isSummary ? 0 : wanted.content.isWaitingForCustomer ? 1 : 2, arrival: arrival ?? .max,
            order: wanted.attributes.reference ?? "",
            bag: wanted.attributes.bag?.number ?? 0, id: id.rawValue)
    }

    struct DisplayRank: Comparable {
        /// 0 for a summary, 1 for a question, 2 for other deliveries.
        fileprivate let kind: Int
        fileprivate let arrival: Int
        fileprivate let order: String
        fileprivate let bag: Int
        fileprivate let id: String

        static func < (one: DisplayRank, other: DisplayRank) -> Bool {
            (one.kind, one.arrival, one.order, one.bag, one.id)
                < (other.kind, other.arrival, other.order, other.bag, other.id)
        }
    }
}

extension Activity {
    init(_ intent: Intent, traceparent: String? = nil) {
        self.init(
            id: intent.activity, customer: intent.customer, delivery: intent.delivery, store: intent.store,
            wanted: intent.step, traceparent: traceparent)
    }
}
