import DomainTime
import Foundation
import Logging
import PostgresClient
import Synchronization

/// A process's cache of sending phones, with each one's counts between two recorded heartbeats.
///
/// The process that revokes a token refuses it at once, every other one after its next refresh.
final class PhoneCache: Sendable {
    /// Phones in the cache.
    static let phonesMax = 100_000
    /// Wall seconds by which a refresh reaches back beyond the beginning of the last one.
    static let refreshSeconds = 60.0
    /// Domain seconds between two recorded heartbeats of a phone.
    static let heartbeatSeconds = 60.0

    private struct State {
        var phones: [[UInt8]: Phone] = [:]
        /// When the last successful refresh began; at first, when the cache was made.
        var refreshedAt: Date
        /// When a phone's heartbeat was last recorded.
        var heartbeatAt: [PhoneID: Date] = [:]
        /// A phone's positions that could not be read since then.
        var malformed: [PhoneID: Int] = [:]
    }

    private let pool: PostgresPool
    private let clock: DomainClock
    private let logger: Logger
    private let state: Mutex<State>

    init(pool: PostgresPool, clock: DomainClock, logger: Logger) {
        self.pool = pool
        self.clock = clock
        self.logger = logger
        state = Mutex(State(refreshedAt: clock.now))
    }

    /// The phone with this token, revoked or not.
    func phone(_ token: PhoneToken) async throws -> Phone? {
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

    /// Begins a heartbeat where one is due; the caller records it, or undoes it.
    ///
    /// - Returns: how many positions of former requests are recorded with it as unreadable; nil where none is due.
    func beginHeartbeat(of phone: PhoneID) -> Int? {
        // A courier's own token has no heartbeat.
        guard phone != .own else { return nil }
        let now = clock.now
        return state.withLock { state in
            let isDue = state.heartbeatAt[phone].map { now.timeIntervalSince($0) >= Self.heartbeatSeconds } ?? true
            guard isDue else { return nil }
            if state.heartbeatAt.count >= Self.phonesMax { state.heartbeatAt.removeAll() }
            state.heartbeatAt[phone] = now
            return state.malformed.removeValue(forKey: phone) ?? 0
        }
    }

    /// Makes a heartbeat that was not recorded due again.
    ///
    /// - Parameter malformed: as ``beginHeartbeat(of:)`` returned it.
    func undoHeartbeat(of phone: PhoneID, malformed: Int) {
        state.withLock { $0.heartbeatAt[phone] = nil }
        countMalformed(malformed, of: phone)
    }

    /// Counts positions of a phone that could not be read, until its next heartbeat.
    func countMalformed(_ number: Int, of phone: PhoneID) {
        guard number > 0, phone != .own else { return }
        state.withLock { state in
            if state.malformed.count >= Self.phonesMax { state.malformed.removeAll() }
            state.malformed[phone, default: 0] += number
        }
    }

    /// Removes phones from the cache, so that the next request with their tokens reads the database.
    func forget(_ phones: some Sequence<PhoneID>) {
        let gone = Set(phones)
        state.withLock { state in state.phones = state.phones.filter { !gone.contains($0.value.id) } }
    }

    /// Reads which phones were revoked since the last refresh; empties the cache when the database cannot be reached.
    func refresh() async {
        do {
            let now = clock.now
            let since = state.withLock(\.refreshedAt).addingTimeInterval(-Self.refreshSeconds * clock.rate)
            let revoked = try await PhoneRepository.revoked(since: since, on: pool)
            if !revoked.isEmpty { forget(revoked) }
            state.withLock { $0.refreshedAt = now }
        } catch {
            if !Task.isCancelled {
                logger.debug(
                    "Revoked phones could not be read; the cache was cleared", metadata: ["reason": "\(error)"])
            }
            state.withLock { $0.phones = [:] }
        }
    }
}
