import ArrivalEstimate
import Foundation
import OrderDomain
import Testing

@Suite("Milestone detector")
struct MilestoneDetectorTests {
    private func input(
        _ stage: Stage, at place: Coordinate, speed: Double? = 4, now: Double = 100, lastFix: Double? = nil,
        isNextStop: Bool = true, remaining: Double = 600, promiseEnd: Double = 3_600, mode: TravelMode = .bicycle
    ) -> MilestoneInput {
        MilestoneInput(
            mode: mode, stage: stage, stageSince: start, store: store, door: door, isNextStop: isNextStop,
            promiseEnd: seconds(promiseEnd),
            track: track(of: [Fix(time: seconds(lastFix ?? now), place: place, accuracy: 10, speed: speed)]),
            estimate: Estimate(
                arrivesAt: seconds(now + remaining), earliest: seconds(now), latest: seconds(now + 2 * remaining),
                madeAt: seconds(now)),
            now: seconds(now))
    }

    @Test("Near the store is 250 m, on the way to it", arguments: [Stage.assigned, .toStore])
    func nearStore(stage: Stage) {
        var detector = MilestoneDetector()
        #expect(detector.detect(input(stage, at: along(0.09))).isEmpty)
        #expect(detector.detect(input(stage, at: along(0.08))) == [.nearStore])
        #expect(detector.detect(input(stage, at: along(0.08))).isEmpty, "reported once")
    }

    @Test("Leaving the store is reported once the goods are with the courier")
    func leftStore() {
        var detector = MilestoneDetector()
        #expect(detector.detect(input(.toStore, at: along(0.2))).isEmpty)
        #expect(detector.detect(input(.carrying, at: along(0.04))).isEmpty)
        #expect(detector.detect(input(.carrying, at: along(0.06))) == [.leftStore])
    }

    /// Of 3,000 m, the share at which each travel mode is not yet near, and that at which it is.
    static let nearness: [(TravelMode, Double, Double)] = [
        (.bicycle, 0.90, 0.91), (.car, 0.83, 0.84), (.cab, 0.77, 0.78),
    ]

    @Test(
        "Arriving is as far from the door as that vehicle goes in two minutes",
        arguments: MilestoneDetectorTests.nearness)
    func arrivingByDistance(mode: TravelMode, outside: Double, inside: Double) {
        var detector = MilestoneDetector(reached: [.leftStore])
        #expect(detector.detect(input(.carrying, at: along(outside), mode: mode)).isEmpty)
        #expect(detector.detect(input(.carrying, at: along(inside), mode: mode)) == [.arriving])
    }

    @Test("Hysteresis: near lasts until the courier is well away again, whatever orders has received meanwhile")
    func hysteresis() {
        var detector = MilestoneDetector(reached: [.leftStore])
        #expect(detector.detect(input(.carrying, at: along(0.91))) == [.arriving])
        /// As in the snapshot of `orders` before it received the milestone.
        func next() -> MilestoneDetector { MilestoneDetector(reached: [.leftStore]).continuing(detector) }
        detector = next()
        #expect(detector.detect(input(.carrying, at: along(0.87))) == [.arriving], "390 m, a bend of the road")
        detector = next()
        #expect(detector.detect(input(.carrying, at: along(0.85))).isEmpty, "450 m and ten minutes: a detour")
        detector = next()
        #expect(detector.detect(input(.carrying, at: along(0.87))).isEmpty, "from outside it is near at 290 m")
    }

    @Test("Arriving is two minutes from the door, wherever that is")
    func arrivingByTime() {
        var byTime = MilestoneDetector(reached: [.leftStore])
        #expect(byTime.detect(input(.carrying, at: along(0.5), remaining: 121)).isEmpty)
        #expect(byTime.detect(input(.carrying, at: along(0.5), remaining: 120)) == [.arriving])
    }

    @Test("Arriving and at the door are for the next stop only")
    func nextStopOnly() {
        var detector = MilestoneDetector(reached: [.leftStore])
        #expect(detector.detect(input(.carrying, at: door, speed: 0, isNextStop: false, remaining: 0)).isEmpty)
        #expect(detector.detect(input(.carrying, at: door, speed: 0, remaining: 0)) == [.arriving, .atDoor])
    }

    @Test("Riding past the door is not being there")
    func passing() {
        var detector = MilestoneDetector(reached: [.leftStore, .arriving])
        #expect(detector.detect(input(.carrying, at: door, speed: 5)).isEmpty)
        #expect(detector.detect(input(.carrying, at: along(0.98), speed: 0)).isEmpty)
        #expect(detector.detect(input(.carrying, at: along(0.99), speed: 1)) == [.atDoor])
    }

    @Test("A fix from before the pickup is no evidence for the leg after it")
    func olderFix() {
        var detector = MilestoneDetector()
        #expect(detector.detect(input(.carrying, at: door, speed: 0, now: 10, lastFix: -5)).isEmpty)
    }

    @Test("Silence is reported after five minutes, and so is its end")
    func silence() {
        var detector = MilestoneDetector(reached: [.leftStore])
        #expect(detector.detect(input(.carrying, at: along(0.5), now: 399, lastFix: 100)).isEmpty)
        #expect(detector.detect(input(.carrying, at: along(0.5), now: 400, lastFix: 100)) == [.silent])
        #expect(detector.detect(input(.carrying, at: along(0.5), now: 500, lastFix: 100)).isEmpty)
        #expect(detector.detect(input(.carrying, at: along(0.5), now: 510, lastFix: 509)) == [.reporting])
    }

    @Test("Silence brings a courier near no door: almost there and no news are never reported at once")
    func silenceIsNoArrival() {
        // By the clock the courier is at the door; by the fix they are half-way.
        var detector = MilestoneDetector(reached: [.leftStore])
        #expect(detector.detect(input(.carrying, at: along(0.5), now: 400, lastFix: 100, remaining: 0)) == [.silent])
        #expect(detector.detect(input(.carrying, at: along(0.95), now: 700, lastFix: 100, remaining: 0)).isEmpty)
        #expect(
            detector.detect(input(.carrying, at: along(0.95), now: 710, lastFix: 709)) == [.arriving, .reporting],
            "the next fix is what shows it")
    }

    @Test("A courier without a fix is silent five minutes into the stage, but not before setting out")
    func withoutFix() {
        var seen = input(.carrying, at: store, now: 300)
        seen.track = CourierTrack()
        seen.estimate = nil
        var detector = MilestoneDetector()
        #expect(seen.silentAt == seconds(300))
        #expect(detector.detect(seen) == [.silent])
        seen.isTracked = false
        #expect(detector.detect(seen) == [.reporting], "no news is expected any more")
        #expect(detector.detect(seen).isEmpty)
        seen.stage = .assigned
        #expect(seen.silentAt == nil)
    }

    @Test(
        "Where no silence is detected, one that was reported lasts until the next fix, or until none is expected",
        arguments: [Stage.assigned, .returning])
    func silenceBefore(stage: Stage) {
        var detector = MilestoneDetector(isSilent: true)
        var withoutFix = input(stage, at: along(0.5), now: 600, lastFix: 100)
        withoutFix.stageSince = seconds(590)
        #expect(detector.detect(withoutFix).isEmpty)
        #expect(detector.isSilent)
        withoutFix.isTracked = false
        var untracked = detector
        #expect(untracked.detect(withoutFix) == [.reporting])
        #expect(detector.detect(input(stage, at: along(0.5), now: 610, lastFix: 609)) == [.reporting])
        #expect(detector.detect(input(stage, at: along(0.5), now: 2_000, lastFix: 609)).isEmpty)
    }

    @Test("A silence that was reported goes on in the next stage, and ends with a fix")
    func silenceOutlastsStage() {
        var detector = MilestoneDetector(reached: [.leftStore], isSilent: true)
        var withoutFix = input(.carrying, at: along(0.5), now: 600, lastFix: 100)
        withoutFix.stageSince = seconds(590)
        #expect(detector.detect(withoutFix).isEmpty)
        #expect(detector.isSilent)
        #expect(detector.detect(input(.carrying, at: along(0.5), now: 610, lastFix: 609)) == [.reporting])
    }

    @Test("Late is reported when likely, revoked when unlikely, and unchanged in between")
    func lateness() {
        var detector = MilestoneDetector(reached: [.leftStore])
        /// The window goes from now to twice the remaining time.
        func at(_ remaining: Double) -> MilestoneInput {
            input(.carrying, at: along(0.5), now: 1_000, remaining: remaining, promiseEnd: 2_000)
        }
        #expect(detector.detect(at(1_400)).isEmpty)
        #expect(detector.detect(at(2_400)) == [.late])
        #expect(detector.detect(at(1_000)).isEmpty)
        #expect(detector.detect(at(2_400)).isEmpty, "reported once")
        #expect(detector.detect(at(500)) == [.onTime])
    }

    @Test("A promise that has passed is missed, whatever the estimate")
    func passedPromise() {
        var detector = MilestoneDetector(reached: [.leftStore, .arriving])
        #expect(detector.detect(input(.carrying, at: along(0.95), now: 3_600, remaining: 10)) == [.late])
        var there = MilestoneDetector(reached: [.leftStore, .arriving, .atDoor], isLate: true)
        // There nothing is estimated any more.
        var arrived = input(.atDoor, at: door)
        arrived.estimate = nil
        #expect(there.detect(arrived) == [.onTime], "the courier is there in time")
        #expect(there.detect(input(.atDoor, at: door, now: 3_600)) == [.late])
        var attempt = input(.atDoor, at: door)
        (attempt.isAttempted, attempt.estimate) = (true, nil)
        var attempted = MilestoneDetector(reached: [.leftStore, .arriving, .atDoor], isLate: true)
        #expect(attempted.detect(attempt).isEmpty, "nothing was handed over in time")
        var back = MilestoneDetector()
        #expect(back.detect(input(.returning, at: along(0.5), now: 3_600)).isEmpty)
    }

    @Test("What was reported survives being stored")
    func stored() throws {
        var detector = MilestoneDetector()
        _ = detector.detect(input(.carrying, at: door, speed: 0, promiseEnd: 0))
        #expect(try JSONDecoder().decode(MilestoneDetector.self, from: JSONEncoder().encode(detector)) == detector)
    }
}
