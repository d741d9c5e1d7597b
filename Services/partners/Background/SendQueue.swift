import DoorstepAPI
import WebhookSignatures

/// A process's leased events: those in flight, and those of quick endpoints that wait in memory for a slot.
///
/// An endpoint's events wait only while it answers quickly and nothing fails. Otherwise they are given back to the queue,
/// where its new state decides when they are sent, and by which process.
struct SendQueue: Sendable {
    /// One event with everything needed to send it.
    struct Work: Sendable {
        let leased: EventRepository.Leased
        let leasedAt: ContinuousClock.Instant
        let url: String
        let keys: [WebhookKey]
    }

    var capacity: SenderCapacity
    private let waitMax: Duration
    private var waiting: [Work] = []
    private var isClosed = false

    /// - Parameter waitMax: the time after its lease within which an event may begin; the rest of the lease is for its attempt.
    init(_ capacity: SenderCapacity, waitMax: Duration) {
        self.capacity = capacity
        self.waitMax = waitMax
    }

    /// Begins what there is a slot for, in this order, and keeps what may wait for one.
    ///
    /// - Returns: the attempts to make, the number of events that wait, and the events to give back.
    mutating func accept(_ work: [Work]) -> (begun: [Work], waiting: Int, unsent: [EventRepository.Leased]) {
        var (begun, unsent): ([Work], [EventRepository.Leased]) = ([], [])
        let before = waiting.count
        for one in work {
            if isClosed {
                unsent.append(one.leased)
            } else if capacity.hasRoom(for: one.leased.endpoint) {
                capacity.begin(one.leased.endpoint)
                begun.append(one)
            } else if capacity.isQuick(one.leased.endpoint) {
                capacity.addPrefetched(one.leased.endpoint)
                waiting.append(one)
            } else {
                unsent.append(one.leased)
            }
        }
        return (begun, waiting.count - before, unsent)
    }

    /// Ends an attempt, and begins the next event that there is a slot for.
    ///
    /// - Parameters:
    ///   - seconds: the attempt's duration.
    ///   - hasFailed: whether its endpoint may be paused or disabled now.
    /// - Returns: the attempt to make, and the events to give back.
    mutating func end(
        _ endpoint: EndpointID, after seconds: Double, hasFailed: Bool, at now: ContinuousClock.Instant
    ) -> (next: Work?, unsent: [EventRepository.Leased]) {
        capacity.end(endpoint, after: seconds)
        var unsent: [EventRepository.Leased] = []
        if hasFailed || !capacity.isQuick(endpoint) { unsent += remove { $0.leased.endpoint == endpoint } }
        // The first has waited for the longest time.
        if let first = waiting.first, now - first.leasedAt > waitMax {
            let waitMax = waitMax
            unsent += remove { now - $0.leasedAt > waitMax }
        }
        guard let place = waiting.firstIndex(where: { capacity.hasRoom(for: $0.leased.endpoint) }) else {
            return (nil, unsent)
        }
        let next = waiting.remove(at: place)
        capacity.removePrefetched(next.leased.endpoint)
        capacity.begin(next.leased.endpoint)
        return (next, unsent)
    }

    /// Removes the waiting events of endpoints that were deleted, disabled, paused or moved since their lease.
    ///
    /// - Parameter endpoints: the endpoints that may receive events now.
    /// - Returns: the events to give back.
    mutating func removeOutdated(by endpoints: [Endpoint]) -> [EventRepository.Leased] {
        let present = Dictionary(uniqueKeysWithValues: endpoints.map { ($0.id, $0) })
        return remove { work in
            guard let endpoint = present[work.leased.endpoint] else { return true }
            return endpoint.url != work.url || (endpoint.health.disabled != nil && !work.leased.isReplay)
        }
    }

    /// Begins nothing more.
    ///
    /// - Returns: the events to give back.
    mutating func close() -> [EventRepository.Leased] {
        isClosed = true
        return remove { _ in true }
    }

    private mutating func remove(where condition: (Work) -> Bool) -> [EventRepository.Leased] {
        let removed = waiting.filter(condition).map(\.leased)
        waiting.removeAll(where: condition)
        for one in removed { capacity.removePrefetched(one.endpoint) }
        return removed
    }
}
