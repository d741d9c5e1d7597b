import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Takes what an activity should show from now on.
///
/// A repeat and a late word change nothing and cost one statement.
struct TakeIntent: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let change: WantedChange
    let wakeUp: Wake

    /// - Returns: whether it changed what is wanted.
    /// - Throws: `RejectedMessage` for an intent that no writer of ours makes.
    @discardableResult
    func callAsFunction(_ intent: Intent) async throws -> Bool { try await callAsFunction([intent]) }

    /// Takes several in one transaction, all or none.
    ///
    /// - Returns: whether any of them changed what is wanted.
    @discardableResult
    func callAsFunction(_ intents: [Intent]) async throws -> Bool {
        for intent in intents { try check(intent) }
        let activities = Self.newest(intents)
        let now = clock.now
        let isNews = try await pool.withTransaction(retriesMax: 3) { transaction in
            let wanted = try await ActivityRepository.want(activities, at: now, in: transaction)
            try await transaction.commit(with: change.follow(wanted, at: now, in: transaction))
            return !wanted.isEmpty
        }
        if isNews { wakeUp.wake() }
        return isNews
    }

    private func check(_ intent: Intent) throws {
        let revision = intent.step.content.revision
        guard revision.version >= 0, revision.step >= 0 else {
            throw RejectedMessage("a revision is not negative")
        }
        guard intent.step.attributes.activity == intent.activity.rawValue else {
            throw RejectedMessage("the attributes are of another activity")
        }
        guard intent.delivery != nil else { throw RejectedMessage("summaries are written by this service alone") }
    }

    /// The last word about each activity: what came before it in the same batch would never be seen.
    private static func newest(_ intents: [Intent]) -> [Activity] {
        struct Key: Hashable {
            let activity: ActivityID
            let customer: CustomerID
        }
        var newest: [Key: Activity] = [:]
        for intent in intents {
            let key = Key(activity: intent.activity, customer: intent.customer)
            if newest[key]?.want(intent.step) == nil { newest[key] = Activity(intent) }
        }
        return newest.values.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// A customer's next delivery begins to count: only the summary may change.
    func summaryIsDue(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let customer = CustomerID(rawValue: timer.key) else { return }
        let episode = try await ActivityRepository.lockCustomer(customer, in: transaction)
        let live = try await ActivityRepository.live(of: customer, on: transaction)
        let wanted = ActivityRepository.Wanted(customer: customer, episode: episode, changed: [], live: live)
        let statements = try await change.follow([wanted], at: clock.now, in: transaction)
        if !statements.isEmpty { try await transaction.batch(statements) }
    }
}
