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

    package init(id: UUID = .fromSystem(), subject: String, payload: [UInt8], headers: [String: String] = [:]) {
        self.id = id
        self.subject = subject
        self.payload = payload
        self.headers = headers
    }

    /// Encodes a message in the wire form of all Doorstep messages.
    /// - Throws: `EncodingError`.
    package init(subject: String, key: String? = nil, encoding value: some Encodable) throws {
        self.init(subject: subject, key: key, payload: [UInt8](try WireJSON.encode(value)))
    }

    /// - Parameter key: names what the message is about, for readers of notifications; without commas.
    package init(subject: String, key: String?, payload: [UInt8], headers: [String: String] = [:]) {
        self.init(subject: subject, payload: payload, headers: headers)
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

extension UUID {
    /// A random UUID (RFC 9562, version 4), by fewer calls of the system than `UUID()`, which opens a file for each.
    fileprivate static func fromSystem() -> UUID {
        var random = SystemRandomNumberGenerator()
        let (high, low) = (random.next() as UInt64, random.next() as UInt64)
        // The version is in the top four bits of the seventh byte, the variant in the top two of the ninth.
        let halves = (
            (high & ~0xF000 | 0x4000).bigEndian, (low & ~(3 << 62) | 2 << 62).bigEndian
        )
        return UUID(uuid: withUnsafeBytes(of: halves) { $0.loadUnaligned(as: uuid_t.self) })
    }
}
