import Glibc
import Synchronization

/// Asks a service for `/health/live` ten times a second, each time on a connection of its own, as a cluster does.
final class LivenessProbe: Sendable {
    private static let interval = 100 * Instant.millisecond
    private static let answerSecondsMax = 30

    private struct Asked {
        var durations: [Instant] = []
        var unanswered = 0
    }

    private let asked = Mutex(Asked())

    /// The distribution of response times from each request's due time, so that a slow response delays no later one.
    struct Outcome: Encodable {
        let answers: Distribution
        /// Questions with another answer than 200, or none within 30 seconds.
        let failed: Int
    }

    var outcome: Outcome {
        asked.withLock { Outcome(answers: Distribution($0.durations), failed: $0.unanswered) }
    }

    func run(port: Int, until stop: StopSignal) {
        let request = Request(method: "GET", path: "/health/live", headers: ["Connection: close"]).bytes(port: port)
        var dueAt = now()
        while !stop.isRaised {
            while now() < dueAt { usleep(UInt32((dueAt - now()) / 1_000)) }
            let answer = (try? Socket(port: port, receiveSeconds: Self.answerSecondsMax))?.exchange(request)
            let duration = now() - dueAt
            asked.withLock {
                $0.durations.append(duration)
                if answer?.status != 200 { $0.unanswered += 1 }
            }
            dueAt += Self.interval
        }
    }
}
