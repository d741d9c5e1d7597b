import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Applies intents: each becomes its activity's wanted state, unless that is as new.
///
/// An intent of one episode ends all former ones of its delivery, and one that comes late for a former episode shows
/// nothing any more. A redelivered intent and an older one change nothing and cost one statement.
struct ApplyIntent: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let fanOut: WantedStateFanOut
    let wakeSignals: WakeSignalGroup

    /// - Returns: whether it changed the wanted state.
    /// - Throws: `RejectedMessage` for an intent that no writer of ours makes.
    @discardableResult
    func callAsFunction(_ intent: Intent) async throws -> Bool { try await callAsFunction([intent]) }

    /// Intents of one customer that share a transaction with other customers'.
    static let customerIntentsMax = 8

    /// Applies several: those of customers with a few in one transaction, then the others' by themselves.
    ///
    /// So many intents of one customer delay no other's. When it throws, some may have been applied; a repeat of those
    /// changes nothing.
    ///
    /// - Returns: whether any of them changed a wanted state.
    @discardableResult
    func callAsFunction(_ intents: [Intent]) async throws -> Bool {
        for intent in intents { if let fault = intent.fault { throw RejectedMessage(fault) } }
        var isChanged = false
        for share in Self.shares(of: Self.newest(intents)) where try await apply(share) { isChanged = true }
        return isChanged
    }

    private func apply(_ activities: [Activity]) async throws -> Bool {
        let now = clock.now
        let isChanged = try await pool.withTransaction(retriesMax: 3) { transaction in
            let changes = try await ActivityRepository.upsertWanted(activities, at: now, in: transaction)
            try await transaction.commit(with: fanOut(changes, at: now, in: transaction))
            return !changes.isEmpty
        }
        if isChanged { wakeSignals.wake() }
        return isChanged
    }

    /// What is applied in one transaction each, in this order.
    static func shares(of activities: [Activity]) -> [[Activity]] {
        let byCustomer = Dictionary(grouping: activities, by: \.customer)
        let together = activities.filter { (byCustomer[$0.customer]?.count ?? 0) <= customerIntentsMax }
        let alone = byCustomer.values.filter { $0.count > customerIntentsMax }
            .sorted { ($0.count, $0[0].customer) < ($1.count, $1[0].customer) }
            .flatMap { all in
                stride(from: 0, to: all.count, by: customerIntentsMax).map { first in
                    Array(all[first..<min(first + customerIntentsMax, all.count)])
                }
            }
        return (together.isEmpty ? [] : [together]) + alone
    }

    /// The newest intent of each activity: older ones of the same batch would never be pushed.
    private static func newest(_ intents: [Intent]) -> [Activity] {
        struct Key: Hashable {
            let activity: ActivityID
            let customer: CustomerID
        }
        var newest: [Key: Activity] = [:]
        for intent in intents {
            let key = Key(activity: intent.activity, customer: intent.customer)
            if newest[key]?.advance(to: intent.step) == nil { newest[key] = Activity(intent) }
        }
        return newest.values.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// Handles the timer of a customer's next delivery: it begins to count, so only the summary may change.
    func summaryIsDue(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let customer = CustomerID(rawValue: timer.key) else { return }
        let episode = try await ActivityRepository.lockCustomer(customer, in: transaction)
        let live = try await ActivityRepository.live(of: customer, on: transaction)
        let change = ActivityRepository.WantedChange(customer: customer, episode: episode, changed: [], live: live)
        let statements = try await fanOut([change], at: clock.now, in: transaction)
        if !statements.isEmpty { try await transaction.batch(statements) }
    }
}
