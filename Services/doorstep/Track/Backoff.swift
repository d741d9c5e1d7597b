/// How long to wait before the next try: longer each time, and never alike for all who wait.
struct Backoff: Sendable {
    static let first = Duration.milliseconds(500)
    static let longest = Duration.seconds(15)

    private(set) var attempts = 0

    /// The next wait: between half and all of a time that doubles up to ``longest``.
    ///
    /// - Parameter share: a random number from 0 to 1.
    mutating func next(share: Double) -> Duration {
        let doubled = Self.first * (1 << min(attempts, 10))
        attempts += 1
        let wait = min(doubled, Self.longest)
        return wait / 2 + wait / 2 * min(max(share, 0), 1)
    }

    mutating func reset() { attempts = 0 }
}
