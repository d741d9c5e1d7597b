internal import Foundation
internal import NatsClient

/// The store of unsent rows, which leases and settles them.
///
/// Each call is one short transaction.
protocol OutboxStore: Sendable {
    /// Leases rows that no other relay holds, the longest waiting first.
    func lease(rowsMax: Int, for duration: Duration) async throws -> [UnsentRow]
    /// Applies the outcomes of leased rows, even after the loss of a lease, since publishing twice does no harm.
    func settle(_ outcomes: [(row: UnsentRow, outcome: PublishOutcome)]) async throws
}

/// Publishes messages to a stream; one result per message, in the same order.
protocol OutboxPublisher: Sendable {
    func publish(_ messages: [OutgoingMessage], timeout: Duration) async -> [Result<PublishAck, NatsError>]
}

/// One batch of the relay: lease, publish, settle.
///
/// The process may end between any two steps. A leased row is leased again after the lease's end; a published row that
/// was not deleted is published again under the same id, which the broker deduplicates. No message is lost.
struct RelayBatch<Store: OutboxStore, Publisher: OutboxPublisher> {
    struct Counts: Sendable, Equatable {
        var leased = 0
        /// The ids of the leased rows.
        var ids: Set<UUID> = []
        /// The acknowledgements of the published messages.
        var acknowledgements: [PublishAck] = []
        var published = 0
        /// The keys of the published messages' elements, by subject.
        var keys: [String: Set<String>] = [:]
        /// Messages postponed because the broker is unavailable or has no stream for them.
        var postponed = 0
        /// Refused, and kept for another attempt.
        var failed = 0
        var dead = 0
        /// The error where no message could be published.
        var connectionError: String?
        /// The first error where the broker answered and stored none of the messages.
        var storageError: String?
    }

    var store: Store
    var publisher: Publisher
    var rowsMax: Int
    var leaseDuration: Duration
    var publishTimeout: Duration
    var attemptsMax: Int

    /// - Throws: whatever the store throws.
    func run() async throws -> Counts {
        let rows = try await store.lease(rowsMax: rowsMax, for: leaseDuration)
        guard !rows.isEmpty else { return Counts() }
        let (outcomes, results) = await publish(rows)
        try await store.settle(outcomes)
        return Counts(outcomes, results)
    }

    /// Publishes rows in their order, and settles nothing.
    func publish(
        _ rows: [UnsentRow]
    ) async -> (outcomes: [(row: UnsentRow, outcome: PublishOutcome)], results: [Result<PublishAck, NatsError>]) {
        let spans = rows.map { ProducerSpan($0.message) }
        let results = await publisher.publish(
            zip(rows, spans).map { $0.outgoing(headers: $1.headers) }, timeout: publishTimeout)
        for (span, result) in zip(spans, results) { span.end(result) }
        let outcomes = zip(rows, results).map { row, result in
            (row: row, outcome: PublishOutcome(result, of: row, attemptsMax: attemptsMax))
        }
        return (outcomes, results)
    }
}

extension RelayBatch.Counts {
    init(_ outcomes: [(row: UnsentRow, outcome: PublishOutcome)], _ results: [Result<PublishAck, NatsError>]) {
        leased = outcomes.count
        ids = Set(outcomes.map(\.row.message.id))
        // The outcome of each row keeps its error; only acknowledgements are collected here.
        acknowledgements = results.compactMap { try? $0.get() }
        for (row, outcome) in outcomes {
            switch outcome {
            case .published:
                published += 1
                let keys = MessageBatch.values(of: MessageBatch.keysHeader, in: row.message.headers)
                self.keys[row.message.subject, default: []].formUnion(keys.compactMap(\.self))
            case .postponed: postponed += 1
            case .failed: failed += 1
            case .dead: dead += 1
            }
        }
        for case .failure(let error) in results where published == 0 && error.isAboutConnection {
            connectionError = "\(error)"
        }
        if connectionError == nil, postponed > 0, postponed == leased {
            for case .postponed(_, let error) in outcomes.map(\.outcome) {
                storageError = error
                break
            }
        }
    }
}

/// Rows remain because the broker did not accept them.
struct BrokerAway: Error, CustomStringConvertible {
    let description: String
}

extension UnsentRow {
    fileprivate func outgoing(headers: [String: String]) -> OutgoingMessage {
        OutgoingMessage(
            subject: message.subject, payload: message.payload, headers: headers,
            messageID: message.id.uuidString.lowercased())
    }
}

/// JetStream as the relay sees it.
struct JetStreamPublisher: OutboxPublisher {
    let nats: NatsClient

    func publish(_ messages: [OutgoingMessage], timeout: Duration) async -> [Result<PublishAck, NatsError>] {
        await nats.jetStream.publish(messages, timeout: timeout)
    }
}
