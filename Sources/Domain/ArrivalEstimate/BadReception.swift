import Foundation
import SeededRandom

/// What is left of a ride's fixes when the phone hears satellites and network badly.
enum BadReception {
    /// Chance that a fix is lost, and that it comes late.
    private static let lost = 0.2
    private static let late = 0.1
    /// Seconds by which one that is late comes late at most.
    private static let lateSecondsMax = 180.0
    /// Metres by which a fix is off to the north and to the east, root mean square.
    private static let offMetres = 15.0

    /// The fixes that arrive, each with its moment of arrival; the same for the same seed.
    static func of(_ fixes: [Fix], seed: Int) -> [(heardAt: Date, fix: Fix)] {
        var random = TrainingSequence(seed: UInt64(seed))
        return fixes.sorted { $0.time < $1.time }.compactMap { fix in
            let (isLost, isLate) = (random.next() < lost, random.next() < late)
            let delay = random.next() * lateSecondsMax
            let (north, east) = (offset(&random), offset(&random))
            guard !isLost else { return nil }
            let moved = Fix(
                time: fix.time, place: fix.place.moved(north: north, east: east), accuracy: fix.accuracy,
                speed: fix.speed, heading: fix.heading)
            return (fix.time.addingTimeInterval(isLate ? delay : 0), moved)
        }
    }

    /// Three even draws make nearly a bell, of variance 1 where each is twice as wide as a unit.
    private static func offset(_ random: inout TrainingSequence) -> Double {
        (random.next() + random.next() + random.next() - 1.5) * 2 * offMetres
    }
}
