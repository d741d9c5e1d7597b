package import Foundation
package import PostgresClient
internal import WireCoding

/// A message that exists exactly if the transaction that enqueued it was committed.
package struct OutboxMessage: Hashable, Sendable {
    /// The broker stores one message per id within its duplicate window.
    package var id: UUID
    package var subject: String
    package var payload: [UInt8]
    /// Headers such as `traceparent`, and the keys of its elements.
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
        id: UUID = UUID(), subject: String, key: String? = nil, encoding value: some Encodable,
        headers: [String: String] = [:]
    ) throws {
        self.init(id: id, subject: subject, key: key, payload: [UInt8](try WireJSON.encode(value)), headers: headers)
    }

    /// - Parameter key: names what the message is about, for readers of notifications; without commas.
    package init(
        id: UUID = UUID(), subject: String, key: String?, payload: [UInt8], headers: [String: String] = [:]
    ) {
        self.init(id: id, subject: subject, payload: payload, headers: headers)
        self.headers[MessageBatch.keysHeader] = key
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

    /// Enqueues several messages for the relay, in one round trip and all or none, those of a subject as one.
    /// - Throws: ``PostgresError``.
    package func enqueue(_ messages: [OutboxMessage]) async throws {
        guard !messages.isEmpty else { return }
        try await batch(OutboxBatch(messages).insertion)
    }
}
