public import Foundation
public import OrderDomain

/// A page of deliveries, worst first, with the counts of everything live that the filter's store and courier leave.
public struct BoardBody: Codable, Sendable {
    public let counts: Counts
    public let deliveries: [Row]
    /// The value of `?cursor=` for the next page; nil on the last.
    public let next: String?

    public init(counts: Counts, deliveries: [Row], next: String?) {
        self.counts = counts
        self.deliveries = deliveries
        self.next = next
    }

    /// The number of live deliveries in trouble, by kind; one delivery may count in several.
    public struct Counts: Codable, Sendable {
        public let live: Int
        public let late: Int
        public let atRisk: Int
        public let silent: Int
        public let unassigned: Int
        public let waitingForCustomer: Int

        public init(live: Int, late: Int, atRisk: Int, silent: Int, unassigned: Int, waitingForCustomer: Int) {
            self.live = live
            self.late = late
            self.atRisk = atRisk
            self.silent = silent
            self.unassigned = unassigned
            self.waitingForCustomer = waitingForCustomer
        }
    }

    public struct Row: Codable, Sendable {
        public let id: DeliveryID
        public let reference: String
        public let bag: Bag
        /// Nil for a courier after the end.
        public let customer: CustomerID?
        /// The recipient's name; nil for a courier after the end, and where the order names none.
        public let recipient: String?
        /// Street and number of the door; nil where `recipient` would be, and for an order without an address.
        public let street: String?
        public let store: StoreID
        /// The store's name; nil from a service of a former version.
        public let storeName: String?
        /// The door's position; nil for a courier after the end.
        public let door: Coordinate?
        /// IANA name of the store's time zone, in which its people read times.
        public let timeZone: String?
        public let status: StatusCode
        public let courierStatus: CourierStatus?
        public let phase: Phase
        public let flags: [Flag]
        /// Why it is on hold; nil where it is not, and for customers and couriers.
        public let holdReason: String?
        /// Nil for its customer until pickup.
        public let courier: CourierID?
        /// The courier's name for customers; nil where `courier` is.
        public let courierName: String?
        /// The name of the courier who has the goods until `courier` has fetched them; nil where `courier` is.
        public let fetchedFrom: String?
        public let promise: Promise
        public let risk: Risk
        /// Whole minutes between the promise and the actual or expected arrival; nil where the delivery is in time.
        ///
        /// Without an estimate, the expected arrival uses the usual remaining time of such deliveries. Nil after every
        /// other end, and for customers while they get no estimate.
        public let lateMinutes: Int?
        /// The probability that the promise is missed, 0 to 1; nil before there is an estimate, at the door until the
        /// promise has passed, while attempted or returning, and after the end.
        public let missProbability: Double?
        /// When it is expected, and after the end the last that was estimated; nil without an estimate or a courier.
        ///
        /// Customers have it in `picked_up`, `en_route` and `arriving` alone.
        public let estimate: Estimate?
        public let statusSince: Date
        public let endedAt: Date?
        /// When the end was disputed; nil once an operator has decided, and for customers and couriers.
        public let disputedAt: Date?
        /// The customer's word after the end; nil before they have given it, and for couriers.
        public let feedback: FeedbackBody?
        /// Since when a person has to decide about a missing proof; nil without one, and for customers and couriers.
        public let undecidedSince: Date?
        /// Since when the customer has the goods by the courier's word, to be confirmed; nil without that, from a
        /// service of a former version, and for customers and couriers.
        public let handedOverAt: Date?
        /// The steps of people that corrections wait for; nil without one, and for customers and couriers.
        public let correctionsDue: [CorrectionDue]?
        public let version: Int
        public let cards: Cards?

        public init(
            _ delivery: Delivery, risk: Risk, lateMinutes: Int? = nil, missProbability: Double? = nil,
            estimate: Estimate?, cards: Cards?, dropOff: DropOff? = nil, for reader: Principal
        ) {
            let disclosure = Disclosure(delivery, for: reader)
            id = delivery.id
            reference = delivery.reference
            bag = delivery.bag
            customer = disclosure.customerAndDoor ? delivery.customer : nil
            recipient = disclosure.dropOff ? dropOff?.recipient?.name : nil
            street = disclosure.dropOff ? dropOff?.address?.street : nil
            store = delivery.store.id
            storeName = delivery.store.name
            door = disclosure.customerAndDoor ? delivery.door : nil
            timeZone = delivery.store.timeZone
            status = delivery.status.code
            courierStatus = delivery.status.courierStatus
            phase = delivery.phase
            flags = delivery.flags.sorted()
            holdReason = disclosure.reasons && delivery.flags.contains(.onHold) ? delivery.reason : nil
            courier = disclosure.courier ? delivery.courier?.id : nil
            courierName = disclosure.courier ? delivery.courier?.name : nil
            fetchedFrom = disclosure.courier ? delivery.fetchedFrom?.name : nil
            promise = delivery.promise
            self.risk = risk
            self.lateMinutes = lateMinutes
            self.missProbability = missProbability
            // An estimate for a removed courier is meaningless.
            self.estimate = delivery.courier == nil ? nil : estimate
            statusSince = delivery.statusSince
            endedAt = delivery.endedAt
            disputedAt = disclosure.reasons ? delivery.disputedAt : nil
            feedback = disclosure.feedback ? FeedbackBody(delivery) : nil
            undecidedSince = disclosure.reasons ? delivery.proof?.undecidedSince : nil
            handedOverAt = disclosure.reasons ? delivery.proof?.handedOverAt : nil
            correctionsDue = disclosure.reasons ? delivery.correctionsDue : nil
            version = delivery.version
            self.cards = cards
        }
    }

    /// The state of a delivery against its promise; after an attempt no better than `at_risk`, whatever was estimated
    /// before.
    public enum Risk: String, CaseIterable, Codable, Sendable {
        case late
        case atRisk = "at_risk"
        case onTime = "on_time"
        case ended
    }

    /// The state of the delivery's cards.
    public struct Cards: Codable, Sendable {
        public let count: Int
        public let behind: Int
        public let reason: String?

        public init(count: Int, behind: Int, reason: String?) {
            self.count = count
            self.behind = behind
            self.reason = reason
        }
    }
}
