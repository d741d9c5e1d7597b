import DoorstepAPI
import OrderDomain
import PostgresClient

/// Reads a courier's position, and a delivery's tracking.
struct ReadTracking: Sendable {
    let pool: PostgresPool

    /// - Returns: nil where the courier has neither a fix nor a live delivery.
    func position(of courier: CourierID) async throws -> CourierPositionBody? {
        guard try await CourierRepository.isKnown(courier, on: pool) else { return nil }
        let track = try await CourierRepository.track(of: courier, on: pool)
        let trip = try await DeliveryRepository.trips(of: [courier], on: pool)[courier]
        return CourierPositionBody(courier, track: track, trip: trip ?? DeliveryRepository.Trip())
    }

    /// - Returns: nil where there is no such delivery, or it is not the reader's to see.
    func delivery(_ id: DeliveryID, for reader: Principal) async throws -> TrackedDelivery? {
        guard let tracked = try await DeliveryRepository.delivery(id, on: pool),
            reader.sees(Ownership(tracked.delivery))
        else { return nil }
        return tracked
    }
}
