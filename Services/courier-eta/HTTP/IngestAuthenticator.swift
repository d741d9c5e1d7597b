import BackgroundWork
import DeclaredMetrics
import DomainTime
import Foundation
import Logging
import Metrics
import OrderDomain
import PostgresClient
import ServiceLifecycle
import ServiceRuntime
import Synchronization

/// Authenticates senders of fixes: an enrolled phone, or a courier's own app with the courier's token.
///
/// Phones are cached, and each process polls every two seconds for revoked ones: a revoked token is refused at once
/// where it was revoked, and within a few seconds everywhere else.
final class IngestAuthenticator: Service {
    /// Phones in the cache.
    static let phonesMax = 100_000
    /// Wall time between two polls for revoked phones, and how far back each goes.
    static let refreshInterval = Duration.seconds(2)
    static let refreshSeconds = 60.0
    /// Domain seconds between two recorded heartbeats of a phone.
    static let heartbeatSeconds = 60.0

    struct Caller: Hashable, Sendable {
        let courier: CourierID
        let phone: PhoneID
        /// Whether it is time to record that the phone was seen.
        var recordsHeartbeat = false

        /// What limits count by.
        var name: String { "\(courier) \(phone.rawValue)" }
    }

    /// Why a caller is refused; the raw value is the metric's label.
    private enum Refusal: String {
        case missing, unknown, revoked, role
    }

    private struct State {
        var phones: [[UInt8]: Phone] = [:]
        /// When a phone's heartbeat was last recorded.
        var heartbeatAt: [PhoneID: Date] = [:]
        /// A phone's positions that could not be read since then.
        var malformed: [PhoneID: Int] = [:]
    }

    private let pool: PostgresPool
    private let clock: DomainClock
    private let tokens: TokenVerifier
    private let metrics: MetricsRegistry
    private let wall: @Sendable () -> Date
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameter wall: the wall clock that couriers' own tokens expire by.
    init(
        pool: PostgresPool, clock: DomainClock, tokens: TokenVerifier, metrics: MetricsRegistry, logger: Logger,
        wall: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.pool = pool
        self.metrics = metrics
        self.clock = clock
        self.tokens = tokens
        self.logger = logger
        self.wall = wall
    }

    /// The caller, by the first valid credential.
    ///
    /// - Parameter credentials: as the request carries them: a path's, a header's, an app's id.
    /// - Throws: ``Problem``: 401 without a valid one, 404 for a token that is no courier's.
    func caller(_ credentials: [String]) async throws -> Caller {
        guard !credentials.isEmpty else { throw refuse(.missing) }
        var refusal = Refusal.unknown
        for credential in credentials {
            if let token = PhoneToken(credential) {
                guard let phone = try await phone(token) else { continue }
                guard phone.revokedAt == nil else {
                    refusal = .revoked
                    continue
                }
                return caller(with: phone)
            }
            if credential.contains(".") { return try await own(credential) }
        }
        throw refuse(refusal)
    }

    private func refuse(_ refusal: Refusal) -> Problem {
        IngestMetrics.phonesRefused.counter([("reason", refusal.rawValue)], in: metrics).increment()
        switch refusal {
        case .missing: return .unauthenticated()
        case .unknown, .revoked, .role: return .unauthenticated(.unknownToken)
        }
    }

    private func own(_ token: String) async throws -> Caller {
        let identity: Identity
        do {
            identity = try await tokens.identity(of: token, at: wall())
        } catch let error as TokenError {
            _ = refuse(.unknown)
            throw Problem.unauthenticated(error)
        }
        guard identity.role == .courier, let courier = CourierID(rawValue: identity.subject) else {
            _ = refuse(.role)
            throw Problem.notFound()
        }
        return Caller(courier: courier, phone: .own)
    }

    private func phone(_ token: PhoneToken) async throws -> Phone? {
        let hash = token.hash
        if let phone = state.withLock({ $0.phones[hash] }) { return phone }
        guard let phone = try await PhoneRepository.phone(withTokenHash: hash, on: pool) else { return nil }
        state.withLock { state in
            // Emptied when full, which is rare; active phones are cached again with their next request.
            if state.phones.count >= Self.phonesMax { state.phones.removeAll() }
            state.phones[hash] = phone
        }
        return phone
    }

    private func caller(with phone: Phone) -> Caller {
        let now = clock.now
        return state.withLock { state in
            let isDue = state.heartbeatAt[phone.id].map { now.timeIntervalSince($0) >= Self.heartbeatSeconds } ?? true
            if isDue {
                if state.heartbeatAt.count >= Self.phonesMax { state.heartbeatAt.removeAll() }
                state.heartbeatAt[phone.id] = now
            }
            return Caller(courier: phone.courier, phone: phone.id, recordsHeartbeat: isDue)
        }
    }

    /// Counts positions of a phone that could not be read.
    ///
    /// - Returns: how many are recorded with this request: all since the phone's last heartbeat where this is the next,
    ///   none otherwise.
    func countMalformed(_ number: Int, from caller: Caller) -> Int {
        state.withLock { state in
            let all = (state.malformed[caller.phone] ?? 0) + number
            // A courier's own token has no heartbeat.
            let isKept = !caller.recordsHeartbeat && all > 0 && caller.phone != .own
            if state.malformed.count >= Self.phonesMax { state.malformed.removeAll() }
            state.malformed[caller.phone] = isKept ? all : nil
            return caller.recordsHeartbeat ? all : 0
        }
    }

    /// Removes phones from the cache, so that the next request with their tokens reads the database.
    func forget(_ phones: some Sequence<PhoneID>) {
        let gone = Set(phones)
        state.withLock { state in state.phones = state.phones.filter { !gone.contains($0.value.id) } }
    }

    /// Polls once for revoked phones; empties the cache when the database cannot be reached.
    func refresh() async {
        do {
            let revoked = try await PhoneRepository.revoked(
                since: clock.now.addingTimeInterval(-Self.refreshSeconds * clock.rate), on: pool)
            if !revoked.isEmpty { forget(revoked) }
        } catch {
            if !Task.isCancelled {
                logger.debug(
                    "Revoked phones cannot be read now, the cache is emptied", metadata: ["reason": "\(error)"])
            }
            state.withLock { $0.phones = [:] }
        }
    }

    /// Polls every two seconds until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("refresh of revoked phones", every: Self.refreshInterval, logger: logger) {
            await self.refresh()
        }.run()
    }
}
