import BackgroundWork
import CoreMetrics
import DeclaredMetrics
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Synchronization

/// A leased push on its way over a network.
struct QueuedPush: Sendable {
    let push: Push
    let card: Card
    let device: Device
    /// The deadline of the send, before its lease expires, with time left to record the result.
    let deadline: ContinuousClock.Instant
}

/// This process's leased pushes that wait to be sent, and its circuit breakers.
final class PushQueue: Sendable {
    let pushes: SendQueue<QueuedPush>
    private let clock: DomainClock
    /// The wait of devices while the queue is full, in wall seconds.
    private let fullPause: TimeInterval
    private let wall: @Sendable () -> Date
    private let circuits: Mutex<PushCircuits>

    /// - Parameter app: the one that is configured; nil where none is.
    init(
        configuration: DispatchConfiguration = .init(), clock: DomainClock, app: BundleID? = nil,
        wall: @escaping @Sendable () -> Date = { Date() }
    ) {
        pushes = SendQueue(configuration: configuration.queue)
        fullPause = configuration.fullPause
        self.clock = clock
        self.wall = wall
        circuits = Mutex(PushCircuits(app: app))
    }

    /// The pushes that may not be leased for a device's cards now.
    func leaseGate(for device: Device, _ now: Date, _ wallNow: Date) -> LeaseGate {
        func domain(_ wall: Date) -> Date { now.addingTimeInterval(wall.timeIntervalSince(wallNow) * clock.rate) }
        var gate = LeaseGate()
        if !pushes.hasRoom { gate.fullUntil = domain(wallNow.addingTimeInterval(fullPause)) }
        circuits.withLock { circuits in
            for environment in PushTokenBody.Environment.allCases {
                let key = PushCircuits.Key(bundleID: device.bundleID, environment: environment)
                guard let until = circuits.openUntil(key, at: wallNow) else { continue }
                gate.halts[environment] = LeaseGate.Halt(
                    until: domain(until), reason: circuits.isOwn(key) ? .halted : .appRefused)
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

    /// Whether the app is configured, or Apple has accepted a push for it.
    func isOwn(_ key: PushCircuits.Key) -> Bool { circuits.withLock { $0.isOwn(key) } }

    /// Whether nothing is sent for an app now.
    func isHalted(_ key: PushCircuits.Key) -> Bool { circuits.withLock { $0.openUntil(key, at: wall()) } != nil }

    /// Opens the circuit of an app whose key or topic was refused.
    ///
    /// - Parameter jitter: from 0 to 1, of the time of the next attempt.
    /// - Returns: whether the circuit was closed.
    func halt(_ key: PushCircuits.Key, reason: String, jitter: Double) -> Bool {
        record { $0.halt(key, reason: reason, at: wall(), jitter: jitter) }
    }

    /// Closes the circuit of an app whose push Apple accepted.
    ///
    /// - Returns: whether the circuit was open.
    func close(_ key: PushCircuits.Key) -> Bool { record { $0.close(key) } }

    private func record(_ change: (inout PushCircuits) -> Bool) -> Bool {
        let (isChanged, count, otherCount) = circuits.withLock { circuits in
            (change(&circuits), circuits.count, circuits.otherCount)
        }
        DispatchMetrics.circuitsOpen.gauge().record(count)
        DispatchMetrics.otherCircuitsOpen.gauge().record(otherCount)
        return isChanged
    }
}
