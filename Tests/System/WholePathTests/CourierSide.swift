import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import ReliableMessaging

@testable import CourierETA

/// What `courier-eta` stores and publishes.
struct CourierSide {
    private let watcher = Watcher()
    private let announcement = Announcement()
    private var watched: [DeliveryID: WatchedDelivery] = [:]
    var outbox: [OutboxMessage] = []

    /// A snapshot: the version comparison is the inbox.
    mutating func apply(_ change: DeliveryChanged, at now: Date) throws {
        let former = watched[change.delivery.id]
        guard change.delivery.version > (former?.delivery.version ?? 0) else { return }
        var next = watcher.begin(change, after: former)
        next.nextWord()
        watched[change.delivery.id] = next
        outbox += try announcement.messages(for: next, signs: [], at: now)
    }

    /// Fixes came in and gave an estimate worth showing.
    mutating func estimate(_ id: DeliveryID, seconds: Double, at now: Date) throws {
        guard var one = watched[id], one.delivery.courier != nil, !one.delivery.status.isEnded else { return }
        one.watch.published = ArrivalEstimate(
            arrivesAt: now + seconds, earliest: now + seconds * 0.8, latest: now + seconds * 1.4, madeAt: now)
        one.nextWord()
        watched[id] = one
        outbox += try announcement.messages(for: one, signs: [], at: now)
    }

    mutating func republish(at now: Date) throws {
        for one in watched.values.sorted(by: { $0.delivery.id < $1.delivery.id }) {
            outbox += try announcement.messages(for: one, signs: [], at: now)
        }
    }
}
