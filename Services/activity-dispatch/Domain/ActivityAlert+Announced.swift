import LiveActivity

extension ActivityAlert {
    /// Whether its event was announced under one of these ids.
    ///
    /// The ids of an arrival at the door and of a failed attempt end with the time of the status. A later report of a
    /// provider may move that time back, and the event is the same: another one begins later.
    func isAnnounced(in ids: [String]) -> Bool {
        if ids.contains(id) { return true }
        guard let own = Self.timedEvent(id) else { return false }
        return ids.contains { other in
            Self.timedEvent(other).map { $0.event == own.event && $0.time > own.time } ?? false
        }
    }

    private static func timedEvent(_ id: String) -> (event: Substring, time: Int)? {
        guard let slash = id.lastIndex(of: "/"), let time = Int(id[id.index(after: slash)...]) else { return nil }
        let event = id[..<slash]
        return event.hasSuffix("/at-door") || event.hasSuffix("/attempted") ? (event, time) : nil
    }
}
