internal import FlowControl
internal import Foundation
internal import NatsClient

/// A row that this relay may publish until its lease ends.
struct UnsentRow: Sendable {
    var message: OutboxMessage
    /// Refusals so far that were its own fault.
    var attempts: Int
    /// How long ago it was enqueued.
    var age: Duration
}

/// What becomes of a row after an attempt to publish it.
enum PublishFate: Sendable, Equatable {
    /// A stream has it: delete it.
    case published
    /// Not its fault: keep it and try again after the wait, for as long as it takes.
    case waits(after: Duration, error: String)
    /// Its own fault: count that, and try again after the wait.
    case failed(after: Duration, error: String)
    /// Its own fault once too often.
    case dead(error: String)

    /// Waits of a row whose stream is missing; short, since what every screen shows must be right again within a
    /// minute of rebuilding the broker.
    static let wait = BackOff(first: .milliseconds(500), longest: .seconds(15))
    static let retry = BackOff(first: .seconds(1), longest: .seconds(60))

    init(_ result: Result<PublishAck, NatsError>, of row: UnsentRow, attemptsMax: Int) {
        guard case .failure(let error) = result else {
            self = .published
            return
        }
        let text = "\(error)".storable
        if error.isAboutConnection {
            // Free for whichever relay is connected first.
            self = .waits(after: .zero, error: text)
        } else if error.isOutage {
            // The longer it has waited the longer it waits, which needs no counter.
            self = .waits(after: min(max(row.age / 4, Self.wait.first), Self.wait.longest), error: text)
        } else if row.attempts + 1 >= attemptsMax {
            self = .dead(error: text)
        } else {
            self = .failed(after: Self.retry.delay(failures: row.attempts + 1), error: text)
        }
    }
}
