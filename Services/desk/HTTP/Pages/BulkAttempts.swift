/// How long a page about several deliveries sends requests, one after another, for one delivery after another.
struct BulkAttempts: Sendable {
    /// Unanswered deliveries in a row after which the others are not tried: each may last for a change's time-out.
    private static let unansweredMax = 2
    /// The time after which no further delivery is tried: with a change's time-out of 20 s the page is answered within
    /// the 60 s of a proxy before the desk.
    ///
    /// An undo may need two changes and a read for a delivery, so it ends earlier.
    private static let duration = Duration.seconds(35)
    private static let undoDuration = Duration.seconds(12)

    private let now: @Sendable () -> ContinuousClock.Instant
    private let latest: ContinuousClock.Instant
    private let isUndo: Bool
    private var unanswered = 0

    /// - Parameters:
    ///   - now: the time of the process; the page's time begins with this call.
    ///   - isUndo: whether the requests undo changes.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant, isUndo: Bool = false) {
        self.now = now
        self.isUndo = isUndo
        latest = now().advanced(by: isUndo ? Self.undoDuration : Self.duration)
    }

    /// Why no further delivery is tried; nil while one may be.
    var end: String? {
        if unanswered >= Self.unansweredMax { return "not tried: the changes before it were not answered" }
        if now() < latest { return nil }
        return "not tried: the deliveries before it used the page's time" + (isUndo ? "" : ". Choose it again")
    }

    /// Notes whether a service answered the requests for a delivery.
    mutating func note(isAnswered: Bool) { unanswered = isAnswered ? 0 : unanswered + 1 }
}
