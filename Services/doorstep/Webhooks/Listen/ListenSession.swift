import CommandOutput
import DoorstepAPI
import Foundation
import WebhookSignatures

/// Posts the events of a stream one after another, and prints a line for each.
struct ListenSession: Sendable {
    /// The most events that wait for the program; further ones are dropped with a message.
    static let waitingMax = 1_000

    let stream: ForwardedEventStream
    /// The secret that the program verifies by; nil for that of the first connection.
    let secret: WebhookKey?
    let post: @Sendable (ForwardedEventBody) async -> LocalReceiver.Answer
    /// Of the times in the lines.
    let timeZone: TimeZone
    /// Writes a line to standard output.
    let write: @Sendable (String) -> Void

    /// Returns when it is cancelled.
    ///
    /// - Throws: `CommandFailure` where listening on would not help.
    func run() async throws {
        // Apart from the posts, so that a slow program does not keep the stream from being read.
        let (items, continuation) = AsyncStream.makeStream(
            of: ForwardedEventStream.Item.self, bufferingPolicy: .bufferingOldest(Self.waitingMax))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await stream.run { item in
                    if case .dropped = continuation.yield(item) {
                        CommandFailure.complain("the program is too slow: an event is left out")
                    }
                }
            }
            group.addTask {
                var secret = ListenSecret(self.secret)
                var isLost = false
                for await item in items {
                    switch item {
                    case .ready(let present):
                        if let text = try secret.connect(present) { write("Events are signed by \(text)") }
                        if isLost { CommandFailure.complain("events come again") }
                        isLost = false
                    case .lost(let reason):
                        if !isLost { CommandFailure.complain("no events come: \(reason); trying again") }
                        isLost = true
                    case .unreadable(let reason):
                        CommandFailure.complain("an event cannot be read: \(reason)".safeOnTerminal)
                    case .event(let event):
                        let answer = await post(secret.sign(event, at: Date()))
                        guard !Task.isCancelled else { return }
                        write(event.line(answer, at: Date(), in: timeZone))
                    }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
