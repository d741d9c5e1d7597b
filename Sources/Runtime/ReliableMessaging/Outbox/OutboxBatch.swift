package import PostgresClient

/// The outbox: use cases enqueue the messages of their transactions here.
package protocol Outbox: Sendable {
    /// The messages on their way into the table, with the current trace among their headers.
    func batch(of messages: [OutboxMessage]) -> OutboxBatch
    /// Publishes a committed batch; returns at once.
    func publish(_ committed: OutboxBatch)
}

/// The messages of one transaction: inserted with it, and published from memory once it is committed.
///
/// All of one subject are one message and one row, up to the bounds of ``MessageBatch``.
package struct OutboxBatch: Sendable {
    package let messages: [OutboxMessage]
    /// The time for which the table's readers leave the rows to the process that publishes them from memory.
    let held: Duration

    package init(_ messages: [OutboxMessage], held: Duration = .zero) {
        self.messages = MessageBatch.joining(messages.map(\.traced))
        self.held = held
    }

    /// The statement that inserts them all; none without a message.
    package var insertion: [SQL] {
        guard !messages.isEmpty else { return [] }
        return [
            """
            INSERT INTO outbox (outbox_id, subject, payload, headers, leased_until)
            SELECT id, subject, payload, headers,
                clock_timestamp() + make_interval(secs => \(held.inSeconds)) AS leased_until
            FROM unnest(\(messages.map(\.id)), \(messages.map(\.subject))::text[],
                \(PostgresBytesArray(messages.map(\.payload))), \(PostgresJSONArray(messages.map(\.headers))))
                AS new (id, subject, payload, headers)
            """
        ]
    }
}

extension OutboxMessage {
    /// The headers by which a message continues the current trace.
    package static var currentTraceHeaders: [String: String] { TracePropagation.headers([:]) }

    /// The message with the current trace among its headers, unless they carry one already.
    package var traced: OutboxMessage {
        headers[TracePropagation.traceparent] == nil ? continuing(TracePropagation.headers(headers)) : self
    }

    /// The message with these headers too; its own win.
    package func continuing(_ traceHeaders: [String: String]) -> OutboxMessage {
        guard !traceHeaders.keys.allSatisfy({ headers[$0] != nil }) else { return self }
        var message = self
        message.headers.merge(traceHeaders) { own, _ in own }
        return message
    }
}
