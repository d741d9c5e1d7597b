import Foundation
import SeededRandom
import Testing

@testable import ArrivalEstimate

@Suite("Standing still")
struct StandingTests {
    /// A courier who is at `place` from `since` on, seen at `now`, with a fix every 15 s.
    private func sighting(
        standingAt place: Place, since: Double = 0, now: Double, stage: Stage = .carrying, otherStops: [Place] = []
    ) -> Sighting {
        let fixes = stride(from: min(since, now), through: now, by: 15).map {
            Fix(time: seconds($0), place: place, accuracy: 10, speed: 0)
        }
        return Sighting(
            mode: .bicycle, stage: stage, stageSince: start, store: store, door: door, otherStops: otherStops,
            isNextStop: true, promiseEnd: seconds(7_200), track: track(of: fixes),
            estimate: ArrivalEstimate(
                arrivesAt: seconds(now + 600), earliest: seconds(now + 400), latest: seconds(now + 900),
                madeAt: seconds(now)),
            now: seconds(now))
    }

    @Test("Two minutes in one place is noticed, told once, and so is going on")
    func noticed() {
        var record = SignRecord(reached: [.leftStore])
        #expect(record.notice(sighting(standingAt: along(0.5), now: 105)).isEmpty, "a traffic light")
        #expect(record.notice(sighting(standingAt: along(0.5), now: 120)) == [.standing])
        #expect(record.notice(sighting(standingAt: along(0.5), now: 600)).isEmpty, "told once")
        #expect(record.standsSince == start, "from its first moment")
        #expect(record.notice(sighting(standingAt: along(0.55), since: 600, now: 600)) == [.moving])
        #expect(record.standsSince == nil)
    }

    @Test("A customer is told after four minutes; silence does not count")
    func shown() {
        var record = SignRecord(reached: [.leftStore])
        for now in [120.0, 225] {
            _ = record.notice(sighting(standingAt: along(0.5), now: now))
            #expect(record.standingToShow(heardAt: seconds(now)) == nil)
        }
        #expect(record.standingToShow(heardAt: seconds(240)) == start)
        #expect(record.standingToShow(heardAt: nil) == nil)
    }

    @Test("It is no news at the store, near the door, or at anybody else's")
    func work() {
        let other = along(0.5)
        for place in [along(0.04), along(0.96), other] {
            var record = SignRecord(reached: [.leftStore, .arriving])
            let seen = sighting(standingAt: place, now: 900, otherStops: [other])
            #expect(!record.notice(seen).contains(.standing))
        }
        var record = SignRecord(reached: [.leftStore])
        #expect(record.notice(sighting(standingAt: other, now: 900)) == [.standing], "the same place, and no stop")
    }

    @Test("It counts on the way only", arguments: [Stage.assigned, .atDoor, .returning])
    func stages(stage: Stage) {
        var record = SignRecord()
        #expect(!record.notice(sighting(standingAt: along(0.5), now: 900, stage: stage)).contains(.standing))
    }

    @Test("What was stood before pickup is no standing after it")
    func beforeStage() {
        var record = SignRecord(reached: [.leftStore])
        #expect(record.notice(sighting(standingAt: along(0.5), since: -600, now: 105)).isEmpty)
    }

    @Test("On any ride with stops and jitter, standing and moving alternate, and no stop is ever an alarm")
    func anyRide() {
        for seed in 0..<60 {
            var random = SeededGenerator(seed: UInt64(seed))
            let stop = along(Double.random(in: 0.3...0.7, using: &random))
            var fixes: [Fix] = []
            var (share, time) = (0.1, 0.0)
            var record = SignRecord(reached: [.leftStore])
            var told: [Sign] = []
            while share < 1 {
                for _ in 0..<Int.random(in: 1...30, using: &random) {
                    let jitter = Double.random(in: -0.0001...0.0001, using: &random)
                    var place = along(share)
                    place = Place(latitude: place.latitude + jitter, longitude: place.longitude)
                    fixes.append(Fix(time: seconds(time), place: place, accuracy: 15))
                    time += 15
                    var seen = sighting(standingAt: place, since: time, now: time, otherStops: [stop])
                    seen.track = track(of: fixes)
                    let signs = record.notice(seen).filter { $0 == .standing || $0 == .moving }
                    if signs == [.standing] { #expect(place.distance(to: stop) > Standing.stopMetres) }
                    told += signs
                }
                share += Double.random(in: 0.02...0.2, using: &random)
            }
            let alternating = told.indices.allSatisfy { told[$0] == ($0.isMultiple(of: 2) ? .standing : .moving) }
            #expect(alternating, "seed \(seed): \(told)")
        }
    }
}
