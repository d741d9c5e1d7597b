import Foundation
import OrderDomain
import SeededRandom

/// Data augmentation: a ride's fixes as with poor satellite and network reception.
enum SignalDegradation {
    /// Probability that a fix is lost, and that it arrives late.
    private static let lost = 0.2
    private static let late = 0.1
    /// Delay of a late fix in seconds, at most.
    private static let lateSecondsMax = 180.0
    /// Standard deviation of the position error to the north and to the east, in metres.
    private static let errorMetres = 15.0

    /// The fixes that are received, each with its time of receipt; the same for the same seed.
    static func applied(to fixes: [Fix], seed: Int) -> [(receivedAt: Date, fix: Fix)] {
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

    /// Nearly normal: the sum of three uniform draws, each of width 2, has variance 1.
    private static func offset(_ random: inout TrainingSequence) -> Double {
        (random.next() + random.next() + random.next() - 1.5) * 2 * errorMetres
    }
}
