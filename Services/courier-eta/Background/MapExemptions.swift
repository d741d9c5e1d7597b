import BackgroundWork
import Logging
import OrderDomain
import PostgresClient
import ServiceLifecycle
import Synchronization

/// The couriers who are exempt from customers' maps, loaded every five seconds; everyone until the first load.
final class MapExemptions: Service {
    /// Wall time between two loads; a card loses an exempt courier's bound with its next update after one.
    static let interval = Duration.seconds(5)

    private let pool: PostgresPool
    private let logger: Logger
    private let couriers = Mutex<Set<CourierID>?>(nil)

    init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    func includes(_ courier: CourierID) -> Bool { couriers.withLock { $0?.contains(courier) ?? true } }

    func load() async throws {
        let loaded = try await CourierPlaceRepository.exemptCouriers(on: pool)
        couriers.withLock { $0 = loaded }
    }

    /// Polls until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("load of exempt couriers", every: Self.interval, logger: logger) {
            try await self.load()
        }.run()
    }
}
