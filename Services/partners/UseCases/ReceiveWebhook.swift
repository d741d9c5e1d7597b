import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Stores a provider's webhook, and publishes to the services that own deliveries, in one transaction.
///
/// Concurrent webhooks share a transaction. A repeat is recognised by its key and changes nothing; an event of an
/// unknown delivery waits for ``ApplyWaiting``.
struct ReceiveWebhook: Sendable {
    /// The outcome of a webhook's events.
    struct Outcome: Hashable, Sendable {
        var kept: [ReceiptBody.State: Int] = [:]
        var repeats = 0
    }

    private let groups: GroupCommit<[Receipt], String, Outcome>

    init(pool: PostgresPool, outbox: any Outbox, applyWaiting: ApplyWaiting) {
        groups = GroupCommit(
            .init(transactionsMax: 3, requestsMax: 128), key: { $0.first.map { "\($0.source)|\($0.key)" } ?? "" },
            weight: \.count
        ) { requests in
            let receipts = requests.flatMap(\.self)
            let (kept, messages) = try await pool.withTransaction(retriesMax: 3) { transaction in
                let new = try await ReceiptRepository.insert(receipts, in: transaction)
                let kept = receipts.compactMap { receipt in new[receipt.id].map { receipt.resolved(to: $0) } }
                let applied = kept.compactMap { one in one.delivery.map { (one.receipt, $0) } }
                let messages = outbox.batch(
                    of: try applied.flatMap { receipt, delivery in
                        try ReportMessages.messages(
                            of: receipt.report, receipt.position, from: receipt.store, for: delivery)
                    })
                let reported = applied.filter { $0.0.report != nil }.map(\.1)
                try await transaction.commit(
                    with: Self.movedBodies(of: receipts, kept: Set(new.keys)) + ReceiptRepository.count(reported)
                        + messages.insertion)
                return (kept.map(\.receipt), messages)
            }
            outbox.publish(messages)
            // Deliveries that became known after the look-up of the references: the later commit sees the earlier.
            let waiting = receipts.filter { $0.state == .waiting }
            if kept.contains(where: { $0.state == .waiting }) || kept.count < receipts.count {
                try await applyWaiting(for: try await ReceiptRepository.deliveries(of: waiting, on: pool))
            }
            return Self.outcomes(of: requests, kept: kept)
        }
    }

    /// - Throws: where nothing was kept, or that is unknown: then the provider sends it again.
    func callAsFunction(_ receipts: [Receipt]) async throws -> Outcome {
        guard !receipts.isEmpty else { return Outcome() }
        return try await groups(receipts)
    }

    /// Moves the body of a webhook whose first event is a repeat to its first new event.
    private static func movedBodies(of receipts: [Receipt], kept: Set<UUID>) -> [SQL] {
        let absent = receipts.filter { $0.body != nil && !kept.contains($0.id) }
        return absent.flatMap { whole -> [SQL] in
            guard let body = whole.body,
                let first = receipts.first(where: { $0.bodyOf == whole.id && kept.contains($0.id) })
            else { return [] }
            let webhook = receipts.filter { $0.id == whole.id || $0.bodyOf == whole.id }
            return ReceiptRepository.moveBody(body, of: whole.id, to: first.id, in: webhook)
        }
    }

    private static func outcomes(of requests: [[Receipt]], kept: [Receipt]) -> [Outcome] {
        let states = Dictionary(uniqueKeysWithValues: kept.map { ($0.id, $0.state) })
        return requests.map { receipts in
            receipts.reduce(into: Outcome()) { outcome, receipt in
                if let state = states[receipt.id] {
                    outcome.kept[state, default: 0] += 1
                } else {
                    outcome.repeats += 1
                }
            }
        }
    }
}

extension Receipt {
    /// The receipt, applied to its delivery where one of its references resolves.
    func resolved(to stored: ReceiptRepository.Resolution) -> (receipt: Receipt, delivery: DeliveryID?) {
        guard let delivery = stored.delivery else { return (self, nil) }
        var receipt = self
        receipt.state = .applied
        receipt.report?.successor = stored.successor
        return (receipt, delivery)
    }
}
