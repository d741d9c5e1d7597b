import BackgroundWork
import Logging
import ServiceLifecycle

/// Polls every two seconds for phones that another process revoked.
struct PhoneRefresh: Service {
    /// Wall time between two polls.
    static let interval = Duration.seconds(2)

    let phones: PhoneCache
    let logger: Logger

    /// Polls until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("refresh of revoked phones", every: Self.interval, logger: logger) {
            await phones.refresh()
        }.run()
    }
}
