import CommandOutput
import DoorstepAPI
import Foundation

/// Posts the events of a stream one after another, and prints a line for each.
struct ListenSession: Sendable {
    /// The most events that wait for the program; further ones are dropped with a message.
    static let waitingMax = 1_000

    let stream: ForwardedEventStream
    let post: @Sendable (ForwardedEventBody) async -> LocalReceiver.Answer
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
                var secret: String?
                var isLost = false
                for await item in items {
                    switch item {
                    case .ready(let present):
                        if present != secret { write("Events are signed by \(present)") }
                        if isLost { CommandFailure.complain("events come again") }
                        secret = present
                        isLost = false
                    case .lost(let reason):
                        if !isLost { CommandFailure.complain("no events come: \(reason); trying again") }
                        isLost = true
                    case .unreadable(let reason):
                        CommandFailure.complain("an event cannot be read: \(reason)".safeOnTerminal)
                    case .event(let event):
                        let answer = await post(event)
                        guard !Task.isCancelled else { return }
                        write(event.line(answer, at: Date(), in: .current))
                    }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
