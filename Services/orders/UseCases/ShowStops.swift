import DomainTime
import Foundation
import OrderDomain
import PostgresClient

/// Reads the stops of a courier's page.
struct ShowStops: Sendable {
    let pool: PostgresPool
    let clock: DomainClock

    struct Day: Sendable {
        let courier: CourierID
        /// Live, in the order of the day.
        let stops: [CourierStop]
        /// Ended in the last twelve hours, the last first, without their addresses.
        let ended: [CourierStop]
        /// Domain time at which it was read.
        let now: Date
        /// Wall seconds until a press can no longer be undone; nil where none waits.
        let changesInSeconds: Double?
    }

    func callAsFunction(_ courier: CourierID) async throws -> Day {
        let now = clock.now
        let stops = try await CourierPressRepository.stops(of: courier, on: pool)
        let ended = try await CourierPressRepository.ended(
            of: courier, since: now.addingTimeInterval(-CourierAction.endedSeconds), on: pool)
        let dueAt = (stops + ended).compactMap(\.waiting?.dueAt).min()
        return Day(
            courier: courier, stops: CourierStop.inOrder(stops), ended: ended, now: now,
            changesInSeconds: dueAt.map { clock.wallDuration(until: $0) / .seconds(1) })
    }
}
