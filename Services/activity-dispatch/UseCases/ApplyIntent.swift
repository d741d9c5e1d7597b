import BackgroundWork
import DomainTime
import Foundation
import LiveActivity
import Logging
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Applies intents: each becomes its activity's wanted state, unless that state is as new.
///
/// An intent of one episode ends all former ones of its delivery, and a late intent of a former episode has no effect.
/// A redelivered intent and an older one change nothing and cost one statement.
struct ApplyIntent: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let fanOut: WantedStateFanOut
    let wakeSignals: WakeSignalGroup
    let logger: Logger
    /// Reconciles the devices in the same transaction; nil leaves them due.
    var reconcile: ReconcileDevices?
    /// The alerts for browsers; nil where notifications are off.
    var raisedAlerts: RaisedAlerts?

    /// Applies several in one transaction, all or none.
    ///
    /// - Returns: whether any of them changed a wanted state.
    /// - Throws: `RejectedMessage` for an intent that no service writes.
    @discardableResult
    func callAsFunction(_ intents: [TracedIntent]) async throws -> Bool {
        for one in intents { if let fault = one.intent.fault { throw RejectedMessage(fault) } }
        let activities = Self.newest(intents)
        let isChanged = try await apply(activities)
        if isChanged, let raisedAlerts {
            raisedAlerts.note(activities.filter { $0.wanted.alert != nil }.compactMap(\.delivery))
        }
        return isChanged
    }

    private func apply(_ activities: [Activity]) async throws -> Bool {
        if let reconcile {
            do {
                return try await apply(activities, reconcilingBy: reconcile)
            } catch let error where FailureKind(error) == .ours {
                // The dispatcher finds out which of the devices it is, and postpones that one alone.
                logger.warning(
                    "Devices could not be reconciled with their intents; they stay due",
                    metadata: ["reason": "\(error)"])
            }
        }
        let now = clock.now
        let isChanged = try await pool.withTransaction(retriesMax: 3) { transaction in
            let changes = try await ActivityRepository.upsertWanted(activities, at: now, in: transaction)
            try await transaction.commit(with: fanOut(changes, at: now, in: transaction))
            return !changes.isEmpty
        }
        if isChanged { wakeSignals.wake() }
        return isChanged
    }

    /// Applies activities and reconciles their devices in one transaction, then sends over the network.
    private func apply(_ activities: [Activity], reconcilingBy reconcile: ReconcileDevices) async throws -> Bool {
        let now = clock.now
        let (isChanged, committed) = try await pool.withTransaction(retriesMax: 3) { transaction in
            let changes = try await ActivityRepository.upsertWanted(activities, at: now, in: transaction)
            let devices = try await fanOut.devices(
                showing: changes, withOpenCards: true, at: now, in: transaction)
            let committed = try await reconcile(devices, now: now, in: transaction)
            return (!changes.isEmpty, committed)
        }
        reconcile.finish(committed)
        return isChanged
    }

    /// The newest intent of each activity: older ones of the same batch would never be pushed.
    private static func newest(_ intents: [TracedIntent]) -> [Activity] {
        struct Key: Hashable {
            let activity: ActivityID
            let customer: CustomerID
        }
        var newest: [Key: Activity] = [:]
        for (intent, traceparent) in intents {
            let key = Key(activity: intent.activity, customer: intent.customer)
            if let known = newest[key], !intent.step.isNews(after: known.wanted) { continue }
            newest[key] = Activity(intent, traceparent: traceparent)
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
