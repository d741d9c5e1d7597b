import BackgroundWork
import FlowControl
import Logging
import ServiceLifecycle

/// Continues the requests to erase persons until they are done.
struct PersonRequests: Service {
    /// The longest pause, for requests that another replica accepted.
    private static let pollInterval = Duration.seconds(5)
    private static let outagePause = Duration.seconds(1)

    let continueErasures: ContinueErasures
    let signal: WakeSignal
    let logger: Logger

    func run() async throws {
        let worker = DueWorker(
            outage: "Requests about persons cannot be continued, retrying", signal: signal,
            retry: BackOff(every: Self.outagePause), logger: logger)
        await cancelWhenGracefulShutdown {
            await worker.run {
                let next = try await continueErasures()
                return min(next ?? Self.pollInterval, Self.pollInterval)
            }
        }
    }
}
