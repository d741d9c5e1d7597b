import DomainTime
import DoorstepAPI
import Messages
import OrderDomain
import PostgresClient
import Synchronization

/// Takes in what `orders` tells of deliveries: makes events of it for whoever subscribes, and applies what waited.
///
/// Without a subscription a delivery costs a row when it is first heard of and one change of it at its end.
struct ApplyDeliveryChange: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let applyWaiting: ApplyWaiting
    let subscriptions: SubscriptionCache
    /// Called after events were queued.
    let wake: @Sendable () -> Void
    private let known = KnownDeliveries()

    init(
        pool: PostgresPool, clock: DomainClock, applyWaiting: ApplyWaiting, subscriptions: SubscriptionCache,
        wake: @escaping @Sendable () -> Void
    ) {
        self.pool = pool
        self.clock = clock
        self.applyWaiting = applyWaiting
        self.subscriptions = subscriptions
        self.wake = wake
    }

    /// Takes several changes in, all or none, whatever their order.
    func callAsFunction(_ changes: [DeliveryChanged]) async throws {
        let subscriptions = try await subscriptions()
        let news = known.unknown(of: changes.map(\.delivery.id))
        let concerning = changes.filter { change in
            let delivery = change.delivery
            return news.contains(delivery.id) || delivery.endedAt != nil || delivery.episode > 1
                || subscriptions.contains { $0.concerns(delivery.store.id) }
        }
        guard !concerning.isEmpty else { return }
        if try await apply(concerning, subscriptions) { wake() }
        try await applyWaiting(for: news)
        known.insert(news)
    }

    /// - Returns: whether events were queued.
    private func apply(_ changes: [DeliveryChanged], _ subscriptions: [Subscription]) async throws -> Bool {
        let now = clock.now
        return try await pool.withTransaction(retriesMax: 3) { transaction in
            let ids = Set(changes.map(\.delivery.id)).sorted()
            var followed = try await DeliveryRepository.lockFollowed(ids, in: transaction)
            var newest: [DeliveryID: Delivery] = [:]
            var events: [DeliveryEvent] = []
            var recipients: [(event: EventID, endpoint: EndpointID)] = []
            for change in changes.sorted(by: { $0.delivery.version < $1.delivery.version }) {
                let delivery = change.delivery
                newest[delivery.id] = delivery
                let concerned = subscriptions.filter { $0.concerns(delivery.store.id) }
                guard !concerned.isEmpty else { continue }
                let isRepublished = change.cause == DeliveryEvent.republished
                let isNew = followed[delivery.id]?.version == nil
                var sentTo: Set<EndpointID> = []
                for event in try DeliveryEvent.events(of: change, after: followed[delivery.id]) {
                    // Whoever subscribed after it happened is sent nothing that is published again.
                    let isOfStatus = isNew || event.type != .changed
                    let takers = concerned.filter {
                        $0.takes(event) && !(isRepublished && isOfStatus && $0.createdAt > delivery.statusSince)
                    }
                    sentTo.formUnion(takers.map(\.endpoint))
                    guard !takers.isEmpty, !events.contains(where: { $0.id == event.id }) else { continue }
                    events.append(event)
                    recipients += takers.map { (event.id, $0.endpoint) }
                }
                // An endpoint that was sent none of its events may still take those of late originals.
                let isSummary = isRepublished && concerned.allSatisfy { sentTo.contains($0.endpoint) }
                followed[delivery.id, default: FollowedDelivery()].advance(to: delivery, isSummary: isSummary)
            }
            let isFollowed = { (delivery: Delivery) in subscriptions.contains { $0.concerns(delivery.store.id) } }
            let all = Array(newest.values)
            try await transaction.commit(
                with: DeliveryRepository.upsert(all.filter(isFollowed), as: followed, at: now)
                    + DeliveryRepository.upsert(all.filter { !isFollowed($0) }, as: [:], at: now)
                    + [DeliveryRepository.noteEnds(of: all)]
                    + EventRepository.insert(events, for: recipients, at: now))
            return !events.isEmpty
        }
    }
}

/// Deliveries that this process knows to be in the table, as far as it remembers.
private final class KnownDeliveries: Sendable {
    /// Forgotten together then: to look one up again costs a statement.
    private static let countMax = 200_000

    private let ids = Mutex<Set<DeliveryID>>([])

    func unknown(of ids: [DeliveryID]) -> Set<DeliveryID> {
        self.ids.withLock { known in Set(ids.filter { !known.contains($0) }) }
    }

    func insert(_ ids: Set<DeliveryID>) {
        self.ids.withLock { known in
            if known.count + ids.count > Self.countMax { known = [] }
            known.formUnion(ids)
        }
    }
}
