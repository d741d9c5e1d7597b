import ArrivalEstimate
import Crypto
import Foundation
import OrderDomain

/// The training data in an ended delivery: its completed leg and its dwells, where they are trustworthy.
struct CompletedDelivery: Sendable {
    /// Why the leg is kept, or not; the raw value is the metric's label.
    enum Outcome: String, CaseIterable, Sendable {
        case kept
        /// The delivery ended otherwise than by a handover at its door.
        case notDelivered = "not_delivered"
        /// The delivery had ended before, so that its end is ambiguous.
        case reopened
        /// An operator set how it ended.
        case overridden
        /// The phone was never seen at the door, or the one with most fixes was elsewhere at the arrival.
        case noArrival = "no_arrival"
        case fewFixes = "few_fixes"
        /// The phone was silent for too long during the leg.
        case gap
        /// Too short or too long for a courier's leg.
        case length
    }

    let outcome: Outcome
    private(set) var leg: CompletedLeg?
    private(set) var dwells: [Dwell] = []

    static let fixesMin = 5
    static let gapSecondsMax = 180.0
    static let secondsRange = 60.0...2.0 * 3_600
    static let straightMetresMin = 100.0
    /// Seconds around a status report within which a fix must confirm the courier's place, and within how many metres.
    static let reportSeconds = 90.0
    static let reportMetres = 150.0

    /// - Parameter fixes: of the courier's phone with most of them, from the assignment to the end, in order of time.
    init(_ tracked: TrackedDelivery, fixes: [Fix]) {
        let delivery = tracked.delivery
        guard delivery.status == .handedOver(.delivered), let courier = delivery.courier,
            let endedAt = delivery.endedAt
        else {
            outcome = .notDelivered
            return
        }
        guard delivery.episode == 1 else {
            outcome = .reopened
            return
        }
        if let dwell = Self.dwellAtStore(delivery, fixes) { dwells.append(dwell) }
        guard delivery.reason == nil else {
            outcome = .overridden
            return
        }
        guard let arrived = tracked.tracking.arrivedLeg, arrived.arrivedAt <= endedAt else {
            outcome = .noArrival
            return
        }
        let door = delivery.door
        let dwellSeconds = endedAt.timeIntervalSince(arrived.arrivedAt)
        if Self.wasNear(door, at: endedAt, fixes), DwellTimes.plausible.contains(dwellSeconds) {
            dwells.append(Dwell(.door, seconds: dwellSeconds))
        }
        let ride = RecordedRide(
            courier: courier.id.rawValue, mode: TravelMode(courier.vehicle),
            utcOffset: delivery.store.secondsFromUTC(at: arrived.startedAt), origin: arrived.origin,
            since: arrived.startedAt, door: door, arrivedAt: arrived.arrivedAt,
            fixes: fixes.filter { $0.time >= arrived.startedAt && $0.time <= arrived.arrivedAt }, roads: arrived.roads)
        // Of several phones, the one with most fixes may have been left at home.
        outcome = Self.fault(of: ride) ?? (Self.wasNear(door, at: arrived.arrivedAt, fixes) ? .kept : .noArrival)
        if outcome == .kept { leg = CompletedLeg(ride, courier: Self.number(of: courier.id)) }
    }

    private static func fault(of ride: RecordedRide) -> Outcome? {
        guard ride.fixes.count >= fixesMin else { return .fewFixes }
        let times = [ride.since] + ride.fixes.map(\.time) + [ride.arrivedAt]
        let gaps = zip(times, times.dropFirst()).map { $1.timeIntervalSince($0) }
        guard gaps.allSatisfy({ $0 <= gapSecondsMax }) else { return .gap }
        guard secondsRange.contains(ride.arrivedAt.timeIntervalSince(ride.since)),
            ride.origin.distance(to: ride.door) >= straightMetresMin
        else { return .length }
        return nil
    }

    /// The dwell from the last arrival at the store until the pickup.
    private static func dwellAtStore(_ delivery: Delivery, _ fixes: [Fix]) -> Dwell? {
        let store = delivery.store.location
        guard let pickedUpAt = delivery.pickedUpAt, wasNear(store, at: pickedUpAt, fixes),
            let newest = fixes.last(where: { $0.time <= pickedUpAt })?.time
        else { return nil }
        let before = fixes.filter { $0.time <= newest }
        let atStore = before.reversed().prefix { $0.place.distance(to: store) <= CourierTrack.stopRadius }
        // A courier who was there at the first fix may have arrived much earlier.
        guard let first = atStore.last, atStore.count < before.count else { return nil }
        let seconds = pickedUpAt.timeIntervalSince(first.time)
        guard DwellTimes.plausible.contains(seconds) else { return nil }
        return Dwell(.store, store: delivery.store.id.rawValue, seconds: seconds)
    }

    /// Whether a fix around that moment confirms that the courier was near a place.
    private static func wasNear(_ place: Coordinate, at moment: Date, _ fixes: [Fix]) -> Bool {
        let nearest = fixes.min {
            abs($0.time.timeIntervalSince(moment)) < abs($1.time.timeIntervalSince(moment))
        }
        guard let nearest, abs(nearest.time.timeIntervalSince(moment)) <= reportSeconds else { return false }
        return nearest.place.distance(to: place) <= reportMetres
    }

    /// A number for a courier: reversible only with the list of couriers' ids.
    static func number(of courier: CourierID) -> Int {
        SHA256.hash(data: Data(courier.rawValue.utf8)).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
}
