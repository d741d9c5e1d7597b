import Foundation
import OrderDomain
import ReliableMessaging

/// The durable timers of a delivery: their kinds, their keys, and when each is due.
enum DeliveryTimers {
    /// Writes step 0 of a version whose activity another service should have written.
    static let lateIntent = "late-intent"
    /// Refunds an item whose proposal the customer has not answered in time.
    static let answerOverdue = "answer-overdue"
    /// Sets the flag `delayed` once the promise has passed.
    static let promiseEnd = "promise-end"
    /// Executes a courier's press, once it can no longer be undone.
    static let courierPress = "courier-press"
    /// Counts a stop less before the courier's later deliveries, once the courier has left the door of one of them, or
    /// it has ended.
    static let tripAdvance = "trip-advance"

    /// The timers to set with a change; setting one replaces an earlier one of the same kind and key.
    ///
    /// - Parameter former: the delivery before the change; its timers with an unchanged due time are not set again.
    static func timers(for delivery: Delivery, after former: Delivery?, at now: Date) -> [DurableTimer] {
        let isSet: Set<DurableTimer> = Set(former.map { timers(for: $0, at: now) } ?? [])
        let own = timers(for: delivery, at: now).filter { timer in
            // A timer that is due has run; one of this change's own time was set by no other; and 0.27 set the timer of one
            // question alone.
            timer.kind == lateIntent || timer.kind == answerOverdue || timer.dueAt <= now || !isSet.contains(timer)
        }
        guard let stop = former.flatMap({ TripStop(left: $0, by: delivery) }) else { return own }
        return own + [
            // One timer for bags that are handed over at one door together.
            DurableTimer(kind: tripAdvance, key: stop.text, dueAt: now, payload: Array(stop.text.utf8))
        ]
    }

    /// A stop of a courier's trip that is done, was left undone or was cancelled: the payload of a `tripAdvance` timer.
    struct TripStop: Hashable, Sendable {
        let courier: CourierID
        let stopsBefore: Int
        let door: Coordinate
        /// Whether the delivery ended before it was picked up.
        let isCancelledInStore: Bool

        private static let cancelledInStore = "store"

        var text: String {
            let place = "\(courier) \(stopsBefore) \(door.latitude) \(door.longitude)"
            return isCancelledInStore ? place + " " + Self.cancelledInStore : place
        }

        init?(_ text: String) {
            let parts = text.split(separator: " ").map(String.init)
            guard parts.count == 4 || parts.count == 5 && parts[4] == Self.cancelledInStore,
                let courier = CourierID(rawValue: parts[0]), let stopsBefore = Int(parts[1]),
                let latitude = Double(parts[2]), let longitude = Double(parts[3]),
                let door = Coordinate(latitude: latitude, longitude: longitude)
            else { return nil }
            (self.courier, self.stopsBefore, self.door) = (courier, stopsBefore, door)
            isCancelledInStore = parts.count == 5
        }

        /// The stop of a delivery that ends, is handed over by the courier's word, goes back or is left undone at its
        /// door; nil for any other change.
        ///
        /// A delivery that was left undone leaves its stop again only after another try.
        ///
        /// A delivery that gets another courier and goes on leaves the stops of the former one as they are: a move of
        /// several deliveries is made against the versions that its preview had. An end that names another courier, as
        /// a provider's report may, is still the end of the former one's stop.
        init?(left former: Delivery, by next: Delivery) {
            guard let courier = former.courier?.id, courier == next.courier?.id || next.status.isEnded else {
                return nil
            }
            switch former.status {
            case .preparing:
                guard next.status.isEnded else { return nil }
                isCancelledInStore = true
            case .handedOver:
                guard former.isDoorAhead, !next.isDoorAhead else { return nil }
                isCancelledInStore = false
            }
            (self.courier, stopsBefore, door) = (courier, former.stopsBefore, former.door)
        }

        /// The deliveries of a trip that have this stop before them no more.
        ///
        /// A delivery that has as many other doors before it as it counts keeps its number: one that was reopened, or that
        /// the courier got since, is before it again.
        ///
        /// A stop in the store is of the trip that lacks one at its place: a courier who is on the way may have the
        /// next trip already, with places of its own.
        ///
        /// - Parameters:
        ///   - trip: the courier's live deliveries.
        ///   - place: the stops before a delivery when this one was done.
        func later(of trip: [Delivery], place: (Delivery) -> Int) -> [Delivery] {
            let parts = [trip.filter(Self.isInStore), trip.filter { !Self.isInStore($0) }]
            let trips = isCancelledInStore ? parts : [trip]
            let later: [Delivery] = trips.flatMap { trip in
                trip.contains { isStop(of: $0, place: place($0)) } ? [] : trip.filter { place($0) > stopsBefore }
            }
            return later.filter { Self.doorsBefore($0, on: trip) < $0.stopsBefore }
        }

        /// The other doors that still come before a delivery: of what is in the store for one in the store, else of what
        /// is carried.
        private static func doorsBefore(_ delivery: Delivery, on trip: [Delivery]) -> Int {
            let isInStore = Self.isInStore(delivery)
            let before = trip.filter { other in
                other.stopsBefore < delivery.stopsBefore && other.door != delivery.door
                    && (isInStore ? Self.isInStore(other) : other.isDoorAhead)
            }
            return Set(before.map(\.door)).count
        }

        /// Whether a delivery keeps this stop on the trip.
        private func isStop(of other: Delivery, place: Int) -> Bool {
            guard place == stopsBefore else { return false }
            if isCancelledInStore { return Self.isInStore(other) || other.isDoorAhead }
            return other.isDoorAhead && other.door == door
        }

        private static func isInStore(_ delivery: Delivery) -> Bool {
            if case .preparing = delivery.status { true } else { false }
        }
    }

    private static func timers(for delivery: Delivery, at now: Date) -> [DurableTimer] {
        var timers: [DurableTimer] = []
        if !OrderIntents.writesActivity(delivery) {
            let dueAt = now.addingTimeInterval(OrderIntents.lateIntentSeconds)
            timers.append(DurableTimer(kind: lateIntent, key: delivery.id.rawValue, dueAt: dueAt))
        }
        if let dueAt = delivery.needsCustomerUntil {
            // Customers read one deadline for all questions, so none is closed before it.
            for item in delivery.items where item.status == .substituteProposed {
                let key = AnswerKey(delivery: delivery.id, item: item.id, proposal: item.proposals)
                timers.append(DurableTimer(kind: answerOverdue, key: key.text, dueAt: dueAt))
            }
        }
        // Goods whose hand-over is reported, and has yet to be confirmed, are no longer late.
        if !delivery.status.isEnded, !delivery.flags.contains(.delayed), delivery.reportedHandOverAt == nil {
            timers.append(DurableTimer(kind: promiseEnd, key: delivery.id.rawValue, dueAt: delivery.promise.end))
        }
        return timers
    }

    /// The key of an `answerOverdue` timer: one proposal of one item.
    struct AnswerKey: Hashable, Sendable {
        let delivery: DeliveryID
        let item: ItemID
        let proposal: Int

        var text: String { "\(delivery)/\(item)/\(proposal)" }
    }
}

extension DeliveryTimers.AnswerKey {
    init?(_ text: String) {
        let parts = text.split(separator: "/").map(String.init)
        guard parts.count == 3, let delivery = DeliveryID(rawValue: parts[0]), let item = ItemID(rawValue: parts[1]),
            let proposal = Int(parts[2])
        else { return nil }
        self.init(delivery: delivery, item: item, proposal: proposal)
    }
}
