import DomainTime
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient
import Synchronization

/// Applies delivery changes of `orders`: creates events for subscribed endpoints, and applies waiting receipts.
///
/// Without a subscription a delivery costs one insert at its first message and one update at its end.
struct ApplyDeliveryChange: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let applyWaiting: ApplyWaiting
    let subscriptions: SubscriptionCache
    let missedVersions: MissedVersions
    /// Domain days after which a missed version makes no event: a receiver that had it may no longer know its id.
    let eventsDays: Int
    /// Called after events were queued.
    let wake: @Sendable () -> Void
    private let known = KnownDeliveries()

    /// A change as it was received: its outline, and the whole of it, which is decoded where an endpoint subscribes.
    struct Received: Sendable {
        let outline: DeliveryOutline
        let cause: String
        let whole: @Sendable () throws -> DeliveryChanged
    }

    /// Applies several changes, in any order; a repeated change has no effect.
    ///
    /// - Throws: where versions between them are missing and `orders` does not answer; the other changes are applied.
    ///   The error of a change that cannot be read.
    func callAsFunction(_ received: [Received]) async throws {
        let subscriptions = try await subscriptions()
        let news = known.unknown(of: received.map(\.outline.id)).union(try await lost(of: received))
        var changes: [DeliveryChanged] = []
        var outlines: [DeliveryOutline] = []
        for one in received {
            let outline = one.outline
            if subscriptions.contains(where: { $0.concerns(outline.store) }) {
                changes.append(try one.whole())
            } else if news.contains(outline.id) || outline.endedAt != nil || outline.episode > 1 {
                outlines.append(outline)
            }
        }
        guard !changes.isEmpty || !outlines.isEmpty else { return }
        let gaps = try await apply(changes.map { Incoming(change: $0) }, outlines, subscriptions)
        let (left, failure) = try await fill(gaps, of: changes, subscriptions)
        try await applyWaiting(for: news.subtracting(left))
        known.insert(news.subtracting(left))
        if let failure { throw failure }
    }

    /// Makes the events of versions of a delivery that have not arrived, for endpoints that subscribed by then.
    ///
    /// - Parameter cause: of versions that are no events; nil where all are.
    /// - Throws: where `orders` does not answer.
    func catchUp(_ delivery: Delivery, _ versions: ClosedRange<Int>, without cause: String?) async throws {
        let subscriptions = try await subscriptions()
        guard subscriptions.contains(where: { $0.concerns(delivery.store.id) }) else { return }
        let missed = try await missedVersions(delivery.id, versions).filter { $0.cause != cause }
        guard !missed.isEmpty else { return }
        _ = try await apply(
            missed.map { Incoming(change: $0, wasMissed: true) }, [], subscriptions, isWhole: true)
    }

    /// The deliveries that `orders` republishes and this process knows, but the table lacks: a promoted standby may
    /// not have their commits.
    ///
    /// Every replica asks, since the one that answered the digest may be another.
    private func lost(of received: [Received]) async throws -> [DeliveryID] {
        let republished = received.filter { $0.cause == DeliveryEvent.republished }.map(\.outline)
        let unknown = known.unknown(of: republished.map(\.id))
        let doubted = republished.filter { !unknown.contains($0.id) }
        guard !doubted.isEmpty else { return [] }
        let revisions = doubted.map {
            PublishedRevision(id: $0.id.rawValue, isEnded: $0.endedAt != nil, version: $0.version)
        }
        return try await DeliveryRepository.lacking(revisions, on: pool).map { doubted[$0].id }
    }

    /// A change, and how it became known.
    private struct Incoming {
        let change: DeliveryChanged
        /// Whether this service asked for it, since its message never came.
        var wasMissed = false
    }

    /// Applies the changes of deliveries with missing versions, together with these versions.
    ///
    /// - Returns: the deliveries whose changes are not applied yet, and the reason.
    private func fill(
        _ gaps: [DeliveryID: ClosedRange<Int>], of changes: [DeliveryChanged], _ subscriptions: [Subscription]
    ) async throws -> (left: Set<DeliveryID>, failure: (any Error)?) {
        var left = Set(gaps.keys)
        for (delivery, versions) in gaps.sorted(by: { $0.key < $1.key }) {
            let missed: [DeliveryChanged]
            do { missed = try await missedVersions(delivery, versions) } catch { return (left, error) }
            let own = changes.filter { $0.delivery.id == delivery }
            let all = own.map { Incoming(change: $0) } + missed.map { Incoming(change: $0, wasMissed: true) }
            _ = try await apply(all, [], subscriptions, isWhole: true)
            left.remove(delivery)
        }
        return (left, nil)
    }

    /// - Parameters:
    ///   - incoming: changes of deliveries to whose events an endpoint subscribes.
    ///   - outlines: of deliveries without such an endpoint.
    ///   - isWhole: whether the missing versions were requested: no further ones exist.
    /// - Returns: the missing versions, by deliveries whose changes were therefore not applied.
    private func apply(
        _ incoming: [Incoming], _ outlines: [DeliveryOutline], _ subscriptions: [Subscription], isWhole: Bool = false
    ) async throws -> [DeliveryID: ClosedRange<Int>] {
        let now = clock.now
        let eventsSince = now.addingTimeInterval(-Double(eventsDays) * 86_400)
        let byDelivery = Dictionary(grouping: incoming.sorted(by: Self.precedes), by: \.change.delivery.id)
        let (hasEvents, gaps) = try await pool.withTransaction(retriesMax: 3) { transaction in
            let ids = Set(byDelivery.keys).union(outlines.map(\.id))
            var followed = try await DeliveryRepository.lockFollowed(ids.sorted(), in: transaction)
            let gaps = isWhole ? [:] : Self.gaps(byDelivery, followed)
            var newest: [DeliveryID: DeliveryOutline] = [:]
            var events: [DeliveryEvent] = []
            var recipients: [(event: EventID, endpoint: EndpointID)] = []
            for one in byDelivery.values.joined().sorted(by: Self.precedes) {
                let (change, delivery) = (one.change, one.change.delivery)
                guard gaps[delivery.id] == nil else { continue }
                newest[delivery.id] = DeliveryOutline(delivery)
                let concerned = subscriptions.filter { $0.concerns(delivery.store.id) }
                let isRepublished = change.cause == DeliveryEvent.republished
                let isNew = followed[delivery.id]?.version == nil
                var sentTo: Set<EndpointID> = []
                for event in try DeliveryEvent.events(of: change, after: followed[delivery.id]) {
                    // Skip late events for endpoints created after the change.
                    let isOfStatus = isNew || event.type != .changed
                    let subscribers = concerned.filter {
                        $0.subscribes(to: event.type)
                            && !(isRepublished && isOfStatus && $0.createdAt > delivery.statusSince)
                            && !(one.wasMissed && change.changedAt < max($0.createdAt, eventsSince))
                    }
                    sentTo.formUnion(subscribers.map(\.endpoint))
                    guard !subscribers.isEmpty, !events.contains(where: { $0.id == event.id }) else { continue }
                    events.append(event)
                    recipients += subscribers.map { (event.id, $0.endpoint) }
                }
                // Skip late originals only if every subscriber received the republished version.
                let isSummary = isRepublished && concerned.allSatisfy { sentTo.contains($0.endpoint) }
                followed[delivery.id, default: FollowedDelivery()].advance(to: delivery, isSummary: isSummary)
            }
            let others = Dictionary(outlines.map { ($0.id, $0) }) { $0.version < $1.version ? $1 : $0 }
            try await transaction.commit(
                with: DeliveryRepository.upsert(Array(newest.values), as: followed, at: now)
                    + DeliveryRepository.upsert(Array(others.values), as: [:], at: now)
                    + [DeliveryRepository.noteEnds(of: Array(newest.keys) + others.keys)]
                    + EventRepository.insert(events, for: recipients, at: now))
            return (!events.isEmpty, gaps)
        }
        if hasEvents { wake() }
        return gaps
    }

    /// By version; a republished message comes after the original of the same version.
    private static func precedes(_ one: Incoming, _ other: Incoming) -> Bool {
        func place(_ one: Incoming) -> (Int, Int) {
            (one.change.delivery.version, one.change.cause == DeliveryEvent.republished ? 1 : 0)
        }
        return place(one) < place(other)
    }

    /// The missing versions of deliveries.
    private static func gaps(
        _ incoming: [DeliveryID: [Incoming]], _ followed: [DeliveryID: FollowedDelivery]
    ) -> [DeliveryID: ClosedRange<Int>] {
        incoming.reduce(into: [:]) { gaps, one in
            gaps[one.key] = (followed[one.key] ?? FollowedDelivery()).missed(by: one.value.map(\.change))
        }
    }
}

/// Deliveries that this process knows to be in the table, as far as it remembers.
private final class KnownDeliveries: Sendable {
    /// Above this bound the whole cache is cleared: a repeated look-up costs one statement.
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
