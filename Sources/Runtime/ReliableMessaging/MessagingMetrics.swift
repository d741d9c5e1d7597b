internal import DeclaredMetrics

/// The metrics of outbox, inbox, timers, dead letters and resync.
enum MessagingMetrics {
    // MARK: Outbox

    static let outboxPublished = DeclaredMetric(
        "doorstep_outbox_published_total", help: "Messages of the outbox that a stream acknowledged.")
    static let outboxFailed = DeclaredMetric(
        "doorstep_outbox_failed_total",
        help: "Attempts to publish that the broker refused because of the message itself.")
    static let outboxDeadLettered = DeclaredMetric(
        "doorstep_outbox_dead_lettered_total", help: "Messages of the outbox that became dead letters.")
    static let outboxOldestUnsent = DeclaredMetric(
        "doorstep_outbox_oldest_unsent_seconds", help: "Age of the oldest message in the outbox; 0 when it is empty.")

    // MARK: Inbox

    static let messagesHandled = DeclaredMetric(
        "doorstep_messages_handled_total", help: "Elements of messages that their handler accepted, by consumer.")
    static let messagesRetried = DeclaredMetric(
        "doorstep_messages_retried_total",
        help: "Elements of messages returned for redelivery, by consumer and by cause: handler or dependency.")
    static let messagesDeadLettered = DeclaredMetric(
        "doorstep_messages_dead_lettered_total", help: "Elements of messages that became dead letters, by consumer.")

    // MARK: Timers

    static let timersFired = DeclaredMetric(
        "doorstep_timers_fired_total", help: "Timers whose handler was committed, by kind.")
    static let timersFailed = DeclaredMetric(
        "doorstep_timers_failed_total", help: "Attempts of timers' handlers that failed, by kind.")
    static let timersDeadLettered = DeclaredMetric(
        "doorstep_timers_dead_lettered_total", help: "Timers that became dead letters, by kind.")

    // MARK: Dead letters and resync

    static let deadLetters = DeclaredMetric(
        "doorstep_dead_letters",
        help: "Dead letters by state: open waits for an operator, retrying for its consumer, failing is not dead yet.")
    static let resyncCompared = DeclaredMetric(
        "doorstep_resync_compared_total",
        help: "Objects compared with readers' revisions, or republished without a comparison, by name.")
    static let resyncRepublished = DeclaredMetric(
        "doorstep_resync_republished_total",
        help: "Objects republished because a reader lacked them, or on request, by name.")
    static let resyncUnanswered = DeclaredMetric(
        "doorstep_resync_unanswered_total",
        help: "Digests that their reader did not answer, so that everything in them was republished, by subject.")
    static let resyncPage = DeclaredMetric(
        "doorstep_resync_page_seconds", help: "Time of a page of the resync, which is one transaction, by name.")
    static let consumersAhead = DeclaredMetric(
        "doorstep_consumers_ahead",
        help: "Consumers of this service's streams that are ahead of their stream and skip messages.")
    static let streamsSetBack = DeclaredMetric(
        "doorstep_streams_set_back_total",
        help: "Times that a stream was found to have lost messages, or consumers to be ahead of it.")
    static let resyncSkipped = DeclaredMetric(
        "doorstep_resync_skipped_total", help: "Rows that could not be republished, by name.")
}
