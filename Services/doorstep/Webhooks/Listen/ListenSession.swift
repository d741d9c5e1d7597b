import CommandOutput
import DoorstepAPI
import Foundation
import TimePresentation
import WebhookSignatures

/// Posts the events of a stream one after another, and prints a line for each.
struct ListenSession: Sendable {
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
        let queue = ListenQueue()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await stream.run { item in
                    if !queue.append(item) {
                        CommandFailure.complain("the program is too slow: an event is left out")
                    }
                }
            }
            group.addTask {
                var secret = ListenSecret(self.secret)
                var lostAt: Date?
                for await item in queue.items {
                    queue.noteRemoval(of: item)
                    switch item {
                    case .ready(let present):
                        if let text = try secret.connect(present) { write("Events are signed by \(text)") }
                        if lostAt != nil { CommandFailure.complain("events come again") }
                        lostAt = nil
                    case .lost(let reason):
                        if lostAt == nil { CommandFailure.complain("no events come: \(reason); trying again") }
                        lostAt = lostAt ?? Date()
                    case .missed:
                        CommandFailure.complain(Self.missed(since: lostAt ?? Date(), now: Date(), in: timeZone))
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

    /// The notice for a connection that does not continue the former one.
    static func missed(since: Date, now: Date, in timeZone: TimeZone) -> String {
        let times = StoreTimes(timeZone: timeZone, now: now)
        let minutes = max(1, Int((now.timeIntervalSince(since) / 60).rounded(.up)))
        let (from, to) = (times.text(since, withSeconds: true), times.text(now, withSeconds: true))
        return "events from \(from) to \(to) may be missing; "
            + "doorstep ops log --since \(minutes)m has what happened"
    }
}
