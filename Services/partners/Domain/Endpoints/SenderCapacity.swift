import DoorstepAPI
import OrderDomain

/// Allocates a process's concurrent attempts: each store and each endpoint has a share of them.
///
/// A receiver that answers late holds its slot until then. So all slow endpoints of a store share an eighth of the
/// slots, an endpoint has fewer slots the later it answers, and the last quarter of the slots is for stores that have
/// few attempts in flight. Endpoints that answer quickly release their slots at once. So they may have all other slots,
/// and the process prefetches their next events.
struct SenderCapacity: Sendable {
    /// The slots of a process.
    struct Limits: Hashable, Sendable {
        let total: Int
        /// The slots of one store's slow endpoints.
        let slow: Int
        /// Slots that are assigned last, each to an endpoint without an attempt in flight.
        let kept: Int
        /// The number of attempts in flight up to which a share may use the kept slots.
        let keptPerShare = 4
        /// Events of quick endpoints that wait in memory for a slot.
        let prefetched: Int
        /// The same for one endpoint: two rounds of its attempts, a second at the slowest.
        let prefetchedPerEndpoint = 2 * EndpointHealth.inFlightMax

        init(total: Int) {
            self.total = total
            slow = max(total / 8, 1)
            kept = total / 4
            prefetched = total
        }

        /// The slots of a share.
        func slots(of share: Share) -> Int { share.isQuick ? total - kept : slow }
    }

    /// Endpoints that share slots: a store's endpoints that answer quickly, or the store's other endpoints.
    ///
    /// The endpoints for all stores count as one store.
    struct Share: Hashable, Sendable {
        let store: StoreID?
        /// False before the first answer.
        let isQuick: Bool
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
        /// Whether the endpoint has room for more than these rows.
        let isPart: Bool
        let share: Share
        /// Leased events of the endpoint, and of all endpoints of its share: those in flight, and those that wait for it.
        let leased: Int
        let shareLeased: Int
        /// The events that the share may have leased.
        let shareMax: Int
    }

    private struct Load {
        var store: StoreID?
        var healthMax = EndpointHealth.inFlightMax
        var inFlight = 0
        var prefetched = 0
        /// A moving average; nil before the first answer.
        var answerSeconds: Double?

        var share: Share {
            Share(store: store, isQuick: answerSeconds.map { $0 <= SenderCapacity.answerSeconds.quick } ?? false)
        }

        var inFlightMax: Int { min(healthMax, SenderCapacity.inFlightMax(answerSeconds: answerSeconds)) }
    }

    /// The events of a share's endpoints.
    private struct Total {
        var inFlight = 0
        var prefetched = 0
    }

    /// Seconds up to which an endpoint that answers has its whole quota, and from which it has one attempt at a time.
    static let answerSeconds = (quick: 0.5, slow: 2.0)
    /// The share of each answer in the average: about the last four count.
    private static let newestShare = 0.25

    let limits: Limits
    private(set) var inFlight = 0
    private(set) var prefetched = 0
    private var loads: [EndpointID: Load] = [:]
    private var totals: [Share: Total] = [:]

    init(_ limits: Limits) { self.limits = limits }

    /// Whether only the kept slots are left.
    var isFull: Bool { inFlight >= limits.total - limits.kept }

    /// Whether so few events wait in memory that the next lease should begin.
    var needsPrefetching: Bool { prefetched <= limits.prefetched / 4 }

    /// The endpoints of shares whose slots are all occupied.
    var endpointsOfFullShares: Set<EndpointID> {
        Set(loads.filter { total(of: $0.value.share).inFlight >= limits.slots(of: $0.value.share) }.keys)
    }

    /// Whether the endpoint answers as quickly as one must for its events to be prefetched.
    func isQuick(_ endpoint: EndpointID) -> Bool { loads[endpoint]?.share.isQuick ?? false }

    /// Whether there is a slot for an attempt to the endpoint.
    func hasRoom(for endpoint: EndpointID) -> Bool {
        guard let load = loads[endpoint], load.inFlight < load.inFlightMax else { return false }
        let shareInFlight = total(of: load.share).inFlight
        guard shareInFlight < limits.slots(of: load.share) else { return false }
        return !isFull || load.inFlight == 0 && shareInFlight < limits.keptPerShare && inFlight < limits.total
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
    /// The rows of a share are about twice what it may still lease, or one of each endpoint: with many endpoints, most
    /// of the rows that each has room for would be read in vain.
    /// - Parameter endpoints: the endpoints that may receive events; of two with equal load the earlier is first.
    mutating func quotas(of endpoints: [Endpoint]) -> [LeaseQuota] {
        let known = Set(endpoints.map(\.id))
        loads = loads.filter { $0.value.inFlight + $0.value.prefetched > 0 || known.contains($0.key) }
        for endpoint in endpoints {
            change(endpoint.id) {
                $0.store = endpoint.store
                $0.healthMax = endpoint.health.inFlightMax
            }
        }
        let counts = endpoints.reduce(into: [:]) { $0[load(of: $1).share, default: 0] += 1 }
        return endpoints.flatMap { endpoint -> [LeaseQuota] in
            let load = load(of: endpoint)
            let share = load.share
            let total = total(of: share)
            let shareLeased = total.inFlight + total.prefetched
            // What the others have prefetched leaves the share fewer.
            let ahead = share.isQuick ? limits.prefetched - (prefetched - total.prefetched) : 0
            let shareMax = limits.slots(of: share) + ahead
            let most = load.inFlightMax + (share.isQuick ? limits.prefetchedPerEndpoint : 0)
            let free = min(most - load.inFlight - load.prefetched, shareMax - shareLeased)
            guard free > 0 else { return [] }
            func quota(isReplay: Bool, rows: Int) -> LeaseQuota {
                LeaseQuota(
                    queue: .init(endpoint: endpoint.id, isReplay: isReplay), rows: rows, isPart: rows < free,
                    share: share, leased: load.inFlight + load.prefetched, shareLeased: shareLeased,
                    shareMax: shareMax)
            }
            guard endpoint.health.disabled == nil else { return [quota(isReplay: true, rows: 1)] }
            let rows = min(free, max(2 * (shareMax - shareLeased) / counts[share, default: 1], 1))
            return [quota(isReplay: true, rows: 1), quota(isReplay: false, rows: rows)]
        }
    }

    private func load(of endpoint: Endpoint) -> Load { loads[endpoint.id] ?? Load() }

    private func total(of share: Share) -> Total { totals[share] ?? Total() }

    /// Changes an endpoint's load, and the totals of its share with it; it may belong to another share afterwards.
    private mutating func change(_ endpoint: EndpointID, _ change: (inout Load) -> Void) {
        let former = loads[endpoint]
        var load = former ?? Load()
        change(&load)
        loads[endpoint] = load
        if let former { add(former, times: -1) }
        add(load, times: 1)
    }

    private mutating func add(_ load: Load, times sign: Int) {
        inFlight += sign * load.inFlight
        prefetched += sign * load.prefetched
        guard load.inFlight + load.prefetched > 0 else { return }
        var total = total(of: load.share)
        total.inFlight += sign * load.inFlight
        total.prefetched += sign * load.prefetched
        totals[load.share] = total.inFlight + total.prefetched > 0 ? total : nil
    }

    /// Occupies a slot for an attempt to an endpoint with room.
    mutating func begin(_ endpoint: EndpointID) { change(endpoint) { $0.inFlight += 1 } }

    /// Releases the slot of an attempt.
    ///
    /// - Parameter seconds: the attempt's duration; nil for one that was not made.
    mutating func end(_ endpoint: EndpointID, after seconds: Double?) {
        guard let load = loads[endpoint], load.inFlight > 0 else { return }
        change(endpoint) { load in
            load.inFlight -= 1
            guard let seconds else { return }
            let former = load.answerSeconds ?? seconds
            load.answerSeconds = former + (seconds - former) * Self.newestShare
        }
    }

    /// Counts an event that waits in memory for a slot.
    mutating func addPrefetched(_ endpoint: EndpointID) { change(endpoint) { $0.prefetched += 1 } }

    /// Stops counting an event, which begins or is released.
    mutating func removePrefetched(_ endpoint: EndpointID) {
        guard let load = loads[endpoint], load.prefetched > 0 else { return }
        change(endpoint) { $0.prefetched -= 1 }
    }
}
