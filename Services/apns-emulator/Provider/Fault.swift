import EmulatorAPI
import SeededRandom

/// A scripted misbehaviour of the service: what happens, to which requests, how often.
struct Fault: ControlBody, Hashable {
    enum Kind: String, Codable, CaseIterable, Hashable, Sendable {
        /// Answers `status` and `reason`.
        case answer
        /// Never answers.
        case silence
        /// Resets the stream with `INTERNAL_ERROR`.
        case resetStream = "reset-stream"
        /// Closes the connection without a word.
        case closeConnection = "close-connection"
        /// Sends GOAWAY with `reason` and closes when what is under way has ended; this request has no answer.
        case goAway = "goaway"
        /// Answers as it would, after `delayMilliseconds`.
        case delay
    }

    var kind: Kind
    /// With `answer`; nil for the status of the reason.
    var status: Int?
    /// With `answer` and `goaway`; any text, Apple's or not.
    var reason: String?
    /// With an answer of 410: since when, epoch seconds; now where it is left out.
    var since: Int?
    /// Seconds for a `retry-after` header.
    var retryAfter: Int?
    var delayMilliseconds: Int?
    /// Whether the push reaches the phone all the same, so that its sender cannot know.
    var applies: Bool?
    /// With `goaway`: whether the last stream id includes this request, so that its sender may not resend it blindly.
    var isProcessed: Bool?
    /// Only requests to this device token.
    var token: String?
    /// Only requests to tokens of this phone.
    var phone: String?
    /// Only pushes of this event: `start`, `update` or `end`.
    var event: String?
    /// The number of affected requests; nil for all until the fault is removed.
    var times: Int?
    /// Which share of the requests it meets, 0 to 1; all where it is left out.
    var share: Double?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case kind, status, reason, since, retryAfter, delayMilliseconds, applies, isProcessed, token, phone, event
        case times, share
    }

    /// A fault that cannot be: what is wrong with it.
    var complaint: String? {
        if let status, !(200...599).contains(status) { return "status: is not 200 to 599" }
        if let share, !(0...1).contains(share) { return "share: is not 0 to 1" }
        if let times, times < 1 { return "times: is not 1 or more" }
        if let delayMilliseconds, !(0...600_000).contains(delayMilliseconds) {
            return "delayMilliseconds: is not 0 to 600000"
        }
        if kind == .answer, answerStatus == nil {
            return "status: give one, or a reason of Apple's that has one"
        }
        if kind == .delay, delayMilliseconds == nil { return "delayMilliseconds: is missing" }
        return nil
    }

    /// The status of an `answer`.
    var answerStatus: Int? { status ?? reason.flatMap(RefusalReason.init)?.status }
}

/// The faults that are set, oldest first; the first that meets a request happens.
struct FaultScript: Sendable {
    static let faultsMax = 1000

    private(set) var faults: [Fault] = []
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// - Returns: false where there are too many already.
    mutating func add(_ fault: Fault) -> Bool {
        guard faults.count < Self.faultsMax else { return false }
        faults.append(fault)
        return true
    }

    mutating func removeAll() { faults = [] }

    /// The fault that this request meets, counted.
    mutating func next(token: String?, phone: String?, event: String?) -> Fault? {
        guard !faults.isEmpty else { return nil }
        for index in faults.indices {
            let fault = faults[index]
            if let wanted = fault.token, wanted.lowercased() != token { continue }
            if let wanted = fault.phone, wanted != phone { continue }
            if let wanted = fault.event, wanted != event { continue }
            if let share = fault.share, Double.random(in: 0..<1, using: &generator) >= share { continue }
            if let times = fault.times {
                faults[index].times = times - 1
                if times == 1 { faults.remove(at: index) }
            }
            return fault
        }
        return nil
    }
}
