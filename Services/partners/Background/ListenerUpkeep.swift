import BackgroundWork
import DoorstepAPI
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
    /// Seconds for which a listener's row is valid; a listener whose row is not renewed has lost its process.
    static let openSeconds = 60.0

    let listeners: OpenListeners
    let pool: PostgresPool
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

    /// Wakes every stream, and deletes the listeners whose streams have closed.
    func poll() async {
        listeners.streams.notifyAll()
        await logged {
            for endpoint in listeners.drainClosed() { try await EndpointRepository.delete(endpoint, on: pool) }
        }
    }

    /// Records open streams, ends streams whose listeners were deleted, and deletes listeners that no process has
    /// recorded in time.
    func noteOpen() async {
        await logged {
            for stream in listeners.streams.all where stream.reader.isStored {
                let isThere = try await EndpointRepository.noteOpen(
                    stream.topic, seconds: Self.openSeconds, on: pool)
                // Its program opens another one.
                if !isThere { listeners.streams.end { $0.number == stream.number } }
            }
            try await EndpointRepository.deleteClosedListeners(on: pool)
        }
    }

    /// Listeners that were closed and could not be deleted are deleted once their time is over.
    private func logged(_ work: () async throws -> Void) async {
        do { try await work() } catch {
            logger.debug("Listeners of events could not be renewed", metadata: ["reason": "\(error)"])
        }
    }
}
