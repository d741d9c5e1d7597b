internal import FlowControl

/// A pull consumer's open pull, waiting and running messages; it decides the next action and does no I/O.
///
/// Unsettled messages never exceed `inFlightMessagesMax`, because it never pulls more messages than it has room for.
struct PullState {
    enum Action {
        /// Work on these, and report to ``unitEnded(_:)``.
        case start([PendingMessage], unit: UInt64)
        /// Request this many from the server.
        case pull(count: Int, id: UInt64)
        /// Find out whether the consumer exists, and report to ``consumerChecked(exists:)``.
        case checkConsumer
        /// No action until the next event.
        case wait
    }

    /// Why a pull ended before its batch was complete.
    enum PullEnd: Equatable {
        /// The pull request expired: the ordinary end while the stream has no new messages.
        case expired
        /// No heartbeat arrived in time. The server never replies to a pull from a consumer that does not exist.
        case heartbeatMissed
        /// The server ended it, or the connection broke.
        case broken(String)
    }

    private struct Pull {
        var id: UInt64
        var missing: Int
        /// The pending reply whose deadline the heartbeats postpone.
        var token: UInt64?
    }

    private static let backOff = BackOff(first: .milliseconds(100), longest: .seconds(2))

    let batchMax: Int
    let inFlightMessagesMax: Int
    /// Messages worked on together, at most.
    let unitMessagesMax: Int
    let unitsMax: Int

    private(set) var waiting: [PendingMessage] = []
    private(set) var runningMessages = 0
    private var runningUnits: [UInt64: [PendingMessage]] = [:]
    private var lastUnit: UInt64 = 0
    private var pull: Pull?
    private var lastPull: UInt64 = 0
    private(set) var isStopped = false
    /// Failed pulls in a row.
    private var failures = 0
    private var isBackingOff = false
    private var consumerCheck = ConsumerCheck.notNeeded

    private enum ConsumerCheck { case notNeeded, needed, running }

    init(batchMax: Int, inFlightMessagesMax: Int, unitMessagesMax: Int, unitsMax: Int) {
        self.inFlightMessagesMax = max(1, inFlightMessagesMax)
        self.batchMax = min(max(1, batchMax), self.inFlightMessagesMax)
        self.unitMessagesMax = max(1, unitMessagesMax)
        self.unitsMax = max(1, unitsMax)
    }

    /// The next action; the caller repeats the call until it returns ``Action/wait``.
    mutating func nextAction() -> Action {
        if !isStopped, !waiting.isEmpty, runningUnits.count < unitsMax {
            let unit = Array(waiting.prefix(unitMessagesMax))
            waiting.removeFirst(unit.count)
            lastUnit += 1
            runningUnits[lastUnit] = unit
            runningMessages += unit.count
            return .start(unit, unit: lastUnit)
        }
        let room = inFlightMessagesMax - waiting.count - runningMessages
        // Pulling a single message whenever one is done would cost a round trip each.
        guard !isStopped, !isBackingOff, pull == nil, room >= max(1, batchMax / 4) else { return .wait }
        switch consumerCheck {
        case .running: return .wait
        case .needed:
            consumerCheck = .running
            return .checkConsumer
        case .notNeeded: break
        }
        lastPull += 1
        let count = min(batchMax, room)
        pull = Pull(id: lastPull, missing: count)
        return .pull(count: count, id: lastPull)
    }

    /// Accepts a message from the server.
    /// - Returns: whether there was room, and the token to forget if this completed the open pull.
    mutating func arrived(_ message: PendingMessage) -> (isAccepted: Bool, token: UInt64?) {
        // A pull that ended here before its batch was complete may still deliver the rest.
        guard !isStopped, waiting.count + runningMessages < inFlightMessagesMax + batchMax else { return (false, nil) }
        waiting.append(message)
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

    /// A pull is over: the one with the id, or the open one, since the server's status message names no pull.
    /// - Returns: the wait before the next pull, zero for none, and the token to release; nil if the pull was over
    ///   before.
    mutating func pullEnded(_ id: UInt64?, _ end: PullEnd) -> (delay: Duration, token: UInt64?)? {
        guard let present = pull, id == nil || present.id == id else { return nil }
        pull = nil
        switch end {
        case .expired: failures = 0
        case .heartbeatMissed: consumerCheck = .needed
        case .broken: beginBackOff()
        }
        return (isBackingOff ? Self.backOff.delay(failures: failures) : .zero, present.token)
    }

    /// The consumer was checked; nil means that the server did not answer.
    /// - Returns: how long to wait before the next check, zero meaning that there is no need for one.
    mutating func consumerChecked(exists: Bool?) -> Duration {
        consumerCheck = exists == false ? .needed : .notNeeded
        guard exists == false else { return .zero }
        beginBackOff()
        return Self.backOff.delay(failures: failures)
    }

    private mutating func beginBackOff() {
        failures += 1
        isBackingOff = true
    }

    /// The token of the open pull, if there is one.
    var presentToken: UInt64? { pull?.token }

    /// The back-off has elapsed.
    mutating func backOffEnded() { isBackingOff = false }

    /// One unit of work has ended, settled or not.
    mutating func unitEnded(_ id: UInt64) {
        runningMessages -= runningUnits.removeValue(forKey: id)?.count ?? 0
    }

    /// The messages that wait or are worked on, and arrived in this range of times.
    func held(arrivedIn times: ClosedRange<ContinuousClock.Instant>) -> [PendingMessage] {
        (waiting + runningUnits.values.joined()).filter { times.contains($0.arrivedAt) }
    }

    /// Pulls and starts nothing from now on.
    /// - Returns: messages that were accepted and will not be worked on.
    mutating func stop() -> [PendingMessage] {
        isStopped = true
        defer { waiting = [] }
        return waiting
    }
}
