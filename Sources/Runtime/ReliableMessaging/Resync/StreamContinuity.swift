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
        /// Consumers that are ahead of their stream, or were and have not begun again.
        var ahead: [String] = []
        /// Consumers of this process's own that were ahead at the check before.
        ///
        /// Their writers have had the time to notice. Their stream may have overtaken them meanwhile; what they passed over is still to be read.
        var toReset: [String] = []
    }

    private var positions: [String: Position] = [:]
    /// By stream and durable, the place at which a consumer was found ahead.
    private var ahead: [String: [String: UInt64]] = [:]

    /// Compares a stream with how it was, and its consumers with it.
    ///
    /// - Parameters:
    ///   - places: as they were read before the position, so that a whole stream is never behind them.
    ///   - own: the durables that this process reads; only it knows that they have begun again.
    mutating func observe(
        _ stream: String, _ position: Position, _ places: [Place], own: Set<String> = []
    ) -> Finding {
        let before = positions.updateValue(position, forKey: stream)
        let isSetBack =
            before.map { $0.created != position.created || $0.lastSequence > position.lastSequence } ?? false
        var known = ahead[stream] ?? [:]
        for place in places {
            guard let former = known[place.durable] else { continue }
            let isAhead = place.deliveredSequence > position.lastSequence
            // Another replica had it begin again, or it is another service's and is not ahead any more.
            if place.deliveredSequence < former || !(isAhead || own.contains(place.durable)) {
                known[place.durable] = nil
            }
        }
        let toReset = known.keys.filter(own.contains).sorted()
        let found = places.filter { $0.deliveredSequence > position.lastSequence && known[$0.durable] == nil }
        for place in found { known[place.durable] = place.deliveredSequence }
        ahead[stream] = known
        return Finding(hasLostMessages: isSetBack || !found.isEmpty, ahead: known.keys.sorted(), toReset: toReset)
    }

    /// Takes in that a consumer has begun again.
    mutating func begun(_ durable: String, of stream: String) { ahead[stream]?[durable] = nil }
}
