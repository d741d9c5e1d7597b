/// The number of streams that a connection may open now, from APNs' SETTINGS and GOAWAY.
struct StreamAllowance {
    /// No stream beyond it, whatever APNs allows.
    private let ownMax: Int
    /// APNs' limit; nil until its settings have come.
    private var peerMax: Int?
    private var nextID: Int32 = 1
    private(set) var open = 0
    /// True once a request on this connection was accepted.
    private(set) var isAuthenticated = false
    /// True when no further stream may be opened.
    private(set) var isEnding = false

    init(ownMax: Int) { self.ownMax = ownMax }

    /// True once APNs' settings have come.
    var isReady: Bool { peerMax != nil }

    /// Streams that may be opened now.
    ///
    /// One until APNs has accepted a request: before that APNs allows only one, whatever its settings.
    /// - Source: Apple, "Sending notification requests to APNs".
    var room: Int {
        guard let peerMax, !isEnding else { return 0 }
        let limit = isAuthenticated ? min(peerMax, ownMax) : min(peerMax, 1)
        return max(0, limit - open)
    }

    /// Applies APNs' SETTINGS.
    /// - Parameter concurrentMax: nil where SETTINGS omit the stream limit, which then stays; at first there is none.
    mutating func receive(concurrentMax: Int?) {
        peerMax = concurrentMax ?? peerMax ?? ownMax
    }

    /// The number of a new stream; only while there is room.
    mutating func openStream() -> Int32 {
        defer {
            open += 1
            // Stream numbers are odd, and end with the connection.
            if nextID > Int32.max - 2 { isEnding = true } else { nextID += 2 }
        }
        return nextID
    }

    mutating func closeStream() { open -= 1 }

    mutating func authenticate() { isAuthenticated = true }

    mutating func end() { isEnding = true }
}
