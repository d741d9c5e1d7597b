internal import DeclaredMetrics

/// The client's metrics.
enum NatsMetrics {
    static let asyncErrors = DeclaredMetric(
        "doorstep_nats_async_errors_total",
        help: "Failures that the server or the C library reported outside of any call, by code.")
    static let connectionsLost = DeclaredMetric(
        "doorstep_nats_connections_lost_total", help: "Connections to the broker that broke.")
    static let droppedMessages = DeclaredMetric(
        "doorstep_nats_dropped_messages_total",
        help: "Unread messages of core subscriptions that were overwritten because the reader was too slow.")
    static let failedMessages = DeclaredMetric(
        "doorstep_nats_messages_failed_total",
        help: "Messages of a durable consumer whose processing threw and that were not settled by it.")
}
