/// Whether the broker's streams go on from where they were, as far as one process has seen.
///
/// After a power cut a file system may have an older copy of a stream than of its consumers' places. What is published
/// then gets numbers that the consumers have passed, and is never given to them.
struct StreamContinuity: Sendable {
    /// A stream at one moment.
    struct Position: Hashable, Sendable {
        /// When it was created; another for a stream that was created again.
        let created: String
        /// The number of its newest message; it never falls while the stream is whole.
        let lastSequence: UInt64
    }

    /// A consumer of a stream, and the newest message that it was given.
    struct Place: Hashable, Sendable {
        let durable: String
        let deliveredSequence: UInt64
    }

    /// What a check came to.
    struct Finding: Hashable, Sendable {
        /// Whether messages are gone or are passed over, so that their writers must publish them again; found once.
        var hasLostMessages = false
        /// Consumers that are ahead of their stream.
        var ahead: [String] = []
        /// Those of them that were ahead at the check before too: their writers have had the time to notice.
        var toReset: [String] = []
    }

    private var positions: [String: Position] = [:]
    private var ahead: [String: Set<String>] = [:]

    /// Compares a stream with how it was, and its consumers with it.
    ///
    /// - Parameter places: as they were read before the position, so that a whole stream is never behind them.
    mutating func observe(_ stream: String, _ position: Position, _ places: [Place]) -> Finding {
        let before = positions.updateValue(position, forKey: stream)
        let isSetBack =
            before.map { $0.created != position.created || $0.lastSequence > position.lastSequence } ?? false
        let isAhead = places.filter { $0.deliveredSequence > position.lastSequence }.map(\.durable).sorted()
        let wasAhead = ahead.updateValue(Set(isAhead), forKey: stream) ?? []
        return Finding(
            hasLostMessages: isSetBack || !wasAhead.isSuperset(of: isAhead), ahead: isAhead,
            toReset: isAhead.filter(wasAhead.contains))
    }
}
