import DeclaredMetrics
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Logging
import Metrics
import PostgresClient
import ReliableMessaging
import Synchronization

/// Sending what was leased, apart from the looks that lease it.
extension Dispatcher {
    /// What is not leased for a device's cards now.
    func leaseGate(for device: Device, _ now: Date, _ wallNow: Date) -> LeaseGate {
        func domain(_ wall: Date) -> Date { now.addingTimeInterval(wall.timeIntervalSince(wallNow) * clock.rate) }
        var gate = LeaseGate()
        if !sender.hasRoom { gate.fullUntil = domain(wallNow.addingTimeInterval(configuration.fullPause)) }
        circuits.withLock { circuits in
            for environment in PushTokenBody.Environment.allCases {
                let key = PushCircuits.Key(bundleID: device.bundleID, environment: environment)
                gate.haltedUntil[environment] = circuits.openUntil(key, at: wallNow).map(domain)
            }
        }
        return gate
    }

    /// Why nothing is sent for an app in an environment, as this process knows it; times are domain time.
    func circuit(_ key: PushCircuits.Key) -> CustomerPhoneBody.Circuit? {
        guard let refusal = circuits.withLock({ $0.refusal(key) }) else { return nil }
        let (now, wallNow) = (clock.now, wall())
        func domain(_ time: Date) -> Date { now.addingTimeInterval(time.timeIntervalSince(wallNow) * clock.rate) }
        return CustomerPhoneBody.Circuit(
            environment: key.environment, reason: refusal.reason, since: domain(refusal.since),
            nextTryAt: max(domain(refusal.until), now))
    }

    /// Sends one push and records its result.
    func deliver(_ queued: QueuedPush) async {
        let span = PushSpan(queued.push, to: queued.device.id)
        guard let result = await result(of: queued) else { return }
        span.end(result)
        noteCircuit(queued, result)
        // Awaited here; apart from this task, since a result is recorded though the send was cancelled.
        await Task { await self.recordRetrying(queued.push, result, on: queued.device.id) }.value
    }

    /// - Returns: nil where the push is not this process's to send any more.
    private func result(of queued: QueuedPush) async -> PushResult? {
        let (push, device) = (queued.push, queued.device)
        guard let transport = transports.of(device) else { return .notSent("no transport is set up") }
        guard !sender.isClosed else { return .notSent("the process stops") }
        guard circuits.withLock({ $0.openUntil(.init(push, on: device), at: wall()) }) == nil else {
            return .halted(reason: "circuit open")
        }
        let remaining = queued.deadline - elapsed()
        guard remaining > .zero else { return .notSent("its turn came too late") }
        do {
            if push.event == .start, try await pool.execute(ActivityRepository.handOver(push)) == 0 { return nil }
        } catch {
            return .notSent("the database is away")
        }
        return await withTaskGroup(of: PushResult?.self) { group in
            group.addTask { await transport.send(push, to: queued.card, on: device) }
            group.addTask {
                try? await Task.sleep(for: remaining)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? .unknown("no answer in time")
        }
    }

    /// Opens the circuit of a key and topic that are refused, and closes that of one which is taken.
    private func noteCircuit(_ queued: QueuedPush, _ result: PushResult) {
        let key = PushCircuits.Key(queued.push, on: queued.device)
        switch result {
        case .halted(let reason):
            guard circuits.withLock({ $0.halt(key, reason: reason, at: wall(), jitter: random()) }) else { break }
            logger.error(
                """
                Nothing is sent for this app until its key or topic is mended: check apns.key.file, apns.key.id, \
                apns.team.id and apns.bundle.id
                """,
                metadata: [
                    "reason": "\(reason)", "bundle_id": "\(key.bundleID?.text ?? "")",
                    "environment": "\(key.environment)",
                ])
        case .taken:
            guard circuits.withLock({ $0.close(key) }) else { return }
            logger.notice(
                "Apple takes the key and the topic again", metadata: ["bundle_id": "\(key.bundleID?.text ?? "")"])
        case .notSent, .refused, .unknown, .gone: return
        }
        DispatchMetrics.circuitsOpen.gauge().record(circuits.withLock(\.count))
    }

    /// Records a result, however long the database is away: nobody else knows that a refused start made no card.
    ///
    /// What a process could not record when it stopped is unknown; once the pool has closed nothing can be.
    private func recordRetrying(_ push: Push, _ result: PushResult, on id: DeviceID) async {
        var attemptsLeft = configuration.lastRecordAttemptsMax
        while true {
            do {
                return try await record(push, result, on: id)
            } catch let error where FailureKind(error) == .ours {
                return reportFault(error, of: id)
            } catch let error as PostgresError where error.code == .closed {
                return
            } catch {
                if sender.isClosed { attemptsLeft -= 1 }
                if attemptsLeft <= 0 { return }
                try? await Task.sleep(for: configuration.outagePause)
            }
        }
    }

    /// The second transaction of a push: its result, if no newer one was leased since.
    private func record(_ push: Push, _ result: PushResult, on id: DeviceID) async throws {
        let now = clock.now
        let timing = RetryTiming(clockRate: clock.rate, jitter: random())
        try await pool.withTransaction { transaction in
            guard var stored = try await ActivityRepository.lockDevice(id, in: transaction) else { return }
            let cards = try await ActivityRepository.cards(on: id, of: [push.activity], in: transaction)
            guard var card = cards.first(where: { $0.card.id == push.card }),
                card.card.record(push, result, now: now, timing: timing)
            else { return }
            card.leasedUntil = nil
            let former = stored.device
            stored.device.record(push, result, now: now, timing: timing)
            let saved = ReconcileWrites(
                cards: [card], devices: [.init(stored: stored, former: former, dueAt: now)])
            try await transaction.batch([ActivityRepository.setResult(result, of: push)] + saved.statements())
        }
        DispatchMetrics.countPush(push, result)
        wakeSignals.wake()
    }
}
