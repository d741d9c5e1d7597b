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
                "events": "/now/events", "timeZone": board.timeZone.identifier,
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
                asOf: now,
                stores: try await findStores(of: entries, for: reader.user).map {
                    .init(
                        id: $0.id, name: $0.name.withoutDirectionControls, latitude: $0.latitude,
                        longitude: $0.longitude)
                },
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
        return "\(row.orderText.withoutDirectionControls), \(times.promised(row.promise))\(expected)"
    }
}
