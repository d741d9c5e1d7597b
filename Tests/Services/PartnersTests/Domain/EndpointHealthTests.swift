import Foundation
import OrderDomain
import SeededRandom
import Testing
import TextCoding

@testable import Partners

@Suite("The health of an endpoint")
struct EndpointHealthTests {
    private let start = Date(timeIntervalSince1970: 1_795_284_000)

    private static let answers: [(status: Int?, retryAfter: Double?, outcome: AttemptOutcome)] = [
        (200, nil, .delivered), (204, nil, .delivered), (299, 30.0, .delivered), (302, nil, .failed),
        (301, nil, .failed), (410, nil, .gone), (400, nil, .failed), (404, nil, .failed), (500, nil, .failed),
        (429, nil, .throttled(seconds: nil)), (502, nil, .throttled(seconds: nil)), (504, 7, .throttled(seconds: 7)),
        (503, 30, .throttled(seconds: 30)), (nil, nil, .failed),
    ]

    @Test("Answers are sorted as Standard Webhooks has them", arguments: answers)
    func outcomes(status: Int?, retryAfter: Double?, expected: AttemptOutcome) {
        #expect(AttemptOutcome(status: status, retryAfter: retryAfter) == expected)
    }

    @Test("Whatever happens, a pause is bounded, a failing one gets one attempt, and a success clears everything")
    func random() {
        for seed in 0..<2_000 {
            var random = SeededGenerator(seed: UInt64(seed))
            var health = EndpointHealth()
            var now = start
            for _ in 0..<60 {
                now = now.addingTimeInterval(.random(in: 0...30_000, using: &random))
                let outcome: AttemptOutcome =
                    [
                        .delivered, .failed, .failed, .throttled(seconds: .random(in: 0...200_000, using: &random)),
                        .throttled(seconds: nil),
                    ].randomElement(using: &random) ?? .failed
                let before = health
                let hasRecovered = health.record(outcome, begun: now, at: now)
                if outcome == .delivered {
                    #expect(hasRecovered == (before.failingSince != nil))
                    #expect(health.failingSince == nil && health.failures == 0 && health.pausedUntil == nil)
                    #expect(health.inFlightMax == EndpointHealth.inFlightMax)
                } else {
                    #expect(health.inFlightMax == 1 && !hasRecovered)
                    let until = health.pausedUntil ?? .distantPast
                    #expect(until > now)
                    #expect(
                        until <= max(before.pausedUntil ?? now, now).addingTimeInterval(EndpointHealth.retryAfterMax))
                    #expect(
                        (health.disabled == nil) || now.timeIntervalSince(health.failingSince ?? now) >= 5 * 86_400
                            || before.disabled != nil)
                }
            }
        }
    }

    @Test("What began before a failure ends no pause that came with it, and failures at once are one")
    func atOnce() {
        var health = EndpointHealth()
        let begun = start
        _ = health.record(.throttled(seconds: 3_600), begun: begun, at: start.addingTimeInterval(1))
        for _ in 0..<7 { _ = health.record(.failed, begun: begun, at: start.addingTimeInterval(1)) }
        #expect(health.failures == 1 && health.pausedUntil == start.addingTimeInterval(3_601))
        let isRecovered = health.record(.delivered, begun: begun, at: start.addingTimeInterval(2))
        #expect(!isRecovered)
        #expect(health.failingSince != nil && health.pausedUntil == start.addingTimeInterval(3_601))
        let later = start.addingTimeInterval(3_602)
        let isRecoveredLater = health.record(.delivered, begun: later, at: later.addingTimeInterval(1))
        #expect(isRecoveredLater && health == EndpointHealth())
    }

    @Test("A failure that was noted before the clock was set back is earlier than any attempt, and pauses nothing")
    func clockSetBack() {
        var health = EndpointHealth()
        _ = health.record(.throttled(seconds: 3_600), begun: start, at: start.addingTimeInterval(1))
        let back = start.addingTimeInterval(-86_400)
        var failing = health
        _ = failing.record(.failed, begun: back, at: back)
        #expect(failing.failedAt == back && failing.failures == 2 && failing.failingSince == back)
        #expect(failing.pausedUntil == back.addingTimeInterval(2) && failing.disabled == nil)
        let hasRecovered = health.record(.delivered, begun: back, at: back)
        #expect(hasRecovered && health == EndpointHealth())
    }

    @Test("A schedule gives each attempt its time, longer ones later, and ends")
    func schedule() {
        for attempts in 1..<RetrySchedule.attemptsMax {
            let soonest = RetrySchedule.next(after: attempts, at: start, jitter: 0)
            let latest = RetrySchedule.next(after: attempts, at: start, jitter: 1)
            #expect(soonest == start.addingTimeInterval(RetrySchedule.delays[attempts - 1]))
            #expect((latest ?? start) > (soonest ?? start))
        }
        #expect(RetrySchedule.next(after: RetrySchedule.attemptsMax, at: start, jitter: 0) == nil)
        #expect(RetrySchedule.next(after: 0, at: start, jitter: 0) == nil)
    }
}

@Suite("Secrets that are kept")
struct SecretBoxTests {
    @Test("What was sealed opens for its owner alone, with the key that it names")
    func seals() throws {
        let (one, two) = (Array(repeating: UInt8(1), count: 32), Array(repeating: UInt8(2), count: 32))
        let box = try SecretBox(keys: [1: one], encrypting: 1)
        let sealed = try box.seal("whsec_abc", of: "uber")
        #expect(try box.open(sealed, of: "uber") == "whsec_abc")
        #expect(throws: (any Error).self) { try box.open(sealed, of: "onfleet") }
        let rotated = try SecretBox(keys: [1: one, 2: two], encrypting: 2)
        let waiting = try SecretBox(keys: [1: one, 2: two], encrypting: 1)
        #expect(try box.open(waiting.seal("whsec", of: "uber"), of: "uber") == "whsec")
        #expect(try waiting.open(rotated.seal("whsec", of: "uber"), of: "uber") == "whsec")
        #expect(try rotated.open(sealed, of: "uber") == "whsec_abc")
        #expect(try rotated.seal("x", of: "y").first == 2)
        #expect(throws: SecretKeyError.unknownKey) {
            try SecretBox(keys: [2: two], encrypting: 2).open(sealed, of: "uber")
        }
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 1
            #expect(throws: (any Error).self) { try box.open(damaged, of: "uber") }
        }
        #expect(throws: SecretKeyError.noKeys) { try SecretBox(keys: [:], encrypting: 1) }
        #expect(throws: SecretKeyError.noneInUse) { try SecretBox(keys: [1: one, 2: two], encrypting: nil) }
        #expect(throws: SecretKeyError.wrongLength(3)) { try SecretBox(keys: [3: [1, 2]], encrypting: 3) }
    }
}
