import ArrivalEstimate
import Crypto
import Foundation
import OrderDomain

/// What an ended delivery teaches about ways and stays, if it teaches anything.
struct FinishedRide: Sendable {
    /// Why a way is learned from, or not; the raw value is the metric's label.
    enum Outcome: String, CaseIterable, Sendable {
        case kept
        /// It ended in another way than at its door.
        case notDelivered = "not_delivered"
        /// It was ended before, and nobody knows which end counts.
        case reopened
        /// An operator said how it ended.
        case overridden
        /// The phone was never seen at the door.
        case noArrival = "no_arrival"
        case fewFixes = "few_fixes"
        /// The phone was silent for too long on the way.
        case gap
        /// Too short or too long to be a way of a courier's.
        case length
    }

    let outcome: Outcome
    private(set) var way: FinishedWay?
    private(set) var stays: [StopStay] = []

    static let fixesMin = 5
    static let gapSecondsMax = 180.0
    static let secondsRange = 60.0...2.0 * 3_600
    static let straightMetresMin = 100.0
    /// Seconds around a report within which a fix must show that the courier was where the report says, and how near.
    static let reportSeconds = 90.0
    static let reportMetres = 150.0

    /// - Parameter fixes: of the phone that the courier carried, from the assignment to the end, in order of time.
    init(_ watched: WatchedDelivery, fixes: [Fix]) {
        let delivery = watched.delivery
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
        if let stay = Self.stayAtStore(delivery, fixes) { stays.append(stay) }
        guard delivery.reason == nil else {
            outcome = .overridden
            return
        }
        guard let arrived = watched.watch.arrived, arrived.at <= endedAt else {
            outcome = .noArrival
            return
        }
        let door = Place(delivery.door)
        let stayed = endedAt.timeIntervalSince(arrived.at)
        if Self.wasNear(door, at: endedAt, fixes), StopStays.plausible.contains(stayed) {
            stays.append(StopStay(.door, seconds: stayed))
        }
        let ride = RecordedRide(
            courier: courier.id.rawValue, mode: TravelMode(courier.vehicle),
            utcOffset: delivery.store.secondsFromUTC(at: arrived.legSince), origin: arrived.legOrigin,
            since: arrived.legSince, door: door, arrivedAt: arrived.at,
            fixes: fixes.filter { $0.time >= arrived.legSince && $0.time <= arrived.at }, roads: arrived.roads)
        outcome = Self.fault(of: ride) ?? .kept
        if outcome == .kept { way = FinishedWay(ride, courier: Self.number(of: courier.id)) }
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

    /// From the last coming to the store until the pickup.
    private static func stayAtStore(_ delivery: Delivery, _ fixes: [Fix]) -> StopStay? {
        let store = Place(delivery.store.location)
        guard let pickedUpAt = delivery.pickedUpAt, wasNear(store, at: pickedUpAt, fixes),
            let came = fixes.last(where: { $0.time <= pickedUpAt })?.time
        else { return nil }
        let before = fixes.filter { $0.time <= came }
        let there = before.reversed().prefix { $0.place.distance(to: store) <= CourierTrack.stopRadius }
        // One who was there before the first fix may have been there for long.
        guard let first = there.last, there.count < before.count else { return nil }
        let seconds = pickedUpAt.timeIntervalSince(first.time)
        guard StopStays.plausible.contains(seconds) else { return nil }
        return StopStay(.store, store: delivery.store.id.rawValue, seconds: seconds)
    }

    /// Whether a fix of about that moment shows the courier near a place.
    private static func wasNear(_ place: Place, at moment: Date, _ fixes: [Fix]) -> Bool {
        let nearest = fixes.min {
            abs($0.time.timeIntervalSince(moment)) < abs($1.time.timeIntervalSince(moment))
        }
        guard let nearest, abs(nearest.time.timeIntervalSince(moment)) <= reportSeconds else { return false }
        return nearest.place.distance(to: place) <= reportMetres
    }

    /// A number for a courier: who has the couriers' ids can find whose it is, nobody else can.
    private static func number(of courier: CourierID) -> Int {
        SHA256.hash(data: Data(courier.rawValue.utf8)).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
}
