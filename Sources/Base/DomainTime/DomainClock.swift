public import Foundation

/// The one clock of orders, timers, windows, stale and dismissal dates.
///
/// Domain time runs from an origin at a rate, and every process of a stack receives the same three numbers, so all of
/// them read the same time without communicating. At rate 1 with no origin it is the wall clock.
/// Tokens, leases, TLS and logs never use it: they use wall time.
public struct DomainClock: Sendable {
    /// Domain seconds that pass in one wall second; 1 outside the demo and tests.
    public let rate: Double
    private let origin: Date
    private let wallOrigin: Date
    private let wall: @Sendable () -> Date

    /// A clock that showed `origin` when the wall clock showed `wallOrigin`, and has run at `rate` since.
    ///
    /// - Parameter wall: the wall clock; tests pass one that they move by hand.
    public init(
        origin: Date, wallOrigin: Date, rate: Double, wall: @escaping @Sendable () -> Date = { Date() }
    ) {
        precondition(rate > 0 && rate.isFinite, "A clock must run forwards")
        self.rate = rate
        self.origin = origin
        self.wallOrigin = wallOrigin
        self.wall = wall
    }

    /// Seconds by which a stored wall time may be later than now, since replicas' clocks differ.
    ///
    /// A later one was stored before the clock was set back.
    package static let replicaDifferenceMax: TimeInterval = 60

    /// The wall clock itself.
    public static let wall = DomainClock(origin: .distantPast, wallOrigin: .distantPast, rate: 1)

    /// Domain time now.
    public var now: Date {
        // At rate 1 the origins are subtracted first, so that no precision is lost to a far origin.
        let wallNow = wall()
        if rate == 1 { return wallNow.addingTimeInterval(origin.timeIntervalSince(wallOrigin)) }
        return origin.addingTimeInterval(wallNow.timeIntervalSince(wallOrigin) * rate)
    }

    /// The wall-clock time until domain time reaches `date`; zero when `date` has passed.
    public func wallDuration(until date: Date) -> Duration {
        let seconds = date.timeIntervalSince(now) / rate
        return seconds > 0 ? .seconds(seconds) : .zero
    }

    /// The longest single sleep: the wall clock may be set meanwhile, and a far date overflows a sleep.
    static let waitMax = Duration.seconds(60)

    /// Waits until domain time reaches `date`; returns at once when `date` has passed.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits.
    public func sleep(until date: Date) async throws {
        while true {
            let left = wallDuration(until: date)
            if left == .zero { return }
            try await Task.sleep(for: min(left, Self.waitMax))
        }
    }
}
