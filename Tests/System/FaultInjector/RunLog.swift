import Foundation
import Synchronization

/// Prints a line at a time, with the wall time and the seconds since the run began.
final class RunLog: Sendable {
    private let seed: UInt64
    private let began = ContinuousClock.now
    private let output = Mutex(())

    init(seed: UInt64) { self.seed = seed }

    var seconds: Double { (ContinuousClock.now - began) / .seconds(1) }

    func line(_ text: String) {
        let elapsed = String(format: "%7.1f", seconds)
        let time = Date().formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true).time(includingFractionalSeconds: true))
        output.withLock { _ in
            print("\(time) seed \(seed) \(elapsed) s  \(text)")
            fflush(nil)
        }
    }
}
