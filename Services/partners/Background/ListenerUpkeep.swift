import BackgroundWork
import DomainTime
import Logging
import PostgresClient
import ServiceLifecycle
import ServiceRuntime

/// Renews the rows of listeners while their streams are open, and wakes the streams for other replicas' queued events.
struct ListenerUpkeep: Service {
    /// Wall time between two polls of the listeners' queues and of the streams that have closed.
    static let pollInterval = Duration.seconds(1)
    /// Wall time between two notes that the streams are open.
    static let noteInterval = Duration.seconds(15)
    /// Rows of one statement that marks or deletes.
    static let rowsMax = 1_000

    let listeners: OpenListeners
    let pool: PostgresPool
    let clock: DomainClock
    let logger: Logger

    /// Keeps them until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                try await PeriodicTask("closed listeners", every: Self.pollInterval, logger: logger) {
                    await poll()
                }.run()
            }
            group.addTask {
                try await PeriodicTask("open listeners", every: Self.noteInterval, logger: logger) {
                    await noteOpen()
                }.run()
            }
        }
    }

    /// Wakes every stream, and records the streams that have closed.
    func poll() async {
        listeners.streams.notifyAll()
        await logged {
            let closed = listeners.drainClosed()
            for stream in closed { try await ListenerRepository.noteClosed(stream, on: pool) }
            if !closed.isEmpty { try await removeClosed() }
        }
    }

    /// Records open streams, ends streams whose listeners were removed or continued by others, and deletes listeners
    /// that are kept no longer.
    func noteOpen() async {
        await logged {
            for stream in listeners.streams.all where stream.reader.isStored {
                let isThere = try await ListenerRepository.noteOpen(
                    stream.topic, seconds: ListenerStream.openSeconds, on: pool)
                // Its program opens another one.
                if !isThere { listeners.streams.end { $0.number == stream.number } }
            }
            try await removeClosed()
            try await ListenerRepository.deleteRemoved(rowsMax: Self.rowsMax, on: pool)
        }
    }

    /// Marks every closed listener beyond the bounds of ``KeptListeners``.
    private func removeClosed() async throws {
        var removed: Int
        repeat {
            try Task.checkCancellation()
            removed = try await ListenerRepository.removeClosed(at: clock.now, rowsMax: Self.rowsMax, on: pool)
        } while removed == Self.rowsMax
    }

    /// Streams that closed and could not be recorded count as closed once their time is over.
    private func logged(_ work: () async throws -> Void) async {
        do { try await work() } catch {
            logger.debug("Listeners of events could not be renewed", metadata: ["reason": "\(error)"])
        }
    }
}
