import ArrivalEstimate
import Foundation
import OrderDomain
import PostgresClient

extension TrackedDelivery {
    /// Begins the way at the door that the courier left last, where no recent fix shows the courier.
    ///
    /// - Parameters:
    ///   - carried: the courier's live deliveries.
    ///   - begun: the deliveries that the transaction changes, whose rows are written at its end, or that it has read.
    mutating func beginWay(
        among carried: [Delivery], track: CourierTrack, begun: [DeliveryID: TrackedDelivery] = [:], at now: Date,
        in transaction: PostgresTransaction
    ) async throws {
        guard track.recentFix(at: now) == nil else { return }
        let gone = stopsGone(among: carried)
        let stored = try await DeliveryRepository.deliveries(gone.filter { begun[$0] == nil }, on: transaction)
        beginWay(atDoorOf: gone.compactMap { begun[$0] ?? stored[$0] })
    }
}
