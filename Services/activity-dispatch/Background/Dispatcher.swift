import BackgroundWork
import DeclaredMetrics
import DomainTime
import Foundation
import LiveActivity
import Logging
import Messages
import Metrics
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceLifecycle
import Synchronization
import Tracing

/// Reconciles every device that is due: compares what its cards should show with what was sent, and pushes the
/// difference.
///
/// Any number of replicas share the devices: a device's row is locked while it is reconciled, and a locked row is
/// skipped, never waited for.
final class Dispatcher: Service {
    struct Configuration: Sendable {
        /// Workers that reconcile at the same time; each holds a connection of the pool.
        var workersMax = 3
        /// Devices reconciled together, in one transaction.
        var devicesPerBatchMax = 16
        /// Open cards of a transaction's devices together, unless its first has more: a bound of its work and time.
        var cardsPerBatchMax = 128
        /// Deciding in one transaction goes on for so long before what is decided is committed, and always for one device:
        /// others' intents wait for the rows that it locks.
        var decidingMax = Duration.milliseconds(200)
        /// How long a push may take before another is sent, wall seconds.
        var leaseDuration: TimeInterval = 30
        /// The longest sleep, for devices that another replica made due.
        var pollInterval = Duration.milliseconds(100)
        var outagePause = Duration.milliseconds(500)
        /// How long a device that cannot be reconciled is postponed, unless something about it changes; wall seconds.
        var faultPause: TimeInterval = 60
        /// What is left of a lease when a send is given up, for its result to be recorded; wall seconds.
        var recordingTime: TimeInterval = 5
        /// How long sends may go on after shutdown began; then they are given up.
        var drainTimeout = Duration.seconds(5)
        /// Attempts to record a result once shutdown began; before that there is no limit.
        var lastRecordAttemptsMax = 10
        /// How long devices wait for whose transport no more may be leased; wall seconds.
        var fullPause: TimeInterval = 1
        var sender = SendQueueConfiguration()
    }

    let pool: PostgresPool
    let clock: DomainClock
    let transports: Transports
    let configuration: Configuration
    let hub: StreamHub
    let wakeSignals: WakeSignalGroup
    let outbox: any Outbox
    let logger: Logger
    let newID: @Sendable () -> UUID
    let wall: @Sendable () -> Date
    let elapsed: @Sendable () -> ContinuousClock.Instant
    let random: @Sendable () -> Double
    let circuits = Mutex(PushCircuits())
    /// For pushes that are no writes.
    let sender: SendQueue<QueuedPush>

    /// - Parameters:
    ///   - wakeSignals: raised by each commit that makes a device due.
    ///   - elapsed: what `decidingMax` is measured by.
    ///   - random: from 0 to 1, the jitter of what is tried again.
    init(
        pool: PostgresPool, clock: DomainClock, transports: Transports, configuration: Configuration = .init(),
        hub: StreamHub, wakeSignals: WakeSignalGroup, outbox: any Outbox, logger: Logger,
        newID: @escaping @Sendable () -> UUID = { UUID() }, wall: @escaping @Sendable () -> Date = { Date() },
        elapsed: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.pool = pool
        self.clock = clock
        self.transports = transports
        self.configuration = configuration
        self.hub = hub
        self.wakeSignals = wakeSignals
        self.outbox = outbox
        self.logger = logger
        self.newID = newID
        self.wall = wall
        self.elapsed = elapsed
        self.random = random
        sender = SendQueue(configuration: configuration.sender)
    }

    /// Reconciles until graceful shutdown; an outage never fails it, and an open transaction is rolled back.
    ///
    /// Then what is queued is given back unsent, and what is on its way may finish within the drain.
    func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.sender.run { await self.deliver($0) } }
            await cancelWhenGracefulShutdown {
                await withTaskGroup { group in
                    for _ in 0..<self.configuration.workersMax { group.addTask { await self.runWorker() } }
                }
            }
            sender.close()
            let drainTimeout = configuration.drainTimeout
            group.addTask { try? await Task.sleep(for: drainTimeout) }
            // The sender has finished, or its time is up.
            await group.next()
            group.cancelAll()
        }
    }

    /// Sends what is leased now, one after the other.
    ///
    /// - Returns: how many pushes.
    @discardableResult
    func sendQueued() async -> Int { await sender.deliverQueued { await deliver($0) } }

    private func runWorker() async {
        let signal = wakeSignals.makeSignal()
        var isInTrouble = false
        while !Task.isCancelled {
            var pause = configuration.pollInterval
            do {
                if let next = try await ActivityRepository.nextDue(on: pool) {
                    let wait = clock.wallDuration(until: next)
                    // A due device that is locked is another worker's, which polls again afterwards.
                    if wait <= .zero, try await reconcileDueDevices() > 0 { continue }
                    if wait > .zero { pause = min(pause, max(wait, .milliseconds(1))) }
                }
                isInTrouble = false
            } catch {
                if !isInTrouble, !Task.isCancelled {
                    logger.warning("Cannot reconcile devices, retrying", metadata: ["reason": "\(error)"])
                }
                isInTrouble = true
                pause = configuration.outagePause
            }
            await signal.wait(atMost: pause)
        }
    }

    /// Reconciles every device that is due now and not locked by another worker.
    ///
    /// - Returns: how many.
    @discardableResult
    func reconcileDueDevices() async throws -> Int {
        var count = 0
        while !Task.isCancelled {
            let reconciled = try await reconcileBatch()
            count += reconciled
            guard reconciled > 0 else { break }
            if reconciled == configuration.devicesPerBatchMax { wakeSignals.wake() }
        }
        return count
    }

    /// - Returns: how many devices were reconciled, at most `devicesPerBatchMax`.
    private func reconcileBatch() async throws -> Int {
        let devicesMax = configuration.devicesPerBatchMax
        do {
            return try await reconcileAndSend { now, transaction in
                try await ActivityRepository.lockDueDevices(by: now, devicesMax: devicesMax, in: transaction)
            }
        } catch let error where FailureKind(error) == .ours {
            return try await reconcileOneByOne()
        }
    }

    /// Reconciles due devices in a transaction for each, since one of them rolled the transaction of the batch back.
    ///
    /// - Returns: how many there were, those included that could not be reconciled.
    private func reconcileOneByOne() async throws -> Int {
        let devices = try await ActivityRepository.dueDevices(
            by: clock.now, devicesMax: configuration.devicesPerBatchMax, on: pool)
        for device in devices {
            do {
                _ = try await reconcileAndSend { now, transaction in
                    try await ActivityRepository.lockDueDevice(device, by: now, in: transaction)
                }
            } catch let error where FailureKind(error) == .ours {
                let now = clock.now
                let later = now.addingTimeInterval(configuration.faultPause * clock.rate)
                try await pool.execute(ActivityRepository.postpone(device, from: now, to: later))
                reportFault(error, of: device)
            }
        }
        return devices.count
    }

    func reportFault(_ error: any Error, of device: DeviceID) {
        DispatchMetrics.deviceFaults.counter().increment()
        logger.error(
            "Cannot reconcile a device, retrying later; other devices are not affected",
            metadata: ["device_id": "\(device)", "reason": "\(error)"])
    }
}
