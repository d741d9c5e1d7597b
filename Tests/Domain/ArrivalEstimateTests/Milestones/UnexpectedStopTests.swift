import Foundation
import OrderDomain
import SeededRandom
import Testing

@testable import ArrivalEstimate

@Suite("Unexpected stop")
struct UnexpectedStopTests {
    /// A courier who is at `place` from `since` on, seen at `now`, with a fix every 15 s.
    private func input(
        standingAt place: Coordinate, since: Double = 0, now: Double, stage: Stage = .carrying,
        otherStops: [Coordinate] = []
    ) -> MilestoneInput {
        let fixes = stride(from: min(since, now), through: now, by: 15).map {
            Fix(time: seconds($0), place: place, accuracy: 10, speed: 0)
        }
        return MilestoneInput(
            mode: .bicycle, stage: stage, stageSince: start, store: store, door: door, otherStops: otherStops,
            isNextStop: true, promiseEnd: seconds(7_200), track: track(of: fixes),
            estimate: Estimate(
                arrivesAt: seconds(now + 600), earliest: seconds(now + 400), latest: seconds(now + 900),
                madeAt: seconds(now)),
            now: seconds(now))
    }

    @Test("Two minutes in one place are detected, reported once, and so is moving on")
    func noticed() {
        var detector = MilestoneDetector(reached: [.leftStore])
        #expect(detector.detect(input(standingAt: along(0.5), now: 105)).isEmpty, "a traffic light")
        #expect(detector.detect(input(standingAt: along(0.5), now: 120)) == [.standing])
        #expect(detector.detect(input(standingAt: along(0.5), now: 600)).isEmpty, "reported once")
        #expect(detector.stoppedSince == start, "from its first moment")
        #expect(detector.detect(input(standingAt: along(0.55), since: 600, now: 600)) == [.moving])
        #expect(detector.stoppedSince == nil)
    }

    @Test("It is reportable to the customer after four minutes; silence does not count")
    func shown() {
        var detector = MilestoneDetector(reached: [.leftStore])
        for now in [120.0, 225] {
            _ = detector.detect(input(standingAt: along(0.5), now: now))
            #expect(detector.reportableStop(lastFixAt: seconds(now)) == nil)
        }
        #expect(detector.reportableStop(lastFixAt: seconds(240)) == start)
        #expect(detector.reportableStop(lastFixAt: nil) == nil)
    }

    @Test("It is no news at the store, near the door, or at anybody else's")
    func work() {
        let other = along(0.5)
        for place in [along(0.04), along(0.96), other] {
            var detector = MilestoneDetector(reached: [.leftStore, .arriving])
            let seen = input(standingAt: place, now: 900, otherStops: [other])
            #expect(!detector.detect(seen).contains(.standing))
        }
        var detector = MilestoneDetector(reached: [.leftStore])
        #expect(detector.detect(input(standingAt: other, now: 900)) == [.standing], "the same place, and no stop")
    }

    @Test("It is detected on the way only", arguments: [Stage.assigned, .atDoor, .returning])
    func stages(stage: Stage) {
        var detector = MilestoneDetector()
        #expect(!detector.detect(input(standingAt: along(0.5), now: 900, stage: stage)).contains(.standing))
    }

    @Test("What was stood before pickup is no standing after it")
    func beforeStage() {
        var detector = MilestoneDetector(reached: [.leftStore])
        #expect(detector.detect(input(standingAt: along(0.5), since: -600, now: 105)).isEmpty)
    }

    @Test("On any ride with stops and jitter, standing and moving alternate, and no stop is ever an alarm")
    func anyRide() {
        for seed in 0..<60 {
            var random = SeededGenerator(seed: UInt64(seed))
            let stop = along(Double.random(in: 0.3...0.7, using: &random))
            var fixes: [Fix] = []
            var (share, time) = (0.1, 0.0)
            var detector = MilestoneDetector(reached: [.leftStore])
            var reported: [Milestone] = []
            while share < 1 {
                for _ in 0..<Int.random(in: 1...30, using: &random) {
                    let jitter = Double.random(in: -0.0001...0.0001, using: &random)
                    var place = along(share)
                    place = Coordinate(latitude: place.latitude + jitter, longitude: place.longitude)!
                    fixes.append(Fix(time: seconds(time), place: place, accuracy: 15))
                    time += 15
                    var seen = input(standingAt: place, since: time, now: time, otherStops: [stop])
                    seen.track = track(of: fixes)
                    let milestones = detector.detect(seen).filter { $0 == .standing || $0 == .moving }
                    if milestones == [.standing] { #expect(place.distance(to: stop) > UnexpectedStop.stopMetres) }
                    reported += milestones
                }
                share += Double.random(in: 0.02...0.2, using: &random)
            }
            let alternating = reported.indices.allSatisfy {
                reported[$0] == ($0.isMultiple(of: 2) ? .standing : .moving)
            }
            #expect(alternating, "seed \(seed): \(reported)")
        }
    }
}
