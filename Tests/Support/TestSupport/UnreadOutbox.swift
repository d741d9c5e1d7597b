package import ReliableMessaging

/// Leaves messages in the table, for tests to read.
package struct UnreadOutbox: Outbox {
    package init() {}
    package func batch(of messages: [OutboxMessage]) -> OutboxBatch { OutboxBatch(messages) }
    package func publish(_ committed: OutboxBatch) {}
}
