import BackgroundWork
import DomainTime
import PostgresClient
import ReliableMessaging

/// Resyncs every card at once: its health with `orders`, and its sent state with its wanted one.
struct ResyncCards: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let republisher: Republisher
    let wakeSignals: WakeSignalGroup

    /// Republishes the health of all cards.
    ///
    /// - Returns: of how many.
    func callAsFunction() async throws -> Int {
        let count = try await republisher.republishAll()
        try await ActivityRepository.makeAllDue(at: clock.now, on: pool)
        wakeSignals.wake()
        return count
    }
}
