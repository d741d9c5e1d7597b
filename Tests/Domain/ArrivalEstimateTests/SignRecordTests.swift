import ArrivalEstimate
import Foundation
import Testing

@Suite("Sign record")
struct SignRecordTests {
    private func sighting(
        _ stage: Stage, at place: Place, speed: Double? = 4, now: Double = 100, lastFix: Double? = nil,
        isNextStop: Bool = true, remaining: Double = 600, promiseEnd: Double = 3_600, mode: TravelMode = .bicycle
    ) -> Sighting {
        Sighting(
            mode: mode, stage: stage, stageSince: start, store: store, door: door, isNextStop: isNextStop,
            promiseEnd: seconds(promiseEnd),
            track: track(of: [Fix(time: seconds(lastFix ?? now), place: place, accuracy: 10, speed: speed)]),
            estimate: ArrivalEstimate(
                arrivesAt: seconds(now + remaining), earliest: seconds(now), latest: seconds(now + 2 * remaining),
                madeAt: seconds(now)),
            now: seconds(now))
    }

    @Test("Near the store is 250 m, on the way to it", arguments: [Stage.assigned, .toStore])
    func nearStore(stage: Stage) {
        var progress = SignRecord()
        #expect(progress.notice(sighting(stage, at: along(0.09))).isEmpty)
        #expect(progress.notice(sighting(stage, at: along(0.08))) == [.nearStore])
        #expect(progress.notice(sighting(stage, at: along(0.08))).isEmpty, "told once")
    }

    @Test("Leaving the store is told once the goods are with the courier")
    func leftStore() {
        var progress = SignRecord()
        #expect(progress.notice(sighting(.toStore, at: along(0.2))).isEmpty)
        #expect(progress.notice(sighting(.carrying, at: along(0.04))).isEmpty)
        #expect(progress.notice(sighting(.carrying, at: along(0.06))) == [.leftStore])
    }

    /// Of 3,000 m, the share at which each way of moving is not yet near, and that at which it is.
    static let nearness: [(TravelMode, Double, Double)] = [
        (.bicycle, 0.90, 0.91), (.car, 0.83, 0.84), (.cab, 0.77, 0.78),
    ]

    @Test("Arriving is as far from the door as that vehicle goes in two minutes", arguments: SignRecordTests.nearness)
    func arrivingByDistance(mode: TravelMode, outside: Double, inside: Double) {
        var record = SignRecord(reached: [.leftStore])
        #expect(record.notice(sighting(.carrying, at: along(outside), mode: mode)).isEmpty)
        #expect(record.notice(sighting(.carrying, at: along(inside), mode: mode)) == [.arriving])
    }

    @Test("Near is near until the courier is well away again, whatever orders has heard meanwhile")
    func staysNear() {
        var record = SignRecord(reached: [.leftStore])
        #expect(record.notice(sighting(.carrying, at: along(0.91))) == [.arriving])
        /// As `orders` showed it before it heard.
        func said() -> SignRecord { SignRecord(reached: [.leftStore]).continuing(record) }
        record = said()
        #expect(record.notice(sighting(.carrying, at: along(0.87))) == [.arriving], "390 m, a bend of the road")
        record = said()
        #expect(record.notice(sighting(.carrying, at: along(0.85))).isEmpty, "450 m and ten minutes: a detour")
        record = said()
        #expect(record.notice(sighting(.carrying, at: along(0.87))).isEmpty, "from outside it is near at 290 m")
    }

    @Test("Arriving is two minutes from the door, wherever that is")
    func arrivingByTime() {
        var byTime = SignRecord(reached: [.leftStore])
        #expect(byTime.notice(sighting(.carrying, at: along(0.5), remaining: 121)).isEmpty)
        #expect(byTime.notice(sighting(.carrying, at: along(0.5), remaining: 120)) == [.arriving])
    }

    @Test("Arriving and at the door are for the next stop only")
    func nextStopOnly() {
        var progress = SignRecord(reached: [.leftStore])
        #expect(progress.notice(sighting(.carrying, at: door, speed: 0, isNextStop: false, remaining: 0)).isEmpty)
        #expect(progress.notice(sighting(.carrying, at: door, speed: 0, remaining: 0)) == [.arriving, .atDoor])
    }

    @Test("Riding past the door is not being there")
    func passing() {
        var progress = SignRecord(reached: [.leftStore, .arriving])
        #expect(progress.notice(sighting(.carrying, at: door, speed: 5)).isEmpty)
        #expect(progress.notice(sighting(.carrying, at: along(0.98), speed: 0)).isEmpty)
        #expect(progress.notice(sighting(.carrying, at: along(0.99), speed: 1)) == [.atDoor])
    }

    @Test("A fix from before the pickup tells nothing about the way after it")
    func olderFix() {
        var progress = SignRecord()
        #expect(progress.notice(sighting(.carrying, at: door, speed: 0, now: 10, lastFix: -5)).isEmpty)
    }

    @Test("Silence is told after five minutes, and so is its end")
    func silence() {
        var progress = SignRecord(reached: [.leftStore])
        #expect(progress.notice(sighting(.carrying, at: along(0.5), now: 399, lastFix: 100)).isEmpty)
        #expect(progress.notice(sighting(.carrying, at: along(0.5), now: 400, lastFix: 100)) == [.silent])
        #expect(progress.notice(sighting(.carrying, at: along(0.5), now: 500, lastFix: 100)).isEmpty)
        #expect(progress.notice(sighting(.carrying, at: along(0.5), now: 510, lastFix: 509)) == [.heard])
    }

    @Test("A courier who never was heard is silent five minutes into the stage, but not before setting out")
    func neverHeard() {
        var seen = sighting(.carrying, at: store, now: 300)
        seen.track = CourierTrack()
        seen.estimate = nil
        var progress = SignRecord()
        #expect(seen.silentAt == seconds(300))
        #expect(progress.notice(seen) == [.silent])
        seen.stage = .assigned
        #expect(seen.silentAt == nil)
    }

    @Test("Late is told when it is likely, taken back when it is unlikely, and left alone in between")
    func lateness() {
        var progress = SignRecord(reached: [.leftStore])
        /// The window goes from now to twice the remaining time.
        func at(_ remaining: Double) -> Sighting {
            sighting(.carrying, at: along(0.5), now: 1_000, remaining: remaining, promiseEnd: 2_000)
        }
        #expect(progress.notice(at(1_400)).isEmpty)
        #expect(progress.notice(at(2_400)) == [.late])
        #expect(progress.notice(at(1_000)).isEmpty)
        #expect(progress.notice(at(2_400)).isEmpty, "told once")
        #expect(progress.notice(at(500)) == [.onTime])
    }

    @Test("A promise that has passed is missed, whatever the estimate says")
    func passedPromise() {
        var progress = SignRecord(reached: [.leftStore, .arriving])
        #expect(progress.notice(sighting(.carrying, at: along(0.95), now: 3_600, remaining: 10)) == [.late])
        var back = SignRecord()
        #expect(back.notice(sighting(.returning, at: along(0.5), now: 3_600)).isEmpty)
    }

    @Test("What was told survives being stored")
    func stored() throws {
        var progress = SignRecord()
        _ = progress.notice(sighting(.carrying, at: door, speed: 0, promiseEnd: 0))
        #expect(try JSONDecoder().decode(SignRecord.self, from: JSONEncoder().encode(progress)) == progress)
    }
}
