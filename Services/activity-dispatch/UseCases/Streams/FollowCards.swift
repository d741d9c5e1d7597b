import DomainTime
import DoorstepAPI
import Messages
import OrderDomain
import PostgresClient

/// Opens the stream of a customer's device.
struct FollowCards: Sendable {
    enum Refusal: Error {
        /// There is no such device of the customer within the token's scope.
        case notFound
        /// The device gets its pushes from Apple.
        case notAStream
        /// The customer's other devices have reached the limit of streams.
        case tooManyStreams
    }

    let pool: PostgresPool
    let clock: DomainClock
    let hub: StreamHub
    /// Opens customers' PINs; nil where cards have none.
    var pins: PINBox?

    /// - Parameters:
    ///   - lastEventID: up to where the device has received its events.
    ///   - lifetime: until the reader's token expires.
    /// - Throws: ``Refusal``.
    func callAsFunction(
        on id: DeviceID, of customer: CustomerID, within scope: TokenScope, after lastEventID: Int,
        for lifetime: Duration
    ) async throws -> DeviceStream {
        guard let stored = try await ActivityRepository.device(id, on: pool), stored.device.customer == customer,
            stored.device.isUsable(within: scope)
        else { throw Refusal.notFound }
        guard stored.device.transport == .stream else { throw Refusal.notAStream }
        let slot = hub.open(
            id, of: customer, within: scope.store, lastEventID: stored.lastEventID, lifetime: lifetime)
        guard let slot else { throw Refusal.tooManyStreams }
        // An id beyond the newest is from before a restore of the database: everything is sent.
        return DeviceStream(
            device: id, customer: customer, store: scope.store,
            lastEventID: lastEventID > stored.lastEventID ? 0 : lastEventID, pool: pool, slot: slot,
            pins: pins, now: { clock.now })
    }
}
