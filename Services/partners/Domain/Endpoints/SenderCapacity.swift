import DoorstepAPI
import OrderDomain

/// Allocates a process's concurrent attempts: each store and each endpoint has a share of them.
///
/// A receiver that answers late holds a slot for as long. So a store has an eighth of the slots however many endpoints it
/// has, an endpoint has fewer the later it answers, and the last quarter of the slots is for stores that have few attempts
/// in flight.
struct SenderCapacity: Sendable {
    /// The slots of a process.
    struct Limits: Hashable, Sendable {
        let total: Int
        /// The slots of one store; the endpoints for all stores count as one store.
        let store: Int
        /// Slots that are assigned last, each to an endpoint without an attempt in flight.
        let kept: Int
        /// The number of attempts in flight up to which a store may use the kept slots.
        let keptPerStore = 4

        init(total: Int) {
            self.total = total
            store = max(total / 8, 1)
            kept = total / 4
        }
    }

    /// The number of events to lease from an endpoint's queue.
    struct LeaseQuota: Hashable, Sendable {
        /// An endpoint's replays, or its other waiting events.
        struct Queue: Hashable, Sendable {
            let endpoint: EndpointID
            let isReplay: Bool
        }

        let queue: Queue
        let rows: Int
        let store: StoreID?
        /// Attempts in flight to the endpoint, and to all endpoints of its store.
        let inFlight: Int
        let storeInFlight: Int
    }

    private struct Load {
        var store: StoreID?
        var inFlight = 0
        /// A moving average; nil before the first answer.
        var answerSeconds: Double?
    }

    /// Seconds up to which an endpoint that answers has its whole quota, and from which it has one attempt at a time.
    static let answerSeconds = (quick: 0.5, slow: 2.0)
    /// The share of each answer in the average: about the last four count.
    private static let newestShare = 0.25

    let limits: Limits
    private(set) var inFlight = 0
    private var loads: [EndpointID: Load] = [:]
    private var stores: [StoreID?: Int] = [:]

    init(_ limits: Limits) { self.limits = limits }

    /// Whether only the kept slots are left.
    var isFull: Bool { inFlight >= limits.total - limits.kept }

    /// The endpoints of stores that have their whole share in flight.
    var endpointsOfFullStores: Set<EndpointID> {
        Set(loads.filter { stores[$0.value.store, default: 0] >= limits.store }.keys)
    }

    /// The concurrent attempts to an endpoint with this response time in seconds.
    static func inFlightMax(answerSeconds: Double?) -> Int {
        let slowness =
            ((answerSeconds ?? 0) - Self.answerSeconds.quick)
            / (Self.answerSeconds.slow - Self.answerSeconds.quick)
        let most = Double(EndpointHealth.inFlightMax)
        return Int((most - min(max(slowness, 0), 1) * (most - 1)).rounded(.down))
    }

    /// The room for each endpoint's queue: replays first; a disabled endpoint has room for replays alone.
    ///
    /// - Parameter endpoints: the endpoints that may receive events; of two with equal load the earlier is first.
    mutating func quotas(of endpoints: [Endpoint]) -> [LeaseQuota] {
        let known = Set(endpoints.map(\.id))
        loads = loads.filter { $0.value.inFlight > 0 || known.contains($0.key) }
        return endpoints.flatMap { endpoint -> [LeaseQuota] in
            loads[endpoint.id, default: Load()].store = endpoint.store
            let load = loads[endpoint.id] ?? Load()
            let storeInFlight = stores[endpoint.store, default: 0]
            let most = min(endpoint.health.inFlightMax, Self.inFlightMax(answerSeconds: load.answerSeconds))
            let free = min(most - load.inFlight, limits.store - storeInFlight)
            guard free > 0 else { return [] }
            func quota(isReplay: Bool, rows: Int) -> LeaseQuota {
                LeaseQuota(
                    queue: .init(endpoint: endpoint.id, isReplay: isReplay), rows: rows, store: endpoint.store,
                    inFlight: load.inFlight, storeInFlight: storeInFlight)
            }
            guard endpoint.health.disabled == nil else { return [quota(isReplay: true, rows: 1)] }
            return [quota(isReplay: true, rows: 1), quota(isReplay: false, rows: free)]
        }
    }

    /// Occupies a slot for an attempt to an endpoint with room.
    mutating func begin(_ endpoint: EndpointID) {
        inFlight += 1
        loads[endpoint, default: Load()].inFlight += 1
        stores[loads[endpoint]?.store, default: 0] += 1
    }

    /// Releases the slot of an attempt.
    ///
    /// - Parameter seconds: the attempt's duration; nil for one that was not made.
    mutating func end(_ endpoint: EndpointID, after seconds: Double?) {
        guard var load = loads[endpoint], load.inFlight > 0 else { return }
        inFlight -= 1
        load.inFlight -= 1
        if let seconds {
            let former = load.answerSeconds ?? seconds
            load.answerSeconds = former + (seconds - former) * Self.newestShare
        }
        loads[endpoint] = load
        let left = stores[load.store, default: 1] - 1
        stores[load.store] = left > 0 ? left : nil
    }
}
