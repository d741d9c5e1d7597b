import CardPresentation
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime
import TimePresentation
import WebPages

/// The map: couriers, doors, stores and the ways that are left.
extension DeskHTTP {
    /// Doors that the page lists at most; scripts list the others too.
    private static let listedDoorsMax = 200

    private struct Places: Encodable {
        struct Store: Encodable {
            let id: String
            let name: String
            let latitude: Double
            let longitude: Double
        }
        struct Door: Encodable {
            let delivery: String
            let reference: String
            let latitude: Double
            let longitude: Double
            let risk: String
            let text: String
            let href: String
        }
        struct Courier: Encodable {
            let id: String
            let name: String
            let latitude: Double
            let longitude: Double
            let state: String
            /// The state in words.
            let activity: String
            /// The state with when they were seen last.
            let text: String
            let deliveries: [String]
            let href: String
        }
        let asOf: Date
        /// The line above the map.
        let count: String
        let stores: [Store]
        let doors: [Door]
        let couriers: [Courier]
        let missing: [String]
    }

    @Sendable func showMap(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            let now = clock.now
            let filter = mapFilter(request, of: reader)
            let everyCourier = try await readCouriers(for: reader.user)
            let (entries, couriers) = shown(filter, of: everyCourier, at: now)
            var values = map.values.merging(await filterValues(filter, of: everyCourier, for: reader)) { $1 }
            values["missing"] = missing
            values["couriers"] = couriers.map(\.values)
            values["doors"] = entries.prefix(Self.listedDoorsMax).map { entry in
                [
                    "id": entry.row.id.rawValue, "path": "/deliveries/\(entry.row.id)",
                    "order": entry.row.orderText.withoutDirectionControls, "text": doorText(entry.row, now),
                ] as [String: Any]
            }
            if entries.count > Self.listedDoorsMax { values["doorsMax"] = Self.listedDoorsMax }
            values["count"] = MapCount(board.entries, filter, at: now).text
            values["mayChange"] = reader.user.may(.dispatcher)
            values["chosenMax"] = BoardFilter.chosenMax
            values["places"] = "/map/places" + filter.query
            values["events"] = "/now/events"
            values["timeZone"] = board.timeZone.identifier
            return .page(
                DeskPage.html(
                    "map", values, title: "Map", tab: .map, for: reader, scripts: PageAsset.mapScripts,
                    styles: PageAsset.mapStyles), tilesOrigin: map.images.origin)
        }
    }

    @Sendable func mapPlaces(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            let now = clock.now
            let filter = mapFilter(request, of: reader)
            let (entries, couriers) = shown(filter, of: try await readCouriers(for: reader.user), at: now)
            let places = Places(
                asOf: now, count: MapCount(board.entries, filter, at: now).text,
                stores: try await findStores(of: entries).map {
                    .init(
                        id: $0.id, name: $0.name.withoutDirectionControls, latitude: $0.latitude,
                        longitude: $0.longitude)
                },
                doors: entries.compactMap { entry in
                    entry.row.door.map { door in
                        .init(
                            delivery: entry.row.id.rawValue, reference: entry.row.orderText.withoutDirectionControls,
                            latitude: door.latitude, longitude: door.longitude, risk: entry.row.risk.rawValue,
                            text: doorText(entry.row, now), href: "/deliveries/\(entry.row.id)")
                    }
                },
                couriers: couriers.compactMap { courier in
                    courier.position?.latest.map { fix in
                        .init(
                            id: courier.id.rawValue, name: courier.name, latitude: fix.latitude,
                            longitude: fix.longitude, state: courier.state.rawValue, activity: courier.state.text,
                            text: courier.words,
                            deliveries: courier.position?.deliveries.map(\.rawValue) ?? [],
                            href: "/couriers#\(courier.id)")
                    }
                }, missing: missing)
            return try jsonResponse(places)
        }
    }

    /// The filter in the address: that of the board without its search, and the day.
    private func mapFilter(_ request: Request, of reader: SignedIn) -> MapFilter {
        var filter = MapFilter(board: boardFilter(request, of: reader), day: MapDay(request.query("day")))
        filter.board.search = nil
        filter.board.chosen = []
        return filter
    }

    /// The deliveries and couriers that a filter leaves, the worst deliveries first.
    private func shown(
        _ filter: MapFilter, of couriers: [CourierOnDesk], at now: Date
    ) -> (entries: [Board.Entry], couriers: [CourierOnDesk]) {
        let entries = board.entries.filter { $0.row.endedAt == nil && filter.includes($0, at: now) }
            .sorted { $0.row.isWorse(than: $1.row) }
        show(entries.map(\.row))
        let ids = Set(entries.map(\.row.id))
        return (entries, couriers.filter { filter.includes($0.id, with: $0.deliveries.map(\.id), shown: ids) })
    }

    /// The fields of the filter's form with their choices.
    private func filterValues(
        _ filter: MapFilter, of couriers: [CourierOnDesk], for reader: SignedIn
    ) async -> [String: Any] {
        let people = couriers.map { FilterChoice(id: $0.id.rawValue, name: $0.name) }.sorted { $0.name < $1.name }
        let lanes = Lane.allCases.map { FilterChoice(id: $0.rawValue, name: $0.title) }
        let days = MapDay.later(board.entries.map(\.row), at: clock.now).map { FilterChoice(id: $0, name: $0) }
        let every = FilterChoice(id: "every", name: "every day")
        let fields = await filterFields(
            store: filter.board.store, courier: filter.board.courier, couriers: people, for: reader)
        let others: [String: Any] = [
            "lanes": FilterChoice.values(lanes, chosen: filter.board.lane?.rawValue),
            "days": FilterChoice.values(days + [every], chosen: filter.day.text),
            "isMine": filter.board.owner == reader.user.subject,
        ]
        return fields.merging(others) { $1 }
    }

    @Sendable func mapStreets(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { _ in
            guard let streets = map.streets else { return Response(status: .noContent) }
            return Response(
                status: .ok, headers: [.contentType: "application/geo+json", .cacheControl: "private, max-age=3600"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: streets.geoJSON)))
        }
    }

    /// An image of the map's file; browsers keep it for a week, under an address that has the file's version in it.
    @Sendable func mapTile(_ request: Request, _ context: AppContext) async throws -> Response {
        let place = try ["z", "x", "y"].map { try context.path($0) }.compactMap { Int($0) }
        return try await signedIn(request) { _ in
            guard place.count == 3,
                let image = try await map.images.image(zoom: place[0], column: place[1], row: place[2])
            else { throw Problem.notFound() }
            return image
        }
    }

    private func doorText(_ row: BoardBody.Row, _ now: Date) -> String {
        let times = StoreTimes(timeZone: row.timeZone ?? "UTC", now: now)
        let expected = row.estimate.map { ", expected \(times.text($0.arrivesAt))" } ?? ""
        let parts = [row.orderText, row.needText, row.riskText, times.promised(row.promise)].compactMap(\.self)
        return parts.joined(separator: ", ").withoutDirectionControls + expected
    }
}
