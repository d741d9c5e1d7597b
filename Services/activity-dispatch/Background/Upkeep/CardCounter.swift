import BackgroundWork
import DomainTime
import Foundation
import Logging
import ServiceLifecycle

/// Counts cards hourly by ``CountCards``, and measures the totals of the last 24 hours by store.
struct CardCounter: Service {
    /// Domain time between two checks for a due hour.
    static let interval = Duration.seconds(600)

    let countCards: CountCards
    let measureCards: MeasureCards
    let clock: DomainClock
    let logger: Logger

    func run() async throws {
        try await PeriodicTask("counting of cards", every: Self.interval, on: clock, logger: logger) {
            try await countCards()
            try await measureCards()
        }.run()
    }
}
