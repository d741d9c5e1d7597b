internal import Foundation
internal import NatsClient

/// Where unsent rows are leased and settled.
///
/// Each call is one short transaction.
protocol OutboxStore: Sendable {
    /// Takes rows that nobody else holds, the longest waiting first.
    func lease(rowsMax: Int, for duration: Duration) async throws -> [UnsentRow]
    /// Applies what became of leased rows; those of a lost lease included, since publishing twice does no harm.
    func settle(_ fates: [(row: UnsentRow, fate: PublishFate)]) async throws
}

/// Who stores messages; one result per message, in the same order.
protocol OutboxPublisher: Sendable {
    func publish(_ messages: [OutgoingMessage], timeout: Duration) async -> [Result<PublishAck, NatsError>]
}

/// One round of the relay: lease, publish, settle.
///
/// It may end between any two of them. A row that was leased is leased again when the lease has run out; a row that was
/// published and not deleted is published again under the same id, which the broker recognises. Nothing is lost.
struct RelayPass<Store: OutboxStore, Publisher: OutboxPublisher> {
    struct Outcome: Sendable, Equatable {
        var leased = 0
        var published = 0
        /// Kept, because the broker is away or has no stream for them.
        var waiting = 0
        /// Refused, and kept for another attempt.
        var failed = 0
        var dead = 0
        /// Set when not one message could get through.
        var connectionError: String?
    }

    var store: Store
    var publisher: Publisher
    var rowsMax: Int
    var leaseDuration: Duration
    var publishTimeout: Duration
    var attemptsMax: Int

    /// - Throws: whatever the store throws.
    func run() async throws -> Outcome {
        let rows = try await store.lease(rowsMax: rowsMax, for: leaseDuration)
        guard !rows.isEmpty else { return Outcome() }
        let results = await publisher.publish(rows.map(\.outgoing), timeout: publishTimeout)
        let fates = zip(rows, results).map { row, result in
            (row: row, fate: PublishFate(result, of: row, attemptsMax: attemptsMax))
        }
        try await store.settle(fates)
        return Outcome(fates.map(\.fate), results)
    }
}

extension RelayPass.Outcome {
    fileprivate init(_ fates: [PublishFate], _ results: [Result<PublishAck, NatsError>]) {
        leased = fates.count
        for fate in fates {
            switch fate {
            case .published: published += 1
            case .waits: waiting += 1
            case .failed: failed += 1
            case .dead: dead += 1
            }
        }
        for case .failure(let error) in results where published == 0 && error.isAboutConnection {
            connectionError = "\(error)"
        }
    }
}

extension UnsentRow {
    fileprivate var outgoing: OutgoingMessage {
        OutgoingMessage(
            subject: message.subject, payload: message.payload, headers: message.headers,
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
