import EmulatorAPI
import LiveActivity
import PhoneRules
import Synchronization

/// The emulated push service: decides the answer to each request, and passes accepted pushes to a phone.
final class PushService: Sendable {
    /// Bytes of a body; more is refused.
    static let bodyBytesMax = 4096

    /// Streams that a connection may have open.
    struct StreamLimits: ControlBody, Hashable {
        /// Until its first request with a good provider token.
        var beforeAuthentication = 1
        var streams = 1000

        enum CodingKeys: String, CodingKey, CaseIterable { case beforeAuthentication, streams }
    }

    /// The decision about a request.
    enum Answer: Sendable {
        case accepted
        case refused(status: Int, reason: String, since: Int?, retryAfter: Int?)
        case silence
        case resetStream
        case closeConnection
        case goAway(reason: String, isProcessed: Bool)
        indirect case after(milliseconds: Int, Answer)

        init(_ refusal: Refusal, retryAfter: Int? = nil) {
            self = .refused(
                status: refusal.reason.status, reason: refusal.reason.rawValue, since: refusal.since,
                retryAfter: retryAfter)
        }
    }

    /// Requests by what they were answered with.
    struct Statistics: Codable, Sendable {
        var requests = 0
        var accepted = 0
        var refused: [String: Int] = [:]
        var faults: [String: Int] = [:]
    }

    private struct State {
        var keys: [String: SigningKey]
        var keysVersion = 0
        var script: FaultScript
        var limits = StreamLimits()
        var statistics = Statistics()
        var connections: [ObjectIdentifier: ProviderConnection.Control] = [:]
        var isDraining = false
    }

    private let state: Mutex<State>
    let fleet: PhoneFleet
    let clock: EmulatorClock
    /// Ends when the service accepts no more connections and the last has closed; for one reader.
    let drained: AsyncStream<Never>
    private let isDrained: AsyncStream<Never>.Continuation

    init(keys: [SigningKey], fleet: PhoneFleet, clock: EmulatorClock, seed: UInt64 = 1) {
        let byID = Dictionary(keys.map { ($0.keyID, $0) }) { $1 }
        state = Mutex(State(keys: byID, script: FaultScript(seed: seed)))
        self.fleet = fleet
        self.clock = clock
        (drained, isDrained) = AsyncStream.makeStream(of: Never.self)
    }

    // MARK: - Requests

    /// Decides the answer to a request whose body is there.
    func answer(
        _ request: PushRequest, id: String, body: [UInt8], environment: APNsEnvironment,
        authentication: inout ConnectionAuthentication
    ) -> Answer {
        let (keys, script) = state.withLock { ((version: $0.keysVersion, byID: $0.keys), !$0.script.faults.isEmpty) }
        let answer: Answer
        do throws(Refusal) {
            try request.checkTarget()
            try authentication.check(
                request.authorization, keys: keys, environment: environment, topic: request.topic,
                at: clock.serviceTime)
            let fields = try request.fields()
            guard body.count <= Self.bodyBytesMax else { throw Refusal(.payloadTooLarge) }
            guard let envelope = PushEnvelope(body) else { throw Refusal(.payloadEmpty) }
            let push = PendingPush(
                id: id, token: fields.token, priority: fields.priority, expiration: fields.expiration, bytes: body)
            let deliver = { () throws(Refusal) in
                try self.fleet.push(push, envelope: envelope, topic: fields.topic, environment: environment)
            }
            if script, let fault = fault(fields.token, envelope) {
                answer = try self.answer(fault, deliver)
            } else {
                try deliver()
                answer = .accepted
            }
        } catch {
            answer = Answer(error)
        }
        count(answer)
        return answer
    }

    private func fault(_ token: String, _ envelope: PushEnvelope) -> Fault? {
        let phone = fleet.owner(of: token)
        return state.withLock { state in
            let fault = state.script.next(token: token, phone: phone, event: envelope.event?.rawValue)
            if let fault { state.statistics.faults[fault.kind.rawValue, default: 0] += 1 }
            return fault
        }
    }

    private func answer(_ fault: Fault, _ deliver: () throws(Refusal) -> Void) throws(Refusal) -> Answer {
        if fault.applies == true || fault.kind == .delay { try deliver() }
        let answer: Answer
        switch fault.kind {
        case .answer:
            let status = fault.answerStatus ?? 500
            if (200..<300).contains(status) {
                answer = .accepted
            } else {
                answer = .refused(
                    status: status, reason: fault.reason ?? "",
                    since: fault.since ?? (status == 410 ? clock.now : nil), retryAfter: fault.retryAfter)
            }
        case .silence: answer = .silence
        case .resetStream: answer = .resetStream
        case .closeConnection: answer = .closeConnection
        case .goAway:
            answer = .goAway(reason: fault.reason ?? "Shutdown", isProcessed: fault.isProcessed ?? true)
        case .delay: answer = .accepted
        }
        return fault.delayMilliseconds.map { .after(milliseconds: $0, answer) } ?? answer
    }

    private func count(_ answer: Answer) {
        state.withLock { state in
            state.statistics.requests += 1
            switch answer {
            case .accepted: state.statistics.accepted += 1
            case .refused(_, let reason, _, _):
                // Reasons of a script are any text, so they are counted up to a number of them.
                let known = state.statistics.refused[reason] != nil || state.statistics.refused.count < 100
                state.statistics.refused[known ? reason : "other", default: 0] += 1
            case .silence, .resetStream, .closeConnection, .goAway, .after: break
            }
        }
    }

    // MARK: - Control

    var statistics: Statistics { state.withLock(\.statistics) }

    var faults: [Fault] { state.withLock(\.script.faults) }

    /// - Returns: false where there are too many.
    func add(_ fault: Fault) -> Bool { state.withLock { $0.script.add(fault) } }

    func removeFaults() { state.withLock { $0.script.removeAll() } }

    var keys: [SigningKey] { state.withLock { $0.keys.values.sorted { $0.keyID < $1.keyID } } }

    func add(_ key: SigningKey) {
        state.withLock { state in
            state.keys[key.keyID] = key
            state.keysVersion += 1
        }
    }

    /// Revokes a key: connections that used it are refused from their next request on.
    func removeKey(_ id: String) -> Bool {
        state.withLock { state in
            state.keysVersion += 1
            return state.keys.removeValue(forKey: id) != nil
        }
    }

    var limits: StreamLimits {
        get { state.withLock(\.limits) }
        set {
            let connections = state.withLock { state in
                state.limits = newValue
                return Array(state.connections.values)
            }
            for connection in connections { connection.changeLimits() }
        }
    }

    // MARK: - Connections

    /// - Returns: false where the service is shutting down.
    func opened(_ connection: ProviderConnection.Control) -> Bool {
        state.withLock { state in
            guard !state.isDraining else { return false }
            state.connections[ObjectIdentifier(connection)] = connection
            return true
        }
    }

    func closed(_ connection: ProviderConnection.Control) {
        let isLast = state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = nil
            return state.isDraining && state.connections.isEmpty
        }
        if isLast { isDrained.finish() }
    }

    var connectionsCount: Int { state.withLock(\.connections.count) }

    /// Sends GOAWAY on every connection; each closes when its requests have been answered.
    func goAway(reason: String) {
        for connection in state.withLock({ Array($0.connections.values) }) { connection.goAway(reason: reason) }
    }

    /// Closes every connection at once.
    func closeConnections() {
        for connection in state.withLock({ Array($0.connections.values) }) { connection.close() }
    }

    /// Accepts no more connections.
    func drain() {
        let isEmpty = state.withLock { state in
            state.isDraining = true
            return state.connections.isEmpty
        }
        if isEmpty { isDrained.finish() }
        goAway(reason: RefusalReason.shutdown.rawValue)
    }
}
