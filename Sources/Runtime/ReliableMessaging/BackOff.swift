/// Waits that double with every failure, up to a limit.
package struct BackOff: Hashable, Sendable {
    package var first: Duration
    package var longest: Duration

    package init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// How long to wait after that many failures in a row.
    ///
    /// - Parameters:
    ///   - failures: 1 after the first.
    ///   - jitter: from 0 to 1; shortens the wait by up to a fifth, so that many who failed together do not meet again.
    package func delay(failures: Int, jitter: Double = 0) -> Duration {
        let doublings = min(max(failures, 1) - 1, 30)
        return min(first * (1 << doublings), longest) * (1 - 0.2 * jitter)
    }
}

extension Duration {
    /// For `make_interval(secs => …)`.
    var inSeconds: Double { self / .seconds(1) }
}

extension String {
    /// Text that Postgres takes: without NUL characters, and cut to what a person would read.
    var storable: String {
        String(String(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : Character($0) }).prefix(Self.storedCharactersMax))
    }

    private static var storedCharactersMax: Int { 2_000 }
}
