import DoorstepAPI
import LiveActivity
import Messages
import OrderDomain

/// What one customer should see about one delivery, or their summary: the wanted state.
struct Activity: Hashable, Sendable {
    let id: ActivityID
    let customer: CustomerID
    /// Nil on a summary.
    let delivery: DeliveryID?
    /// Nil on a summary, and where no intent has carried it yet.
    let store: StoreID?
    private(set) var wanted: ActivityStep
    /// The span in which that was wanted, as the header `traceparent` has it; nil without one.
    let traceparent: String?

    init(
        id: ActivityID, customer: CustomerID, delivery: DeliveryID?, store: StoreID? = nil, wanted: ActivityStep,
        traceparent: String? = nil
    ) {
        self.id = id
        self.customer = customer
        self.delivery = delivery
        self.store = store
        self.wanted = wanted
        self.traceparent = traceparent
    }

    init(_ intent: Intent, traceparent: String? = nil) {
        self.init(
            id: intent.activity, customer: intent.customer, delivery: intent.delivery, store: intent.store,
            wanted: intent.step, traceparent: traceparent)
    }

    var owner: Ownership { Ownership(customer: customer, store: store, delivery: delivery) }

    var isSummary: Bool { delivery == nil }
    var isEnded: Bool { wanted.isEnd }

    /// Domain seconds before it becomes stale from which on a state that is said again prolongs it.
    ///
    /// More than the ten minutes in which writers say everything again, so that one of them comes in time; what is said
    /// earlier would be pushed for nothing.
    static let prolongedWithin = 15 * 60

    /// Makes `step` the wanted state, unless it is not newer by (ended, version, step) and prolongs nothing.
    ///
    /// - Returns: whether the wanted state changed; a redelivered intent and an older one change nothing.
    mutating func advance(to step: ActivityStep) -> Bool {
        guard step.isNews(after: wanted) else { return false }
        wanted = step
        return true
    }

    /// Which of several activities a device shows first: the summary, then what arrives first.
    ///
    /// Without an estimate the end of the promise stands for the arrival. Equal deliveries come in the order of their bags;
    /// between what is still equal the id decides, so that two replicas agree.
    var displayRank: DisplayRank {
        let arrival = wanted.content.arrival?.to ?? wanted.attributes.promise?.to
        return DisplayRank(
            isDelivery: isSummary ? 0 : 1, arrival: arrival ?? .max, order: wanted.attributes.reference ?? "",
            bag: wanted.attributes.bag?.number ?? 0, id: id.rawValue)
    }

    struct DisplayRank: Comparable {
        fileprivate let isDelivery: Int
        fileprivate let arrival: Int
        fileprivate let order: String
        fileprivate let bag: Int
        fileprivate let id: String

        static func < (one: DisplayRank, other: DisplayRank) -> Bool {
            (one.isDelivery, one.arrival, one.order, one.bag, one.id)
                < (other.isDelivery, other.arrival, other.order, other.bag, other.id)
        }
    }
}
