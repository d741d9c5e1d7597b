import ArrivalEstimate
import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient

/// Answers where couriers are, rounded, for the maps of customers' pages.
///
/// `orders` decides which delivery's map shows its courier. Beside that, this service answers no courier who is exempt
/// or has no delivery between pickup and its door, no fix older than the question permits, and none that is not
/// rounded.
struct ShowCourierPlaces: Sendable {
    let pool: PostgresPool
    let clock: DomainClock

    /// - Parameter question: nil where the request was none.
    func callAsFunction(_ question: CourierPlacesQuestion?) async throws -> CourierPlaces {
        guard let question else { return CourierPlaces([], fault: "it is no question") }
        guard question.couriers.count <= CourierPlacesQuestion.couriersMax else {
            return CourierPlaces([], fault: "it asks for more than \(CourierPlacesQuestion.couriersMax) couriers")
        }
        let now = clock.now
        let rows = try await CourierPlaceRepository.places(
            of: question.couriers.map { ($0.courier, $0.since) }, on: pool)
        return CourierPlaces(
            rows.compactMap { row in
                let shown = CourierOnMap(row.place, measuredAt: row.seenAt)
                guard shown.isCurrent(since: .distantPast, now: now) else { return nil }
                return CourierPlaces.Place(row.courier, place: shown.place, at: shown.at)
            })
    }
}
