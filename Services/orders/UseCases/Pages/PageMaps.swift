import ArrivalEstimate
import Foundation
import OrderDomain
import Synchronization

/// The couriers' places on the maps of pages that are read: in memory alone, and only for permitted maps.
///
/// A place belongs to a version of its delivery. `PageMapUpdates` asks for places, then reads the deliveries' versions:
/// a place of a delivery that has changed since its page was read reaches no page.
final class PageMaps: Sendable {
    /// The time for which a page without an event stream keeps its map: such a page reloads every two minutes where it
    /// has a form, and every 20 seconds otherwise.
    static let keptFor = Duration.seconds(145)

    private struct Followed {
        var span: MapSpan
        var place: FollowedPlace?
        var keptUntil: ContinuousClock.Instant
    }

    let visibility: CourierVisibility
    private let byID = Mutex<[DeliveryID: Followed]>([:])

    init(visibility: CourierVisibility = CourierVisibility()) { self.visibility = visibility }

    // MARK: Reads of pages

    /// The map of a page that was just read; nil where it shows no courier.
    ///
    /// - Parameter lastChange: the time of the delivery's last change; asked for at the beginning of a span.
    func map(
        of link: Link, _ delivery: Delivery, isProven: Bool, lastChange: () async throws -> Date
    ) async throws -> PageMap? {
        guard visibility.isUsed else { return nil }
        guard visibility.showsCourier(of: delivery), let courier = delivery.courier?.id else {
            end(delivery)
            return nil
        }
        guard visibility.hasMap(link, of: delivery) else { return nil }
        if !continueSpan(of: delivery) {
            let span = MapSpan(version: delivery.version, courier: courier, since: try await lastChange())
            begin(span, of: delivery)
        }
        return PageMap(of: delivery, isProven: isProven)
    }

    private func end(_ delivery: Delivery) {
        byID.withLock { byID in
            if let known = byID[delivery.id], known.span.version <= delivery.version { byID[delivery.id] = nil }
        }
    }

    /// - Returns: whether it has the delivery's span, or a later one.
    private func continueSpan(of delivery: Delivery) -> Bool {
        byID.withLock { byID in
            guard let known = byID[delivery.id] else { return false }
            guard known.span.version <= delivery.version else { return true }
            guard let span = known.span.continued(by: delivery) else { return false }
            byID[delivery.id]?.span = span
            byID[delivery.id]?.keptUntil = .now + Self.keptFor
            return true
        }
    }

    private func begin(_ span: MapSpan, of delivery: Delivery) {
        byID.withLock { byID in
            if let known = byID[delivery.id], known.span.version >= span.version { return }
            byID[delivery.id] = Followed(span: span, keptUntil: .now + Self.keptFor)
        }
    }

    /// The courier's place on a page's map; nil before it is known, and once the delivery is another.
    func place(on map: PageMap) -> FollowedPlace? {
        byID.withLock { byID in byID[map.delivery].flatMap { $0.span.version == map.version ? $0.place : nil } }
    }

    // MARK: Places

    /// The spans of the maps that have a reader; it drops the others.
    ///
    /// - Parameter open: the deliveries with an open page.
    func read(_ open: Set<DeliveryID>, at now: ContinuousClock.Instant = .now) -> [DeliveryID: MapSpan] {
        byID.withLock { byID in
            byID = byID.filter { open.contains($0.key) || now < $0.value.keptUntil }
            return byID.mapValues(\.span)
        }
    }

    /// Removes the places that are too old; returns the deliveries whose maps show none any more.
    func expire(_ spans: [DeliveryID: MapSpan], at now: Date) -> [DeliveryID] {
        apply(nil, to: spans, versions: spans.mapValues(\.version), at: now).moved
    }

    /// Applies an answer to the maps that were asked about.
    ///
    /// - Parameters:
    ///   - places: nil where nothing was answered; a missing courier is shown nowhere.
    ///   - versions: the deliveries' versions, read after the answer arrived.
    ///   - now: domain time.
    /// - Returns: the deliveries whose maps show another place, and those that have changed since their page was read.
    func apply(
        _ places: [CourierID: CourierOnMap]?, to spans: [DeliveryID: MapSpan], versions: [DeliveryID: Int],
        at now: Date
    ) -> (moved: [DeliveryID], changed: [DeliveryID]) {
        var (moved, changed): ([DeliveryID], [DeliveryID]) = ([], [])
        byID.withLock { byID in
            for (delivery, span) in spans {
                // Another span is asked about next time.
                guard let known = byID[delivery], known.span == span else { continue }
                guard versions[delivery] == span.version else {
                    changed.append(delivery)
                    continue
                }
                let answered = places.map { $0[span.courier] } ?? known.place?.now
                let next = answered.flatMap { $0.isCurrent(since: span.since, now: now) ? $0 : nil }
                if next?.place != known.place?.now.place { moved.append(delivery) }
                byID[delivery]?.place = next.map { next in
                    let isSame = next.place == known.place?.now.place
                    return FollowedPlace(now: next, former: isSame ? known.place?.former : known.place?.now)
                }
            }
        }
        return (moved, changed)
    }
}
