import BackgroundWork
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

/// Compares what is wanted with what was sent, and sends the difference, for every device that is due.
///
/// Any number of replicas share the devices: a device's row is locked while it is looked at, and nobody waits for one
/// that somebody else has.
final class Dispatcher: Service {
    struct Configuration: Sendable {
        /// Looks at the same time; each holds a connection of the pool.
        var looksInFlightMax = 3
        /// Devices looked at together, in one transaction.
        var devicesPerLookMax = 16
        /// How long a push may be under way before another is sent, wall time.
        var leaseDuration: TimeInterval = 30
        /// The longest sleep, for devices that another replica made due.
        var pollInterval = Duration.milliseconds(100)
        var outagePause = Duration.milliseconds(500)
        /// How long a device that cannot be looked at is left alone, unless something about it changes; wall seconds.
        var faultPause: TimeInterval = 60
    }

    private let pool: PostgresPool
    private let clock: DomainClock
    private let transports: Transports
    private let configuration: Configuration
    private let hub: StreamHub
    private let wakeUp: Wake
    private let relay: @Sendable () -> Void
    private let logger: Logger
    private let newID: @Sendable () -> UUID
    private let wall: @Sendable () -> Date

    /// - Parameters:
    ///   - wakeUp: raised by whoever makes a device due.
    ///   - relay: called after a commit that enqueued a message.
    init(
        pool: PostgresPool, clock: DomainClock, transports: Transports, configuration: Configuration = .init(),
        hub: StreamHub, wakeUp: Wake, relay: @escaping @Sendable () -> Void, logger: Logger,
        newID: @escaping @Sendable () -> UUID = { UUID() }, wall: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.pool = pool
        self.clock = clock
        self.transports = transports
        self.configuration = configuration
        self.hub = hub
        self.wakeUp = wakeUp
        self.relay = relay
        self.logger = logger
        self.newID = newID
        self.wall = wall
    }

    /// Dispatches until graceful shutdown; an outage never fails it, and a transaction under way is undone.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                for _ in 0..<self.configuration.looksInFlightMax { group.addTask { await self.dispatchForever() } }
            }
        }
    }

    private func dispatchForever() async {
        let signal = wakeUp.listener()
        var isInTrouble = false
        while !Task.isCancelled {
            var pause = configuration.pollInterval
            do {
                if let next = try await ActivityRepository.nextDue(on: pool) {
                    let wait = clock.wallDuration(until: next)
                    // What is due and not free is being looked at by somebody, who looks for more after that.
                    if wait <= .zero, try await dispatchDue() > 0 { continue }
                    if wait > .zero { pause = min(pause, max(wait, .milliseconds(1))) }
                }
                isInTrouble = false
            } catch {
                if !isInTrouble, !Task.isCancelled {
                    logger.warning("Cannot dispatch now, trying on", metadata: ["reason": "\(error)"])
                }
                isInTrouble = true
                pause = configuration.outagePause
            }
            await signal.wait(atMost: pause)
        }
    }

    /// Looks at every device that is due now and that nobody else is looking at.
    ///
    /// - Returns: how many.
    @discardableResult
    func dispatchDue() async throws -> Int {
        var count = 0
        while !Task.isCancelled {
            let looked = try await lookAtSome()
            count += looked
            guard looked > 0 else { break }
            if looked == configuration.devicesPerLookMax { wakeUp.wake() }
        }
        return count
    }

    /// - Returns: how many devices were due and free, at most `devicesPerLookMax`.
    private func lookAtSome() async throws -> Int {
        let devicesMax = configuration.devicesPerLookMax
        do {
            return try await lookTogether { now, transaction in
                try await ActivityRepository.lockDueDevices(by: now, devicesMax: devicesMax, in: transaction)
            }
        } catch let error where FailureKind(error) == .ours {
            return try await lookOneByOne()
        }
    }

    /// Looks at due devices in a transaction for each, since one of them undid the transaction of them all.
    ///
    /// - Returns: how many there were, those included that could not be looked at.
    private func lookOneByOne() async throws -> Int {
        let devices = try await ActivityRepository.dueDevices(
            by: clock.now, devicesMax: configuration.devicesPerLookMax, on: pool)
        for device in devices {
            do {
                _ = try await lookTogether { now, transaction in
                    try await ActivityRepository.lockDueDevice(device, by: now, in: transaction)
                }
            } catch let error where FailureKind(error) == .ours {
                let now = clock.now
                let later = now.addingTimeInterval(configuration.faultPause * clock.rate)
                try await pool.execute(ActivityRepository.postpone(device, from: now, to: later))
                noteFault(error, of: device)
            }
        }
        return devices.count
    }

    private func noteFault(_ error: any Error, of device: DeviceID) {
        DispatchMetrics.deviceFaults.increment()
        logger.error(
            "Cannot bring a device up to date, trying again later; the others go on",
            metadata: ["device_id": "\(device)", "reason": "\(error)"])
    }

    /// Looks at what `lock` gives in one transaction, then sends what goes over the network.
    private func lookTogether(
        lock: @Sendable (Date, PostgresTransaction) async throws -> [StoredDevice]
    ) async throws -> Int {
        let looks = try await pool.withTransaction { transaction -> [Looked] in
            let now = clock.now
            let stored = try await lock(now, transaction)
            guard !stored.isEmpty else { return [] }
            return try await look(at: stored, now: now, in: transaction)
        }
        for looked in looks where looked.hasEvents { hub.wake(looked.device.id, sequence: looked.lastSequence) }
        if looks.contains(where: \.hasMessages) { relay() }
        try await withThrowingTaskGroup { group in
            for looked in looks where !looked.toSend.isEmpty { group.addTask { try await self.send(looked) } }
            try await group.waitForAll()
        }
        return looks.count
    }

    /// Sends one device's pushes; a result that cannot be written stops no other device's.
    private func send(_ looked: Looked) async throws {
        guard let transport = transports.of(looked.device) else { return }
        for (push, card) in looked.toSend {
            let result = await transport.send(push, to: card, on: looked.device)
            do {
                try await record(push, result, on: looked.device.id)
            } catch let error where FailureKind(error) == .ours {
                noteFault(error, of: looked.device.id)
            }
        }
    }

    /// What one look at a device came to.
    private struct Looked: Sendable {
        let device: Device
        /// The newest id of its stream.
        let lastSequence: Int
        let hasEvents: Bool
        var hasMessages = false
        /// Leased, and yet to be sent.
        let toSend: [(push: Push, card: Card)]
    }

    /// Looks at devices whose locks the transaction holds, and commits.
    private func look(
        at devices: [StoredDevice], now: Date, in transaction: PostgresTransaction
    ) async throws -> [Looked] {
        let open = try await ActivityRepository.openCards(on: devices.map(\.device.id), in: transaction)
        var looks: [Looked] = []
        var statements: [SQL] = []
        var healthChanged: Set<DeliveryID> = []
        for stored in devices {
            let look = try look(at: stored, open: open[stored.device.id] ?? [], now: now)
            looks.append(look.looked)
            statements += look.statements
            healthChanged.formUnion(look.healthChanged)
        }
        guard !healthChanged.isEmpty else {
            try await transaction.commit(with: statements)
            return looks
        }
        try await transaction.batch(statements)
        looks[0].hasMessages = try await CardHealth.tell(healthChanged, at: now, in: transaction)
        return looks
    }

    /// Decides about one device's cards; what follows is in the statements.
    private func look(
        at stored: StoredDevice, open: [(activity: Activity, stored: StoredCard)], now: Date
    ) throws -> (looked: Looked, statements: [SQL], healthChanged: Set<DeliveryID>) {
        var stored = stored
        guard let transport = transports.of(stored.device) else {
            let looked = Looked(
                device: stored.device, lastSequence: stored.lastSequence, hasEvents: false, toSend: [])
            return (looked, [ActivityRepository.setDue(stored, at: nil)], [])
        }
        let wallNow = wall()
        let away = open.filter { $0.stored.leasedUntil ?? .distantPast > wallNow }.map(\.stored.card.id)
        var round = DeviceRound(
            device: stored.device, placed: open.map { Placed(activity: $0.activity, card: $0.stored.card) },
            limits: transport.limits, now: now)
        round.run(inFlight: Set(away), newID: newID) { _ in transport.isTransactional ? .taken : nil }
        stored.device = round.device

        let outcome = RoundOutcome(
            round, before: open, isTransactional: transport.isTransactional,
            leasedUntil: wallNow.addingTimeInterval(configuration.leaseDuration))
        var statements = outcome.changed.map(ActivityRepository.save)
        for push in round.pushes {
            let result: PushResult? = transport.isTransactional ? .taken : nil
            statements.append(ActivityRepository.note(push, on: stored.device.id, result))
            count(push, result)
            guard transport.isTransactional else { continue }
            stored.lastSequence += 1
            statements.append(
                try ActivityRepository.keep(
                    push, delivery: outcome.delivery(of: push), on: stored.device.id, as: stored.lastSequence))
        }
        let leaseEnds = outcome.isAway ? now.addingTimeInterval(configuration.leaseDuration * clock.rate) : nil
        let dueAt = [round.dueAt, leaseEnds].compactMap(\.self).min()
        statements.append(ActivityRepository.setDue(stored, at: dueAt))
        DispatchMetrics.budgetExhausted.increment(by: round.budgetExhausted)
        let looked = Looked(
            device: stored.device, lastSequence: stored.lastSequence,
            hasEvents: transport.isTransactional && !round.pushes.isEmpty,
            toSend: transport.isTransactional ? [] : outcome.sends)
        return (looked, statements, outcome.healthChanged)
    }

    /// The second transaction of a push: its result, if no newer one was leased since.
    private func record(_ push: Push, _ result: PushResult, on id: DeviceID) async throws {
        let now = clock.now
        try await pool.withTransaction { transaction in
            guard var stored = try await ActivityRepository.lockDevice(id, in: transaction) else { return }
            let cards = try await ActivityRepository.cards(on: id, of: [push.activity], in: transaction)
            guard var card = cards.first(where: { $0.card.id == push.card }), card.card.record(push, result, now: now)
            else { return }
            card.leasedUntil = nil
            if result == .gone, push.event == .start { stored.device.pushToStartToken = nil }
            try await transaction.batch([
                ActivityRepository.save(card), ActivityRepository.answer(push, result),
                ActivityRepository.setDue(stored, at: now),
            ])
        }
        count(push, result)
    }

    private func count(_ push: Push, _ result: PushResult?) {
        guard let result else { return }
        DispatchMetrics.countPush(push, result)
    }
}
