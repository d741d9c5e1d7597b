import BackgroundWork
import DomainTime
import Logging
import PostgresClient
import ServiceLifecycle
import Synchronization

/// Records connected devices, so that operators see when a screen was last connected.
///
/// The records are seconds old, and affect no decision.
final class DeviceConnections: Service {
    /// The interval of records of opened and closed streams.
    static let interval = Duration.seconds(2)
    /// The number of records after which open streams are recorded again: every 30 seconds.
    static let renewalEvery = 15

    private let pool: PostgresPool
    private let clock: DomainClock
    private let hub: StreamHub
    private let logger: Logger
    private let runs = Atomic(0)

    init(pool: PostgresPool, clock: DomainClock, hub: StreamHub, logger: Logger) {
        self.pool = pool
        self.clock = clock
        self.hub = hub
        self.logger = logger
    }

    /// Records connections until graceful shutdown, and then that this process has none: by then the port has ended
    /// them.
    func run() async throws {
        try await PeriodicTask("writing of device connections", every: Self.interval, logger: logger) {
            try await self.write()
        }.run()
        guard !Task.isCancelled else { return }
        do {
            try await writeAllClosed()
        } catch {
            logger.warning(
                "Devices are shown as connected for up to \(DeviceConnectionRepository.openSeconds) seconds more",
                metadata: ["reason": "\(error)"])
        }
    }

    private func writeAllClosed() async throws {
        let changes = hub.drainConnectionChanges()
        try await DeviceConnectionRepository.store(
            opened: changes.opened, closed: changes.closed + hub.connectedStreams, open: [], at: clock.now, on: pool)
    }

    func write() async throws {
        let run = runs.add(1, ordering: .relaxed).newValue
        let changes = hub.drainConnectionChanges()
        do {
            try await DeviceConnectionRepository.store(
                opened: changes.opened, closed: changes.closed,
                open: run.isMultiple(of: Self.renewalEvery) ? hub.connectedStreams : [], at: clock.now, on: pool)
        } catch {
            hub.putBack(changes)
            throw error
        }
    }
}
