import BackgroundWork
import FlowControl
import Logging
import ServiceLifecycle

/// Continues the requests of one kind about persons until they are done.
struct PersonRequests: Service {
    /// The longest pause, for requests that another replica accepted.
    private static let pollInterval = Duration.seconds(5)
    private static let outagePause = Duration.seconds(1)

    /// Continues the requests that are due, and returns the time until the next one is; nil without a running request.
    let work: @Sendable () async throws -> Duration?
    let signal: WakeSignal
    let logger: Logger

    func run() async throws {
        let worker = DueWorker(
            outage: "Requests about persons cannot be continued, retrying", signal: signal,
            retry: BackOff(every: Self.outagePause), logger: logger)
        await cancelWhenGracefulShutdown {
            await worker.run {
                let next = try await work()
                return min(next ?? Self.pollInterval, Self.pollInterval)
            }
        }
    }
}
