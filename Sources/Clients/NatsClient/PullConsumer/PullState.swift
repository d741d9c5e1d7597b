internal import FlowControl

/// What a pull consumer has asked for, holds and works on; decides what to do next and does nothing itself.
///
/// Unsettled messages are never more than `inFlightMessagesMax`, because it never asks for more than there is room.
struct PullState {
    enum Action {
        /// Work on these.
        case start([Delivered])
        /// Ask the server for this many.
        case pull(count: Int, id: UInt64)
        /// Find out whether the consumer exists, and report to ``looked(_:)``.
        case look
        /// Nothing before something changes.
        case wait
    }

    /// Why a pull ended without all it asked for.
    enum PullEnd: Equatable {
        /// Nothing came in time: the ordinary end in a quiet stream.
        case expired
        /// Not even a sign of life came. The server says nothing to a pull from a consumer that does not exist.
        case silent
        /// The server or the connection gave up.
        case broken(String)
    }

    private struct Pull {
        var id: UInt64
        var missing: Int
        /// The pending reply that limits its time.
        var token: UInt64?
    }

    private static let backOff = BackOff(first: .milliseconds(100), longest: .seconds(2))

    let batchMax: Int
    let inFlightMessagesMax: Int
    /// Messages worked on together, at most.
    let unitMessagesMax: Int
    let unitsMax: Int

    private(set) var waiting: [Delivered] = []
    private(set) var runningMessages = 0
    private var runningUnits = 0
    private var pull: Pull?
    private var lastPull: UInt64 = 0
    private(set) var isStopped = false
    /// Troubles in a row, and so how long to wait.
    private var failures = 0
    private var isBackingOff = false
    private var look = Look.notNeeded

    private enum Look { case notNeeded, needed, underWay }

    init(batchMax: Int, inFlightMessagesMax: Int, unitMessagesMax: Int, unitsMax: Int) {
        self.inFlightMessagesMax = max(1, inFlightMessagesMax)
        self.batchMax = min(max(1, batchMax), self.inFlightMessagesMax)
        self.unitMessagesMax = max(1, unitMessagesMax)
        self.unitsMax = max(1, unitsMax)
    }

    /// What to do now; to be asked again until it says wait.
    mutating func nextAction() -> Action {
        if !isStopped, !waiting.isEmpty, runningUnits < unitsMax {
            let unit = Array(waiting.prefix(unitMessagesMax))
            waiting.removeFirst(unit.count)
            runningUnits += 1
            runningMessages += unit.count
            return .start(unit)
        }
        let room = inFlightMessagesMax - waiting.count - runningMessages
        // Asking for single messages whenever one is done would cost a round trip each.
        guard !isStopped, !isBackingOff, pull == nil, room >= max(1, batchMax / 4) else { return .wait }
        switch look {
        case .underWay: return .wait
        case .needed:
            look = .underWay
            return .look
        case .notNeeded: break
        }
        lastPull += 1
        let count = min(batchMax, room)
        pull = Pull(id: lastPull, missing: count)
        return .pull(count: count, id: lastPull)
    }

    /// Takes a message in.
    /// - Returns: whether there was room, and the token to forget if this completed the present pull.
    mutating func arrived(_ delivered: Delivered) -> (isAccepted: Bool, token: UInt64?) {
        // A pull that ended early here may still deliver from the server, within one batch.
        guard !isStopped, waiting.count + runningMessages < inFlightMessagesMax + batchMax else { return (false, nil) }
        waiting.append(delivered)
        failures = 0
        guard let present = pull else { return (true, nil) }
        guard present.missing == 1 else {
            pull?.missing -= 1
            return (true, nil)
        }
        pull = nil
        return (true, present.token)
    }

    /// The pull is being waited for under this token.
    mutating func pullBegan(_ id: UInt64, token: UInt64) {
        if pull?.id == id { pull?.token = token }
    }

    /// A pull is over: that with the number, or the present one, for the server does not say which it means.
    /// - Returns: how long to wait before the next, zero meaning not at all, and the token to forget; nil if the pull
    ///   was over before.
    mutating func pullEnded(_ id: UInt64?, _ end: PullEnd) -> (delay: Duration, token: UInt64?)? {
        guard let present = pull, id == nil || present.id == id else { return nil }
        pull = nil
        switch end {
        case .expired: failures = 0
        case .silent: look = .needed
        case .broken: beginBackOff()
        }
        return (isBackingOff ? Self.backOff.delay(failures: failures) : .zero, present.token)
    }

    /// What looking for the consumer has shown; nil means that it could not be found out.
    /// - Returns: how long to wait before the next look, zero meaning that there is no need for one.
    mutating func looked(_ exists: Bool?) -> Duration {
        look = exists == false ? .needed : .notNeeded
        guard exists == false else { return .zero }
        beginBackOff()
        return Self.backOff.delay(failures: failures)
    }

    private mutating func beginBackOff() {
        failures += 1
        isBackingOff = true
    }

    /// The token of the present pull, if there is one.
    var presentToken: UInt64? { pull?.token }

    /// The wait after a trouble is over.
    mutating func backOffEnded() { isBackingOff = false }

    /// One unit of work has ended, settled or not.
    mutating func unitEnded(messages: Int) {
        runningUnits -= 1
        runningMessages -= messages
    }

    /// Ends pulling and starting.
    /// - Returns: messages that were taken in and will not be worked on.
    mutating func stop() -> [Delivered] {
        isStopped = true
        defer { waiting = [] }
        return waiting
    }
}
