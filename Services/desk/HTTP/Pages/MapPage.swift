import CardPresentation
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime
import Synchronization
import TimePresentation
import WebPages
import WireCoding

/// The map: couriers, doors, stores and the ways that are left.
extension DeskHTTP {
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
            let text: String
            let deliveries: [String]
            let href: String
        }
        let asOf: Date
        let stores: [Store]
        let doors: [Door]
        let couriers: [Courier]
        let missing: [String]
    }

    @Sendable func showMap(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            let now = clock.now
            let couriers = try await readCouriers(for: reader.user)
            var values: [String: Any] = [
                "missing": missing, "couriers": couriers.map { $0.values(now) },
                "doors": board.entries.sorted { $0.row.isWorse(than: $1.row) }.prefix(200).map {
                    ["path": "/deliveries/\($0.row.id)", "text": doorText($0.row, now)] as [String: Any]
                },
                "events": "/now/events",
            ]
            values["tiles"] = map.tiles?.url
            values["attribution"] = map.attribution
            return .page(
                DeskPage.html(
                    "map", values, title: "Map", tab: .map, for: reader, scripts: PageAsset.mapScripts,
                    styles: PageAsset.mapStyles), tilesOrigin: map.tiles?.origin)
        }
    }

    @Sendable func mapPlaces(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            let now = clock.now
            let couriers = try await readCouriers(for: reader.user)
            let entries = board.entries
            let places = Places(
                asOf: now, stores: try await stores(of: entries, for: reader.user),
                doors: entries.compactMap { entry in
                    entry.row.door.map { door in
                        .init(
                            delivery: entry.row.id.rawValue, reference: entry.row.orderText, latitude: door.latitude,
                            longitude: door.longitude, risk: entry.row.risk.rawValue, text: doorText(entry.row, now),
                            href: "/deliveries/\(entry.row.id)")
                    }
                },
                couriers: couriers.compactMap { courier in
                    courier.position?.latest.map { fix in
                        .init(
                            id: courier.id.rawValue, name: courier.name, latitude: fix.latitude,
                            longitude: fix.longitude, state: courier.state.rawValue, text: courier.seen(now),
                            deliveries: courier.position?.deliveries.map(\.rawValue) ?? [],
                            href: "/couriers#\(courier.id)")
                    }
                }, missing: missing)
            return try jsonResponse(places)
        }
    }

    @Sendable func mapStreets(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { _ in
            guard let streets = map.streets else { return Response(status: .noContent) }
            return Response(
                status: .ok, headers: [.contentType: "application/geo+json", .cacheControl: "private, max-age=3600"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: streets.geoJSON)))
        }
    }

    private func doorText(_ row: BoardBody.Row, _ now: Date) -> String {
        let times = StoreTimes(timeZone: row.timeZone ?? "UTC", now: now)
        let expected = row.estimate.map { ", expected \(times.text($0.arrivesAt))" } ?? ""
        return "\(row.orderText.withoutDirectionControls), by \(times.text(row.promise.end))\(expected)"
    }

    /// Where the stores of live deliveries are: each is asked about once, by one of its deliveries.
    private func stores(of entries: [Board.Entry], for user: DeskUser) async throws -> [Places.Store] {
        var stores: [Places.Store] = []
        let byStore = Dictionary(
            entries.map { ($0.row.store.rawValue, $0.row.id) }, uniquingKeysWith: { one, _ in one })
        for (id, delivery) in byStore.sorted(by: { $0.key < $1.key }) {
            if let store = storePlaces.place(of: id) {
                stores.append(.init(id: id, name: store.name, latitude: store.latitude, longitude: store.longitude))
                continue
            }
            guard
                case .body(let body) = try await services.read(
                    .orders, "/v1/deliveries/\(delivery)", for: user, as: DeliveryBody.self)
            else { continue }
            let place = StorePlaces.Place(
                name: body.store.name.withoutDirectionControls, latitude: body.store.location.latitude,
                longitude: body.store.location.longitude)
            storePlaces.keep(place, of: id)
            stores.append(.init(id: id, name: place.name, latitude: place.latitude, longitude: place.longitude))
        }
        return stores
    }
}

/// Where stores are, as far as this process has read it; they do not move.
final class StorePlaces: Sendable {
    struct Place: Sendable {
        let name: String
        let latitude: Double
        let longitude: Double
    }

    private static let placesMax = 10_000
    private let places = Mutex<[String: Place]>([:])

    func place(of store: String) -> Place? { places.withLock { $0[store] } }

    func keep(_ place: Place, of store: String) {
        places.withLock { places in
            if places.count >= Self.placesMax { places.removeAll() }
            places[store] = place
        }
    }
}
