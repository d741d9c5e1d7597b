import CommandOutput
import FlowControl

/// A stream of events that is opened again whenever it breaks.
///
/// After a first success it retries without a limit; before that it fails after a few attempts, so that a wrong address
/// is reported.
struct ReopenedStream: Sendable {
    private static let firstTriesMax = 5

    let backOff: BackOff
    /// A connection that ended sooner counts as a failure.
    var connectionMin = Duration.zero
    /// A random number from 0 to 1.
    let jitter: @Sendable () -> Double

    /// The consumer of events failed, not the connection.
    private struct Undeliverable: Error {
        let underlying: any Error
    }

    /// Delivers an event of a connection; a failure ends the stream.
    static func deliver(_ event: () async throws -> Void) async throws {
        do { try await event() } catch { throw Undeliverable(underlying: error) }
    }

    /// Reads one connection after the other until it is cancelled.
    ///
    /// - Parameters:
    ///   - readOnce: reads one connection to its end, and sets its argument once the connection is open.
    ///   - giveUp: the failure after the first attempts, from the error of the last; nil where it goes on.
    ///   - wait: the pause after a connection, from its error and the back-off.
    /// - Throws: `CommandFailure` where a retry would not help; the consumer's error.
    func run(
        _ readOnce: (inout Bool) async throws -> Void, giveUp: (any Error) -> CommandFailure?,
        wait: ((any Error)?, Duration) async throws -> Duration
    ) async throws {
        var failures = 0
        var hasBeenOpen = false
        while true {
            let began = ContinuousClock.now
            var isOpen = false
            var reason: (any Error)?
            do {
                try await readOnce(&isOpen)
            } catch let failure as CommandFailure where failure.kind != .unavailable {
                throw failure
            } catch let cancellation as CancellationError {
                throw cancellation
            } catch let undeliverable as Undeliverable {
                throw undeliverable.underlying
            } catch {
                reason = error
                if !hasBeenOpen, !isOpen, failures >= Self.firstTriesMax, let failure = giveUp(error) { throw failure }
            }
            if isOpen {
                hasBeenOpen = true
                if began.duration(to: .now) >= connectionMin { failures = 0 }
            }
            failures += 1
            try await Task.sleep(for: wait(reason, backOff.delay(failures: failures, jitter: jitter())))
        }
    }
}
