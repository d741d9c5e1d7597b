import DomainTime
import PostgresClient
import ReliableMessaging

/// Republishes every card's health and has every card compared with what is wanted, at once.
struct ResyncCards: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let republisher: Republisher
    let wakeSignals: WakeSignalGroup

    /// - Returns: how many cards were republished.
    func callAsFunction() async throws -> Int {
        let count = try await republisher.republishNow()
        try await ActivityRepository.makeAllDue(at: clock.now, on: pool)
        wakeSignals.wake()
        return count
    }
}
