import DoorstepAPI
import OrderDomain

/// Allocates a process's concurrent attempts: each store and each endpoint has a share of them.
///
/// A receiver that answers late holds a slot for as long. So a store's slow endpoints share an eighth of the slots however
/// many they are, an endpoint has fewer the later it answers, and the last quarter of the slots is for stores that have
/// few attempts in flight. Endpoints that answer quickly give their slots back at once, so they may have all the others.
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

        init(total: Int) {
            self.total = total
            slow = max(total / 8, 1)
            kept = total / 4
        }

        /// The slots of a share.
        func slots(of share: Share) -> Int { share.isQuick ? total - kept : slow }
    }

    /// The endpoints that have slots in common: those of a store that answer quickly, or its others.
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
        /// Attempts in flight to the endpoint, and to all endpoints of its share.
        let inFlight: Int
        let shareInFlight: Int
    }

    private struct Load {
        var store: StoreID?
        var inFlight = 0
        /// A moving average; nil before the first answer.
        var answerSeconds: Double?

        var share: Share {
            Share(store: store, isQuick: answerSeconds.map { $0 <= SenderCapacity.answerSeconds.quick } ?? false)
        }
    }

    /// Seconds up to which an endpoint that answers has its whole quota, and from which it has one attempt at a time.
    static let answerSeconds = (quick: 0.5, slow: 2.0)
    /// The share of each answer in the average: about the last four count.
    private static let newestShare = 0.25

    let limits: Limits
    private(set) var inFlight = 0
    private var loads: [EndpointID: Load] = [:]

    init(_ limits: Limits) { self.limits = limits }

    /// Whether only the kept slots are left.
    var isFull: Bool { inFlight >= limits.total - limits.kept }

    /// The endpoints of shares whose slots are all occupied.
    var endpointsOfFullShares: Set<EndpointID> {
        let shares = inFlightByShare
        return Set(loads.filter { shares[$0.value.share, default: 0] >= limits.slots(of: $0.value.share) }.keys)
    }

    private var inFlightByShare: [Share: Int] {
        loads.values.reduce(into: [:]) { $0[$1.share, default: 0] += $1.inFlight }
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
    /// The rows of a share are about twice its free slots, or one of each endpoint: with many endpoints, most of the
    /// rows that each has room for would be read in vain.
    /// - Parameter endpoints: the endpoints that may receive events; of two with equal load the earlier is first.
    mutating func quotas(of endpoints: [Endpoint]) -> [LeaseQuota] {
        let known = Set(endpoints.map(\.id))
        loads = loads.filter { $0.value.inFlight > 0 || known.contains($0.key) }
        for endpoint in endpoints { loads[endpoint.id, default: Load()].store = endpoint.store }
        let shares = inFlightByShare
        let counts = endpoints.reduce(into: [:]) { $0[load(of: $1).share, default: 0] += 1 }
        return endpoints.flatMap { endpoint -> [LeaseQuota] in
            let load = load(of: endpoint)
            let share = load.share
            let shareInFlight = shares[share, default: 0]
            let shareFree = limits.slots(of: share) - shareInFlight
            let most = min(endpoint.health.inFlightMax, Self.inFlightMax(answerSeconds: load.answerSeconds))
            let free = min(most - load.inFlight, shareFree)
            guard free > 0 else { return [] }
            func quota(isReplay: Bool, rows: Int) -> LeaseQuota {
                LeaseQuota(
                    queue: .init(endpoint: endpoint.id, isReplay: isReplay), rows: rows, isPart: rows < free,
                    share: share, inFlight: load.inFlight, shareInFlight: shareInFlight)
            }
            guard endpoint.health.disabled == nil else { return [quota(isReplay: true, rows: 1)] }
            let rows = min(free, max(2 * shareFree / counts[share, default: 1], 1))
            return [quota(isReplay: true, rows: 1), quota(isReplay: false, rows: rows)]
        }
    }

    private func load(of endpoint: Endpoint) -> Load { loads[endpoint.id] ?? Load() }

    /// Occupies a slot for an attempt to an endpoint with room.
    mutating func begin(_ endpoint: EndpointID) {
        inFlight += 1
        loads[endpoint, default: Load()].inFlight += 1
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
    }
}
