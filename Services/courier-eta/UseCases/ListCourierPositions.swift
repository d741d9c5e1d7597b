import ArrivalEstimate
import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// Lists couriers' newest positions, many in one request.
///
/// Positions that this process has ingested are read from its cache while the row's revision is the same; fixes of
/// other couriers are read from the database.
struct ListCourierPositions: Sendable {
    static let pageMax = 500
    /// The default age limit of positions, in seconds.
    static let secondsByDefault = 86_400.0

    let pool: PostgresPool
    let clock: DomainClock
    let cache: CourierCache

    /// - Parameters:
    ///   - since: only couriers with a fix at this time or later; a day ago where it is nil.
    ///   - after: only couriers with ids after this one.
    func callAsFunction(since: Date?, after: CourierID?, limit: Int) async throws -> CourierPositionsBody {
        let now = clock.now
        let since = since ?? now.addingTimeInterval(-Self.secondsByDefault)
        // A row may be behind the courier's newest fix by as much.
        let found = try await CourierRepository.revisions(
            since: since.addingTimeInterval(-IngestTransaction.rowSecondsMax), after: after, limit: limit + 1, on: pool)
        let page = found.prefix(limit)
        var tracks: [CourierID: CourierTracks] = [:]
        for (courier, revision) in page {
            guard let cached = cache[courier], cached.revision == revision else { continue }
            tracks[courier] = cached.tracks
        }
        let uncached = page.map(\.courier).filter { tracks[$0] == nil }
        tracks.merge(try await CourierRepository.tracks(of: uncached, on: pool)) { $1 }
        let trips = try await DeliveryRepository.trips(of: page.map(\.courier), on: pool)
        return CourierPositionsBody(
            asOf: now,
            positions: page.compactMap { courier, _ in
                guard let track = tracks[courier]?.followed, let latest = track.latest, latest.time >= since else {
                    return nil
                }
                return CourierPositionBody(
                    courier, track: track, trip: trips[courier] ?? DeliveryRepository.Trip())
            }, next: found.count > limit ? page.last?.courier : nil)
    }
}

extension CourierPositionBody {
    /// - Parameter trip: the courier's deliveries to carry or fetch.
    init(_ courier: CourierID, track: CourierTrack, trip: DeliveryRepository.Trip) {
        let latest = track.latest
        self.init(
            courier: courier,
            latest: latest.map {
                Fix(
                    time: $0.time, latitude: $0.place.latitude, longitude: $0.place.longitude, accuracy: $0.accuracy,
                    speed: $0.speed, heading: $0.heading)
            },
            standingSeconds: Int(track.standingSeconds), usualIntervalSeconds: Int(track.usualInterval),
            isSilent: trip.isSilent, deliveries: trip.deliveries)
    }
}
