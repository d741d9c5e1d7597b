internal import NatsClient

/// The sequence numbers that streams assigned to one process's messages.
///
/// A stream never assigns a number twice. A stream that does was set back since, as after a power cut, and may have
/// grown past its former end before the next check.
struct AcknowledgedSequences: Sendable {
    private var highest: [String: UInt64] = [:]

    /// Records the acknowledgements of a batch that was published after the previous batch was acknowledged.
    ///
    /// - Returns: the streams that were set back since.
    mutating func record(_ acknowledgements: [PublishAck]) -> Set<String> {
        // A duplicate has the number of the message that it repeats.
        let stored = Dictionary(grouping: acknowledgements.filter { !$0.isDuplicate }, by: \.stream)
        var setBack: Set<String> = []
        for (stream, acknowledgements) in stored {
            let sequences = acknowledgements.map(\.sequence)
            if let former = highest[stream], let lowest = sequences.min(), lowest <= former { setBack.insert(stream) }
            highest[stream] = sequences.max()
        }
        return setBack
    }
}
