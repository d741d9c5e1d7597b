public import Foundation

/// Messages that a service could not process or publish, newest first.
public struct DeadLettersBody: Codable, Sendable {
    public let deadLetters: [DeadLetterBody]
    /// The value of `?cursor=` for the next page; nil on the last.
    public let next: String?

    public init(deadLetters: [DeadLetterBody], next: String?) {
        self.deadLetters = deadLetters
        self.next = next
    }
}

public struct DeadLetterBody: Codable, Sendable {
    public let id: String
    public let subject: String
    /// The ids of the deliveries or activities that it is about; nil where the subject has them, and for a timer.
    public let about: String?
    /// The processing error.
    public let error: String
    public let attempts: Int
    /// Wall time.
    public let occurredAt: Date
    /// `open`, `retrying`, `retried` or `dropped`.
    public let state: String
    /// The message as text, where it is UTF-8; in `show` only.
    public let payload: String?

    public init(
        id: String, subject: String, about: String? = nil, error: String, attempts: Int, occurredAt: Date,
        state: String, payload: String?
    ) {
        self.id = id
        self.subject = subject
        self.about = about
        self.error = error
        self.attempts = attempts
        self.occurredAt = occurredAt
        self.state = state
        self.payload = payload
    }

    /// The subject, and the ids that it is about.
    public var title: String { about.map { "\(subject) \($0)" } ?? subject }
}

/// The request body of `POST /v1/admin/dead-letters/{id}/drop`, `POST /v1/receipts/{id}/dismiss` and other overrides.
public struct ReasonBody: Codable, Sendable {
    public var reason: String

    public init(reason: String) { self.reason = reason }
}
