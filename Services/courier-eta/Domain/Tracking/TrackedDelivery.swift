import ArrivalEstimate
import Foundation
import Messages
import OrderDomain

/// A delivery with its tracking state: the snapshot from `orders`, this service's state, and the number of published
/// steps.
struct TrackedDelivery: Hashable, Sendable {
    var change: DeliveryChanged
    var tracking: TrackingState
    /// Counts what this service has published about the delivery; the newest publication's number.
    var step: Int
    /// The basis of the newest estimate; it is not stored, and without it the next fix gives another estimate.
    var basis: EstimateBasis?

    var delivery: Delivery { change.delivery }

    /// Whether other stops come before it on the trip than those that its published estimate holds for.
    ///
    /// - Parameter carried: the courier's live deliveries.
    func hasOtherStops(among carried: [Delivery]) -> Bool {
        guard Stage(delivery)?.isUnderWay == true, let known = tracking.publishedStops else { return false }
        return known != StopsAhead.ids(before: delivery, among: carried)
    }

    /// The stops that its published estimate counts before it on the trip, and that come before it no more.
    ///
    /// - Parameter carried: the courier's live deliveries.
    func stopsGone(among carried: [Delivery]) -> [DeliveryID] {
        guard Stage(delivery) == .carrying, let known = tracking.publishedStops else { return [] }
        let present = Set(StopsAhead.ids(before: delivery, among: carried))
        return known.filter { !present.contains($0) }
    }

    /// Begins the way at the door that the courier left last of stops that were before it.
    mutating func beginWay(atDoorOf gone: [TrackedDelivery]) {
        let doors = gone.filter { $0.delivery.courier?.id == delivery.courier?.id }.compactMap { one in
            one.leftDoorAt.map { (place: one.delivery.door, leftAt: $0) }
        }
        guard let last = doors.max(by: { $0.leftAt < $1.leftAt }),
            last.leftAt > tracking.wayStartedAt ?? tracking.legStartedAt
        else { return }
        tracking.wayOrigin = last.place
        tracking.wayStartedAt = last.leftAt
    }

    /// When its courier left its door, with or without the goods.
    ///
    /// Nil before, and where nothing shows that they were there, or when: an operator enters a hand-over later, unless
    /// they confirm a report or the courier's word that has its time, and a cancel after pickup has the goods brought
    /// back from anywhere. An attempt before a return has counted already; a refused age check is made at the door, and
    /// the way back begins with it.
    private var leftDoorAt: Date? {
        if let handedOverAt = delivery.proof?.handedOverAt { return handedOverAt }
        return switch delivery.status {
        case .handedOver(.delivered):
            delivery.reason == nil || delivery.endKnownAt != delivery.endedAt ? delivery.statusSince : nil
        case .handedOver(.attempted): delivery.statusSince
        case .handedOver(.atDoor): delivery.isLeftUndone ? change.changedAt : nil
        case .handedOver(.returning): delivery.proof?.result(of: .age).flatMap { $0.outcome == .refused ? $0.at : nil }
        case .preparing, .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving), .handedOver(.returned),
            .handedOver(.cancelled), .handedOver(.failed):
            nil
        }
    }

    /// Begins the next step of publication.
    ///
    /// - Parameter isForScreens: false where only operators receive it: screens then keep their estimate.
    mutating func nextStep(isForScreens: Bool = true) {
        step += 1
        tracking.lastPublished.missProbability = tracking.missProbability
        guard isForScreens else { return }
        tracking.lastPublished = TrackingState.PublishedState(
            legProgress: tracking.legProgress, lastFixAt: tracking.lastFixAt, standingSince: tracking.standingSince,
            withinMetres: tracking.withinMetres, hasPhone: tracking.hasPhone,
            // Between a provider's events nothing is due, so the card holds until its window's end.
            freshUntil: delivery.isCarriedByProvider ? nil : tracking.freshUntil,
            missProbability: tracking.missProbability)
    }
}

extension TrackedDelivery {
    /// Where the goods are fetched from another courier: the place that was known stays until then.
    ///
    /// - Parameter seen: where that courier was seen in the half hour before a hand-over that the former version lacks.
    func fetchPlace(after former: Delivery?, seen: Coordinate?) -> Coordinate? {
        guard let carrier = delivery.fetchedFrom?.id else { return nil }
        return seen ?? (former?.fetchedFrom?.id == carrier ? tracking.fetchPlace : nil)
    }
}

/// A hand-over from one courier to another.
struct HandOver: Hashable, Sendable {
    /// Where the goods are fetched; nil where that is unknown, and once they are fetched.
    var place: Coordinate?
    /// When the delivery was given to the courier, and then when the goods were fetched; nil in rows of before 0.30.
    var since: Date?
}

extension TrackedDelivery {
    /// The hand-over to its courier from another one; nil without one.
    var handOver: HandOver? {
        guard tracking.fetchPlace != nil || tracking.fetchingSince != nil else { return nil }
        return HandOver(place: tracking.fetchPlace, since: tracking.fetchingSince)
    }
}

extension Sequence<TrackedDelivery> {
    /// The deliveries in the order of the trip.
    var inTripOrder: [Delivery] { map(\.delivery).sorted { $0.placeOnTrip < $1.placeOnTrip } }

    /// The hand-overs of goods from one courier to another.
    var handOvers: [DeliveryID: HandOver] {
        var found: [DeliveryID: HandOver] = [:]
        for one in self { found[one.delivery.id] = one.handOver }
        return found
    }
}
