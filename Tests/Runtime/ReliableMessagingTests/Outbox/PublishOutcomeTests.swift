import Foundation
import Testing

@testable import NatsClient
@testable import ReliableMessaging

@Suite("Outcome of publishing a message")
struct PublishOutcomeTests {
    enum Whose: Sendable { case connection, broker, message }

    static let table: [(NatsError.Code, Whose)] = [
        (.disconnected, .connection), (.timedOut, .connection), (.overloaded, .connection), (.closed, .connection),
        (.authenticationFailed, .connection),
        (.noResponders, .broker), (.notFound, .broker), (.malformedAnswer, .broker), (.other, .broker),
        (.notPermitted, .message), (.invalidArgument, .message), (.payloadTooLarge, .message), (.refused, .message),
    ]

    private func row(attempts: Int = 0, age: Duration = .zero) -> UnsentRow {
        UnsentRow(message: OutboxMessage(subject: "a.b", payload: []), attempts: attempts, age: age)
    }

    private func outcome(_ code: NatsError.Code, _ row: UnsentRow, isRetriable: Bool? = nil) -> PublishOutcome {
        let error = NatsError(code, "no", operation: "publishing", isRetriable: isRetriable)
        return PublishOutcome(.failure(error), of: row, attemptsMax: 3)
    }

    @Test("Only what is the message's own fault is counted, and only that can kill it", arguments: table)
    func whoseFault(_ code: NatsError.Code, _ whose: Whose) {
        switch (whose, outcome(code, row()), outcome(code, row(attempts: 2))) {
        case (.connection, .postponed(after: .zero, _), .postponed(after: .zero, _)): break
        case (.broker, .postponed, .postponed): break
        case (.message, .failed, .dead(let error)): #expect(error.contains(code.rawValue))
        case (_, let first, let last): Issue.record("\(code): \(first), \(last)")
        }
    }

    @Test("A refusal that JetStream itself calls temporary is an outage")
    func temporaryRefusal() {
        guard case .postponed = outcome(.refused, row(attempts: 2), isRetriable: true) else {
            Issue.record("counted against the message")
            return
        }
    }

    @Test("A message without a stream is tried ever less often, and at least every 15 seconds")
    func missingStream() {
        let waits = [0, 10, 40, 100_000].map { age -> Duration? in
            guard case .postponed(let delay, _) = outcome(.noResponders, row(age: .seconds(age))) else { return nil }
            return delay
        }
        #expect(waits == [.milliseconds(500), .milliseconds(2_500), .seconds(10), .seconds(15)])
    }

    @Test("A stored message is published, a duplicate too")
    func stored() {
        for isDuplicate in [false, true] {
            let ack = PublishAck(stream: "S", sequence: 1, isDuplicate: isDuplicate)
            #expect(PublishOutcome(.success(ack), of: row(), attemptsMax: 3) == .published)
        }
    }
}
