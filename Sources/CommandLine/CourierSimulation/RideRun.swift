internal import CommandOutput
package import DomainTime
internal import DoorstepAPI
internal import FlowControl
internal import Foundation
internal import OrderDomain
internal import StackClient

/// Executes a plan on the domain clock: sends due fixes and presses in order, and retries until they are answered.
///
/// The plan is the queue: an unavailable service is retried with back-off and then receives its backlog. Fixes and
/// presses do not wait for each other.
package struct RideRun: Sendable {
    /// Fixes in one request at most.
    static let fixesPerRequestMax = 100
    static let backOff = BackOff(first: .milliseconds(500), longest: .seconds(15), jitterShare: 0.5)

    private let plan: RidePlan
    private let clock: DomainClock
    private let services: any RideServices
    private let log: any RideLog
    /// Waits on the wall clock between attempts.
    private let pause: @Sendable (Duration) async throws -> Void

    package init(
        plan: RidePlan, clock: DomainClock, services: any RideServices, log: any RideLog,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.plan = plan
        self.clock = clock
        self.services = services
        self.log = log
        self.pause = pause
    }

    /// Returns when every fix and press has been answered.
    ///
    /// - Throws: `CommandFailure` for a refusal that a retry would not change.
    package func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sendFixes() }
            group.addTask { try await press() }
            try await group.waitForAll()
        }
        await log.finished()
    }

    private func sendFixes() async throws {
        var rest = plan.ride.fixes[...]
        while let next = rest.first {
            try await clock.sleep(until: next.sentAt)
            let now = clock.now
            let due = rest.prefix(Self.fixesPerRequestMax).prefix { $0.sentAt <= now }
            // The clock may wake slightly early; the first fix is due even then.
            let batch = due.isEmpty ? rest.prefix(1) : due
            let body = FixesBody(
                fixes: batch.map {
                    .readable(
                        .init(
                            time: $0.time, latitude: $0.place.latitude, longitude: $0.place.longitude,
                            accuracy: $0.accuracy))
                })
            let answer = try await untilAnswered(.courierETA) {
                try await services.send(body)
            }
            rest = rest.dropFirst(batch.count)
            await log.sent(Array(batch), answer: answer, remaining: rest.count)
        }
    }

    private func press() async throws {
        for press in plan.presses {
            try await clock.sleep(until: press.at)
            try await untilAnswered(.orders) {
                let now = try await services.delivery(press.delivery)
                // An operator, or the status that follows from the fixes, may have come first.
                guard now.status != press.status, now.allowed.contains(press.status) else {
                    return await log.skipped(press, now: now.status)
                }
                do {
                    try await services.set(press.status, of: press.delivery)
                } catch let failure as CommandFailure where failure.kind == .conflict {
                    return await log.skipped(press, now: now.status)
                }
                await log.pressed(press)
            }
        }
    }

    /// Retries while the service is unavailable, with back-off on the wall clock.
    private func untilAnswered<Answer: Sendable>(
        _ peer: Peer, _ request: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        var failures = 0
        while true {
            do {
                return try await request()
            } catch let failure as CommandFailure where failure.kind == .unavailable {
                failures += 1
                await log.isUnavailable(peer, attempts: failures, why: failure.message)
                try await pause(Self.backOff.delay(failures: failures, jitter: .random(in: 0...1)))
            }
        }
    }
}
