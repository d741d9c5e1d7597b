import Synchronization

/// When faults struck that may have the shop's receiver sent an event again.
final class FaultTimes: Sendable {
    /// Before a fault an event may have been taken whose note was still to be written, and after it what was away has yet
    /// to come back.
    private static let margins = (before: Duration.seconds(2), after: Duration.seconds(10))

    private let times = Mutex<[Range<ContinuousClock.Instant>]>([])

    func note(_ time: Range<ContinuousClock.Instant>) { times.withLock { $0.append(time) } }

    /// Whether one of them struck about then.
    func include(_ moment: ContinuousClock.Instant) -> Bool {
        times.withLock { times in
            times.contains {
                ($0.lowerBound - Self.margins.before..<$0.upperBound + Self.margins.after).contains(moment)
            }
        }
    }
}
