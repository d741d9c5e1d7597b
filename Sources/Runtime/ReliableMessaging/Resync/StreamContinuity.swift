/// Detects discontinuities of the broker's streams, as far as one process has seen them.
///
/// After a power cut a file system may have an older copy of a stream than of its consumers' positions. Later messages
/// then get sequence numbers that the consumers have passed, and are never delivered to them.
struct StreamContinuity: Sendable {
    /// A stream at one moment.
    struct Position: Hashable, Sendable {
        /// When it was created; another for a stream that was created again.
        let created: String
        /// The number of its newest message; it never falls while the stream is whole.
        let lastSequence: UInt64
    }

    /// A consumer of a stream, with its newest delivered message.
    struct Place: Hashable, Sendable {
        let durable: String
        let deliveredSequence: UInt64
    }

    /// The result of a check.
    struct Finding: Hashable, Sendable {
        /// Whether messages are lost or skipped, so that their writers must publish them again; reported once.
        var hasLostMessages = false
        /// Consumers that are ahead of their stream, or were and have not begun again.
        var ahead: [String] = []
        /// This process's consumers that were ahead at the previous check.
        ///
        /// Their writers have had the time to detect that. Their stream may have overtaken them meanwhile; the skipped
        /// messages are still to be read.
        var toReset: [String] = []
    }

    private var positions: [String: Position] = [:]
    /// The position at which a consumer was found ahead, by stream and durable.
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
            // Another replica has reset the consumer, or it is another service's and no longer ahead.
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

    /// Records that a consumer was recreated.
    mutating func begun(_ durable: String, of stream: String) { ahead[stream]?[durable] = nil }
}
