import ArrivalEstimate
import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Takes in what `orders` says about a delivery, and says again what we know at the new version.
struct TakeDelivery: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let watcher: Watcher
    let announcement: Announcement
    let wake: @Sendable () -> Void

    /// - Returns: whether it was news; an older or equal version changes nothing.
    @discardableResult
    func callAsFunction(_ change: DeliveryChanged) async throws -> Bool {
        let untraced: Tracing = { words in try words() }
        return try await callAsFunction([(change: change, tracing: untraced)])
    }

    /// Makes its own words part of the trace that a message came with.
    typealias Tracing = @Sendable (_ words: () throws -> [SQL]) throws -> [SQL]

    /// Takes several in, in one transaction, all or none; of several about one delivery the newest counts.
    ///
    /// - Returns: whether any of them was news.
    @discardableResult
    func callAsFunction(_ changes: [(change: DeliveryChanged, tracing: Tracing)]) async throws -> Bool {
        let now = clock.now
        let newest = Dictionary(changes.map { ($0.change.delivery.id, $0) }) { one, other in
            one.change.delivery.version < other.change.delivery.version ? other : one
        }
        let isNews = try await pool.withTransaction(retriesMax: 3) { transaction in
            let former = try await CourierETARepository.lockedDeliveries(Array(newest.keys), in: transaction)
            var statements: [SQL] = []
            // In the order of ids, as everybody locks them.
            for (id, one) in newest.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                guard let next = try await next(one.change, after: former[id], in: transaction) else { continue }
                statements += try await words(for: next, tracing: one.tracing, at: now, in: transaction)
            }
            try await transaction.commit(with: statements)
            return !statements.isEmpty
        }
        if isNews { wake() }
        return isNews
    }

    /// - Returns: nil when it is no news.
    private func next(
        _ change: DeliveryChanged, after known: WatchedDelivery?, in transaction: PostgresTransaction
    ) async throws -> WatchedDelivery? {
        var former = known
        if former == nil {
            let blank = watcher.begin(change, after: nil)
            if try await CourierETARepository.insert(blank, in: transaction) { return blank }
            // Another replica was first, and has committed since.
            former = try await CourierETARepository.lockedDelivery(change.delivery.id, in: transaction)
        }
        guard let former, former.delivery.version < change.delivery.version else { return nil }
        return watcher.begin(change, after: former)
    }

    private func words(
        for next: WatchedDelivery, tracing: Tracing, at now: Date, in transaction: PostgresTransaction
    ) async throws -> [SQL] {
        var watched = next
        var track = CourierTrack()
        var signs: [Sign] = []
        if let courier = watched.delivery.courier?.id, Stage(watched.delivery) != nil {
            track = try await CourierETARepository.track(of: courier, on: transaction)
            let carried = try await CourierETARepository.live(of: courier, on: transaction).map(\.delivery)
            signs = watcher.observe(&watched, track: track, carried: carried, now: now).signs
            // A new version is said with the newest estimate, whether or not that alone would be worth it.
            watched.watch.published = watched.watch.estimate ?? watched.watch.published
        }
        watched.nextWord()
        var statements = [try CourierETARepository.update(watched)]
        statements += try tracing { try announcement.messages(for: watched, signs: signs, at: now).map(\.insertion) }
        if let due = watcher.silentAt(watched, track: track, now: now) {
            statements.append(NoticeSilence.timer(for: watched.delivery.id, dueAt: max(due, now)).scheduling)
        }
        return statements
    }
}
