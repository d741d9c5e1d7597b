import BackgroundWork
import DeclaredMetrics
import DomainTime
import Foundation
import LiveActivity
import Logging
import Metrics
import PostgresClient
import ReliableMessaging

/// Sends leased pushes, and records their results.
struct PushSender: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let transports: Transports
    let configuration: DispatchConfiguration
    let queue: PushQueue
    let wakeSignals: WakeSignalGroup
    let outbox: any Outbox
    let logger: Logger
    let elapsed: @Sendable () -> ContinuousClock.Instant
    /// The jitter of retries, from 0 to 1.
    let random: @Sendable () -> Double
    private let pushCounters = PushCounters()
    /// Exported with 0 from the start, as ``RefusedPayloadCounters``.
    let deviceFaults = DispatchMetrics.deviceFaults.counter()

    /// Sends one push and records its result.
    func deliver(_ queued: QueuedPush) async {
        let span = PushSpan(queued.push, to: queued.device.id)
        guard let result = await result(of: queued) else { return }
        span.end(result)
        noteCircuit(queued, result)
        await withCancellationShield { await self.recordRetrying(queued.push, result, on: queued.device.id) }
    }

    /// - Returns: nil where another process owns the push by now.
    private func result(of queued: QueuedPush) async -> PushResult? {
        let (push, device) = (queued.push, queued.device)
        guard let transport = transports.of(device) else { return .notSent("no transport is set up") }
        guard !queue.pushes.isClosed else { return .notSent("the process stops") }
        guard !queue.isHalted(.init(push, on: device)) else { return .halted(reason: "circuit open") }
        let remaining = queued.deadline - elapsed()
        guard remaining > .zero else { return .notSent("its turn came too late") }
        do {
            if push.event == .start, try await pool.execute(ActivityRepository.handOver(push)) == 0 { return nil }
        } catch {
            return .notSent("the database is away")
        }
        return await withTaskGroup(of: PushResult?.self, returning: PushResult.self) { group in
            group.addTask { await transport.send(push, to: queued.card, on: device) }
            // The end of the sleep cancels the send, at the deadline or when the process stops; a cancelled send still
            // returns whether the push was sent.
            group.addTask {
                try? await Task.sleep(for: remaining)
                return nil
            }
            var result: PushResult?
            for await ended in group {
                result = ended ?? result
                group.cancelAll()
            }
            return result ?? .unknown("no answer in time")
        }
    }

    /// Opens the circuit of a refused key and topic, and closes the circuit of an accepted one.
    private func noteCircuit(_ queued: QueuedPush, _ result: PushResult) {
        let key = PushCircuits.Key(queued.push, on: queued.device)
        switch result {
        case .halted(let reason):
            guard queue.halt(key, reason: reason, jitter: random()) else { return }
            let metadata: Logger.Metadata = [
                "reason": "\(reason)", "bundle_id": "\(key.bundleID?.text ?? "")", "environment": "\(key.environment)",
            ]
            guard queue.isOwn(key) else {
                return logger.warning(
                    "Pushes for an app that a device names are halted: Apple refuses it, and has accepted none",
                    metadata: metadata)
            }
            logger.error(
                """
                Pushes for this app are halted until its key or topic is corrected: check apns.key.file, apns.key.id, \
                apns.team.id and apns.bundle.id
                """,
                metadata: metadata)
        case .accepted:
            guard queue.close(key) else { return }
            logger.notice(
                "Apple accepts the key and the topic again", metadata: ["bundle_id": "\(key.bundleID?.text ?? "")"])
        case .notSent, .refused, .unknown, .gone: return
        }
    }

    /// Records a result, with retries during a database outage: only this process knows that a refused start made no
    /// card.
    ///
    /// A result that a stopping process could not record is unknown; after the pool has closed, no result can be
    /// recorded.
    private func recordRetrying(_ push: Push, _ result: PushResult, on id: DeviceID) async {
        var attemptsLeft = configuration.lastRecordAttemptsMax
        while true {
            do {
                return try await record(push, result, on: id)
            } catch let error where FailureKind(error) == .ours {
                return logger.reportFault(error, of: id, in: deviceFaults)
            } catch let error as PostgresError where error.code == .closed {
                return
            } catch {
                if queue.pushes.isClosed { attemptsLeft -= 1 }
                if attemptsLeft <= 0 { return }
                // `deliver` shields this loop from cancellation, the only error of a sleep.
                try? await Task.sleep(for: configuration.outagePause)
            }
        }
    }

    /// The second transaction of a push: its result, if no newer one was leased since.
    private func record(_ push: Push, _ result: PushResult, on id: DeviceID) async throws {
        let now = clock.now
        let timing = RetryTiming(clockRate: clock.rate, jitter: random())
        let messages = try await pool.withTransaction { transaction -> OutboxBatch in
            let none = OutboxBatch([])
            guard var stored = try await ActivityRepository.lockDevice(id, in: transaction) else { return none }
            let activities = [push.activity, push.announces].compactMap(\.self)
            let cards = try await ActivityRepository.cards(on: id, of: activities, in: transaction)
            guard var card = cards.first(where: { $0.card.id == push.card }) else { return none }
            let hadSlot = card.card.hasSlot
            guard card.card.record(push, result, now: now, timing: timing) else { return none }
            card.leasedUntil = nil
            let former = stored.device
            stored.device.record(push, result, hadSlot: hadSlot, now: now, timing: timing)
            let saved = ReconcileWrites(
                cards: [card] + released(push, by: card.card, among: cards),
                devices: [.init(stored: stored, former: former, dueAt: now)])
            try await transaction.batch([ActivityRepository.setResult(result, of: push)] + saved.statements())
            // The usual end, with its delivery: the count is of live ones.
            guard card.card.state != .ended else { return none }
            return try await RecountHealth(outbox: outbox)(
                from: cards, to: [card.card], at: now, in: transaction)
        }
        outbox.publish(messages)
        pushCounters.count(push, result)
        wakeSignals.wake()
    }

    /// The cards of the question that a summary's push was to announce, once the summary has released its alert.
    private func released(_ push: Push, by summary: Card, among cards: [StoredCard]) -> [StoredCard] {
        guard let question = push.announces, let alert = push.alert?.id, !summary.alertedIDs.contains(alert) else {
            return []
        }
        return cards.filter { $0.card.activity == question && $0.card.alertedIDs.contains(alert) }.map { stored in
            var stored = stored
            stored.card.release(alert)
            return stored
        }
    }
}

extension Logger {
    /// Logs and counts that a device cannot be reconciled because of its own data.
    func reportFault(_ error: any Error, of device: DeviceID, in faults: Counter) {
        faults.increment()
        self.error(
            "Cannot reconcile a device, retrying later; other devices are not affected",
            metadata: ["device_id": "\(device)", "reason": "\(error)"])
    }
}
