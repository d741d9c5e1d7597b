package import Foundation
internal import PostgresClient

/// A message or timer that could not be handled or published, kept until an operator settles it.
package struct DeadLetter: Hashable, Sendable {
    package enum Origin: String, Sendable, PostgresBindable, PostgresDecodable {
        /// A received message whose handler failed, or that could not be decoded.
        case message
        /// An outbox message that the broker refused.
        case outbox
        /// A timer whose handler failed.
        case timer
    }

    package enum State: String, CaseIterable, Sendable, PostgresBindable, PostgresDecodable {
        /// The handler failed and the message will be redelivered; not yet a dead letter.
        case failing
        /// Waits for an operator.
        case open
        /// An operator retries it, and its consumer has not handled it yet.
        case retrying
        case retried
        case dropped
    }

    package var id: UUID
    package var origin: Origin
    /// The consumer that could not handle it, when it came from a stream.
    package var consumer: String?
    package var stream: String?
    package var streamSequence: Int?
    /// When the stream stored it.
    package var storedAt: Date?
    /// The id it was published under; of a timer its key.
    package var messageID: String?
    /// The message's subject; for a timer, its kind.
    package var subject: String
    package var payload: [UInt8]
    package var headers: [String: String]
    /// The last failure.
    package var error: String
    package var attempts: Int
    /// Wall time of the last attempt.
    package var occurredAt: Date
    package var state: State
    /// Why an operator dropped it.
    package var reason: String?

    /// The payload as text, where it is UTF-8.
    package var text: String? { String(validating: payload, as: UTF8.self) }

    /// The keys of its elements; nil where they have none.
    package var about: String? {
        let keys = MessageBatch.values(of: MessageBatch.keysHeader, in: headers).compactMap(\.self)
        return keys.isEmpty ? nil : keys.joined(separator: ", ")
    }

    init(_ row: PostgresRow) throws {
        id = try row.decode("dead_letter_id")
        origin = try row.decode("origin")
        consumer = try row.decode("consumer")
        stream = try row.decode("stream")
        streamSequence = try row.decode("stream_sequence")
        storedAt = try row.decode("stored_at")
        messageID = try row.decode("message_id")
        subject = try row.decode("subject")
        payload = try row.decode("payload")
        headers = try row.decodeJSON("headers")
        error = try row.decode("error")
        attempts = try row.decode("attempts")
        occurredAt = try row.decode("occurred_at")
        state = try row.decode("state")
        reason = try row.decode("reason")
    }
}

/// One page of dead letters, newest first.
package struct DeadLetterPage: Sendable {
    package var deadLetters: [DeadLetter]
    /// The cursor of the next page; nil on the last.
    package var next: UUID?
}

/// Why a dead letter cannot be retried or dropped.
package enum DeadLetterError: Error, Hashable, Sendable {
    case notFound
    /// The dead letter is settled already, or still being retried.
    case notOpen(DeadLetter.State)
    /// The message is older than the ended deliveries that the service keeps: one that it no longer knows would be live
    /// again.
    case tooOld
}
