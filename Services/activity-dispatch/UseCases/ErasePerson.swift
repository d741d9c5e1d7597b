import BackgroundWork
import DomainTime
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime

/// Erases a customer's cards, devices and activities, when `orders` asks it: the cards leave their screens first.
///
/// An activity stays as the end of a delivery without a customer, which every late intent loses against.
struct ErasePerson: Sendable {
    /// Above the step of every intent.
    private static let lastStep = Int(Int32.max)

    let pool: PostgresPool
    let clock: DomainClock
    let wakeSignals: WakeSignalGroup

    func callAsFunction(_ request: ErasureRequest) async throws -> ErasureReceipt {
        let now = clock.now
        if request.mayWait {
            let open = try await pool.withTransaction(retriesMax: 3) { transaction in
                try await ErasureRepository.endCards(request, at: now, in: transaction)
            }
            if open > 0 {
                wakeSignals.wake()
                return ErasureReceipt(isWaiting: true)
            }
        }
        let erased = request.deliveries.flatMap { Self.ends(of: $0.delivery) }
        return try await PersonalReadLog.erasing(.customer, of: request, on: pool) { rows in
            try await ErasureRepository.erase(request, as: erased, at: now, from: &rows)
            try await rows.eraseCopies(keys: request.deliveryIDs, mentioned: request.mentionedIDs)
            guard request.isLast else { return }
            try await ErasureRepository.eraseCustomer(
                request.customer, keepingDevices: request.keepsCustomer, from: &rows)
            let (key, mention) = (request.customer.rawValue, "\"customer\":\"\(request.customer)\"")
            // An order since has the timer of the summary, and dead letters of its own.
            if request.keepsCustomer {
                try await rows.eraseDeadLetters(key: key, mentioning: [mention], before: request.request)
            } else {
                try await rows.eraseCopies(keys: [key], mentioned: [mention])
            }
        }
    }

    /// The ends of an erased delivery's episodes: a late intent may be about any.
    static func ends(of delivery: Delivery) -> [Activity] {
        (1...max(delivery.episode, 1)).map { episode in
            Activity(
                id: ActivityID(delivery.id, episode: episode), customer: delivery.customer, delivery: delivery.id,
                store: delivery.store.id,
                wanted: ActivityStep.after(DeliverySnapshot(delivery, links: []), arrival: nil, step: lastStep))
        }
    }
}
