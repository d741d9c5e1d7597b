internal import FlowControl
internal import NatsClient

/// A row that this relay may publish until its lease ends.
struct UnsentRow: Sendable {
    var message: OutboxMessage
    /// Refusals of the message so far.
    var attempts: Int
    /// The time since the message was enqueued.
    var age: Duration
}

/// The settlement of a row after an attempt to publish it.
enum PublishOutcome: Sendable, Equatable {
    /// A stream has stored it: delete it.
    case published
    /// An outage: keep it and retry after the delay, without limit.
    case postponed(after: Duration, error: String)
    /// The message was refused: count an attempt, and retry after the delay.
    case failed(after: Duration, error: String)
    /// The message was refused as often as it may be.
    case dead(error: String)

    /// Delays of a row whose stream is missing; short, since every screen must be right again within a minute of
    /// rebuilding the broker.
    static let postponement = BackOff(first: .milliseconds(500), longest: .seconds(15))
    static let retry = BackOff(first: .seconds(1), longest: .seconds(60))

    init(_ result: Result<PublishAck, NatsError>, of row: UnsentRow, attemptsMax: Int) {
        guard case .failure(let error) = result else {
            self = .published
            return
        }
        let text = "\(error)".storable
        if error.isAboutConnection {
            // Free for the first relay that is connected again.
            self = .postponed(after: .zero, error: text)
        } else if error.isOutage {
            // The delay grows with the row's age, which needs no counter.
            self = .postponed(
                after: min(max(row.age / 4, Self.postponement.first), Self.postponement.longest), error: text)
        } else if row.attempts + 1 >= attemptsMax {
            self = .dead(error: text)
        } else {
            self = .failed(after: Self.retry.delay(failures: row.attempts + 1), error: text)
        }
    }
}
