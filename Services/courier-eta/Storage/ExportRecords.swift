import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// This service's section of a customer's archive: the arrivals of their deliveries, without positions.
enum ExportRecords {
    /// Deliveries of one reading; each has its tracking state.
    private static let deliveriesMax = 10

    /// An arrival as it was estimated and detected.
    struct Arrival: Encodable {
        let delivery: DeliveryID
        /// The newest estimate on screens.
        let arrivesAt: Date?
        let earliestAt: Date?
        let latestAt: Date?
        let estimatedAt: Date?
        let milestones: [Reached]

        struct Reached: Encodable {
            let milestone: Milestone
            let reachedAt: Date
        }

        init(_ tracked: TrackedDelivery) {
            let (delivery, tracking) = (tracked.delivery, tracked.tracking)
            self.delivery = delivery.id
            arrivesAt = tracking.published?.arrivesAt
            earliestAt = tracking.published?.earliest
            latestAt = tracking.published?.latest
            estimatedAt = tracking.published?.madeAt
            milestones = tracking.milestones.map { Reached(milestone: $0.milestone, reachedAt: $0.at) }
        }
    }

    static func source(on pool: PostgresPool) -> ExportSource {
        ExportSource(.arrivals) { request, after in
            let ids = request.deliveries.map(\.delivery).filter { after < $0.rawValue }.sorted().prefix(deliveriesMax)
            let known = try await DeliveryRepository.deliveries(Array(ids), on: pool)
            return try ids.map { id in
                let record = try known[id].map { String(decoding: try WireJSON.encode(Arrival($0)), as: UTF8.self) }
                return ExportedRow(key: id.rawValue, record: record)
            }
        }
    }
}
