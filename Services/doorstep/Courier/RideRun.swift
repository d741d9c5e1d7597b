import DomainTime
import DoorstepAPI
import FlowControl
import Foundation
import OrderDomain

/// Carries a plan out on the domain clock: sends what is due, in order, until it was answered.
///
/// The plan is the queue. A service that is away is asked again, later each time, and gets all that it missed; fixes do
/// not wait for presses, nor presses for fixes.
struct RideRun: Sendable {
    /// Fixes in one request at most.
    static let fixesPerRequestMax = 100
    static let backOff = BackOff(first: .milliseconds(500), longest: .seconds(15), jitterShare: 0.5)

    let plan: RidePlan
    let clock: DomainClock
    let services: any RideServices
    let log: any RideLog
    /// Waits on the wall clock.
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// - Throws: `CommandFailure` for a refusal that asking again would not change.
    func run() async throws {
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
            // The clock may wake a hair early; the first is due all the same.
            let batch = due.isEmpty ? rest.prefix(1) : due
            let body = FixesBody(
                fixes: batch.map {
                    .readable(
                        .init(
                            time: $0.time, latitude: $0.place.latitude, longitude: $0.place.longitude,
                            accuracy: $0.accuracy))
                })
            let answer = try await untilAnswered(.courierETA) {
                try await services.take(body)
            }
            rest = rest.dropFirst(batch.count)
            await log.sent(Array(batch), answer: answer, left: rest.count)
        }
    }

    private func press() async throws {
        for press in plan.presses {
            try await clock.sleep(until: press.at)
            try await untilAnswered(.orders) {
                let now = try await services.delivery(press.delivery)
                // Somebody, or a fix that said so, was faster.
                guard now.status != press.status, now.allowed.contains(press.status) else {
                    return await log.passedOver(press, now: now.status)
                }
                do {
                    try await services.set(press.status, of: press.delivery)
                } catch let failure as CommandFailure where failure.kind == .conflict {
                    return await log.passedOver(press, now: now.status)
                }
                await log.pressed(press)
            }
        }
    }

    /// Asks again while the service is away, with growing waits on the wall clock.
    private func untilAnswered<Answer: Sendable>(
        _ peer: Peer, _ ask: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        var failures = 0
        while true {
            do {
                return try await ask()
            } catch let failure as CommandFailure where failure.kind == .unavailable {
                failures += 1
                await log.isAway(peer, attempts: failures, why: failure.message)
                try await pause(Self.backOff.delay(failures: failures, jitter: .random(in: 0...1)))
            }
        }
    }
}
