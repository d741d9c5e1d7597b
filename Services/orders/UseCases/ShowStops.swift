import DomainTime
import Foundation
import OrderDomain
import PostgresClient

/// Reads the stops of a courier's page.
struct ShowStops: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let faces: StoreFaces
    let personalData: PersonalDataBox

    struct Day: Sendable {
        let courier: CourierID
        /// The face of the day's only store, with the store; nil on a day with several, and for a store without one.
        var shop: (face: StoreFace, store: Store)?
        /// Live, in the order of the day.
        let stops: [CourierStop]
        /// Ended, and known to be for twelve hours at most, the last first, without their addresses.
        let ended: [CourierStop]
        /// Domain time at which it was read.
        let now: Date
        /// Wall seconds until a press can no longer be undone; nil where none waits.
        let changesInSeconds: Double?
    }

    func callAsFunction(_ courier: CourierID) async throws -> Day {
        let now = clock.now
        let stops = try await withFaces(
            CourierPressRepository.stops(of: courier, opening: personalData, on: pool))
        let ended = try await withFaces(
            CourierPressRepository.ended(
                of: courier, since: now.addingTimeInterval(-CourierAction.endedSeconds), on: pool))
        let dueAt = (stops + ended).compactMap(\.waiting?.dueAt).min()
        return Day(
            courier: courier, shop: try await shop(of: stops + ended), stops: CourierStop.inOrder(stops), ended: ended,
            now: now,
            changesInSeconds: dueAt.map { clock.wallDuration(until: $0) / .seconds(1) })
    }

    /// The stops with the names and the contacts of their stores' faces.
    private func withFaces(_ stops: [CourierStop]) async throws -> [CourierStop] {
        var shown: [CourierStop] = []
        for stop in stops {
            var record = stop.record
            record.delivery = record.delivery.with(try await faces(record.delivery.store.id).face)
            let carrierPhone = record.delivery.fetchedFrom.flatMap(personalData.phone)
            shown.append(CourierStop(record: record, press: stop.press, carrierPhone: carrierPhone))
        }
        return shown
    }

    private func shop(of stops: [CourierStop]) async throws -> (face: StoreFace, store: Store)? {
        guard let store = stops.first?.delivery.store, stops.allSatisfy({ $0.delivery.store.id == store.id }),
            let face = try await faces(store.id).face
        else { return nil }
        return (face, store)
    }
}
