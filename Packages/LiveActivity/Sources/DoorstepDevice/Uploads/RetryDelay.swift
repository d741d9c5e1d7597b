/// The wait before the next attempt.
enum RetryDelay {
    static let longest = Duration.seconds(60)

    /// One second, doubled with each failure in a row, up to a minute; at least what the server asked for.
    ///
    /// - Parameter jitter: 0 to 1: phones that failed together do not come back together.
    static func after(failures: Int, jitter: Double, retryAfterSeconds: Int?) -> Duration {
        let whole = min(Duration.seconds(1 << min(max(failures - 1, 0), 6)), longest)
        let spread = whole * (0.5 + 0.5 * min(max(jitter, 0), 1))
        return max(spread, .seconds(min(max(retryAfterSeconds ?? 0, 0), 3600)))
    }
}
