package import Foundation
package import PostgresClient
internal import WireCoding

/// A message that exists exactly if the transaction that enqueued it was committed.
package struct OutboxMessage: Hashable, Sendable {
    /// The broker stores one message per id within its duplicate window.
    package var id: UUID
    package var subject: String
    package var payload: [UInt8]
    /// Headers such as `traceparent`.
    package var headers: [String: String]

    package init(id: UUID = UUID(), subject: String, payload: [UInt8], headers: [String: String] = [:]) {
        self.id = id
        self.subject = subject
        self.payload = payload
        self.headers = headers
    }

    /// Encodes a message in the wire form of all Doorstep messages.
    /// - Throws: `EncodingError`.
    package init(
        id: UUID = UUID(), subject: String, encoding value: some Encodable, headers: [String: String] = [:]
    ) throws {
        self.init(id: id, subject: subject, payload: [UInt8](try WireJSON.encode(value)), headers: headers)
    }
}

extension PostgresExecutor {
    /// Enqueues a message for the relay, in the caller's transaction.
    ///
    /// Wake the relay after the commit. A message without a `traceparent` header gets the current trace's.
    /// - Throws: ``PostgresError``; a unique violation when the id was enqueued and not sent yet.
    package func enqueue(_ message: OutboxMessage) async throws {
        try await enqueue([message])
    }

    /// Enqueues several messages for the relay, in one round trip and all or none.
    /// - Throws: ``PostgresError``.
    package func enqueue(_ messages: [OutboxMessage]) async throws {
        guard !messages.isEmpty else { return }
        try await batch(OutboxBatch(messages).insertion)
    }
}
