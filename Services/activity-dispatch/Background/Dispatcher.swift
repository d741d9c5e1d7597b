import BackgroundWork
import DomainTime
import FlowControl
import Foundation
import Logging
import PostgresClient
import ReliableMessaging
import ServiceLifecycle

/// Reconciles every due device: compares the wanted states of its cards with the sent ones, and pushes the difference.
///
/// Any number of replicas share the devices: a device's row is locked while it is reconciled, and a locked row is
/// skipped, never waited for.
final class Dispatcher: Service {
    private let pool: PostgresPool
    private let clock: DomainClock
    let reconcile: ReconcileDevices
    private let sender: PushSender
    private let configuration: DispatchConfiguration
    private let wakeSignals: WakeSignalGroup
    private let logger: Logger

    /// - Parameter random: from 0 to 1, the jitter of retries.
    init(
        _ reconcile: ReconcileDevices, logger: Logger,
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        pool = reconcile.pool
        clock = reconcile.clock
        configuration = reconcile.configuration
        wakeSignals = reconcile.wakeSignals
        sender = PushSender(
            pool: reconcile.pool, clock: reconcile.clock, transports: reconcile.transports,
            configuration: reconcile.configuration, queue: reconcile.queue, wakeSignals: reconcile.wakeSignals,
            outbox: reconcile.outbox, logger: logger, elapsed: reconcile.elapsed, random: random)
        self.reconcile = reconcile
        self.logger = logger
    }

    /// Reconciles until graceful shutdown; an outage never fails it, and an open transaction is rolled back.
    ///
    /// Then queued pushes are released unsent, and pushes in flight may finish within the drain time-out.
    func run() async throws {
        await reconcile.queue.pushes.run(
            drainTimeout: configuration.drainTimeout, deliver: { await self.sender.deliver($0) },
            whileRunning: {
                await withTaskGroup { group in
                    for _ in 0..<self.configuration.workersMax { group.addTask { await self.runWorker() } }
                }
            })
    }

    /// Sends the leased pushes, one after the other.
    ///
    /// - Returns: the number of pushes.
    @discardableResult
    func sendQueued() async -> Int { await reconcile.queue.pushes.deliverQueued { await sender.deliver($0) } }

    private func runWorker() async {
        let worker = DueWorker(
            outage: "Cannot reconcile devices, retrying", signal: wakeSignals.makeSignal(),
            retry: BackOff(every: configuration.outagePause), logger: logger)
        await worker.run {
            guard let next = try await ActivityRepository.nextDue(on: pool) else { return configuration.pollInterval }
            let wait = clock.wallDuration(until: next)
            // A due device that is locked is another worker's, which polls again afterwards.
            if wait <= .zero { return try await reconcileDueDevices() > 0 ? .zero : configuration.pollInterval }
            return min(configuration.pollInterval, max(wait, .milliseconds(1)))
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
            return try await reconcile { now, transaction in
                try await ActivityRepository.lockDueDevices(by: now, devicesMax: devicesMax, in: transaction)
            }
        } catch let error where FailureKind(error) == .ours {
            return try await reconcileOneByOne()
        }
    }

    /// Reconciles due devices in a transaction for each, since one of them rolled the transaction of the batch back.
    ///
    /// - Returns: the number of devices, including those that could not be reconciled.
    private func reconcileOneByOne() async throws -> Int {
        let devices = try await ActivityRepository.dueDevices(
            by: clock.now, devicesMax: configuration.devicesPerBatchMax, on: pool)
        for device in devices {
            do {
                _ = try await reconcile { now, transaction in
                    try await ActivityRepository.lockDueDevice(device, by: now, in: transaction)
                }
            } catch let error where FailureKind(error) == .ours {
                let now = clock.now
                let later = now.addingTimeInterval(configuration.faultPause * clock.rate)
                try await pool.execute(ActivityRepository.postpone(device, from: now, to: later))
                logger.reportFault(error, of: device, in: sender.deviceFaults)
            }
        }
        return devices.count
    }
}
