public import Foundation
import Synchronization

/// A wall clock that only moves when it is advanced, for tests.
public final class ManualClock: Sendable {
    private let time: Mutex<Date>

    public init(_ start: Date) {
        time = Mutex(start)
    }

    /// The clock's current time.
    public var now: Date {
        time.withLock { $0 }
    }

    /// Moves the clock by `interval` seconds, forwards only.
    public func advance(by interval: TimeInterval) {
        precondition(interval >= 0, "A clock never goes back")
        time.withLock { $0 += interval }
    }

    /// A domain clock at rate 1 that reads this one.
    public var domain: DomainClock {
        DomainClock(origin: .distantPast, wallOrigin: .distantPast, rate: 1, wall: { self.now })
    }
}
