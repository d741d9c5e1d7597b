/// How fast large bodies are taken in: so many bytes a second of one caller, who waits for the rest.
///
/// For each caller it keeps the moment by which what was admitted has passed at that rate: the generic cell rate
/// algorithm (ITU-T I.371, annex A). Pure: every call gets the time. At most `callersMax` are remembered; when there are
/// more, those are forgotten first who have no bytes outstanding, and then any.
struct BodyPace: Sendable {
    enum Admission: Equatable {
        /// Zero: at once.
        case after(Duration)
        /// Nothing was admitted; as much may be after so long.
        case refused(retryAfter: Duration)
    }

    let bytesPerSecond: Double
    /// Bytes that a caller who sent none for a while may send at once.
    let burstBytes: Int
    let waitMax: Duration
    let callersMax: Int
    private var passedAt: [String: Duration] = [:]

    init(bytesPerSecond: Double, burstBytes: Int, waitMax: Duration, callersMax: Int) {
        self.bytesPerSecond = bytesPerSecond
        self.burstBytes = burstBytes
        self.waitMax = waitMax
        self.callersMax = callersMax
    }

    var callers: Int { passedAt.count }

    /// - Parameter now: time since some fixed moment.
    mutating func admit(_ bytes: Int, of caller: String, at now: Duration) -> Admission {
        if passedAt[caller] == nil, passedAt.count >= callersMax { makeRoom(at: now) }
        let passed = max(now, passedAt[caller] ?? now)
        let wait = max(.zero, passed - now - time(for: burstBytes))
        guard wait <= waitMax else { return .refused(retryAfter: wait - waitMax) }
        passedAt[caller] = passed + time(for: bytes)
        return .after(wait)
    }

    private func time(for bytes: Int) -> Duration { .seconds(Double(bytes) / bytesPerSecond) }

    private mutating func makeRoom(at now: Duration) {
        passedAt = passedAt.filter { $0.value > now }
        if passedAt.count >= callersMax { passedAt.remove(at: passedAt.startIndex) }
    }
}
