import CardPresentation
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import Hummingbird
import OrderDomain
import ServiceRuntime
import TimePresentation
import WebPages

/// The couriers: where each was seen last and when, and what they carry.
extension DeskHTTP {
    @Sendable func showCouriers(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            let couriers = try await readCouriers(for: reader.user)
            let now = clock.now
            let values: [String: Any] = [
                "missing": missing, "asOf": DeskPage.asOf(now, at: now),
                "couriers": couriers.map { $0.values(now) }, "isEmpty": couriers.isEmpty,
            ]
            return .page(
                DeskPage.html(
                    "couriers", values, title: "Couriers", tab: .couriers, for: reader, scripts: [.htmx],
                    reading: "/couriers"))
        }
    }

    /// Those who have been seen in the last day or carry something, the silent first.
    func readCouriers(for user: DeskUser) async throws -> [CourierOnDesk] {
        async let list = allCouriers(for: user)
        async let positions = allPositions(for: user)
        let names = Dictionary(try await list.map { ($0.courier, $0) }, uniquingKeysWith: { $1 })
        let live = Dictionary(grouping: board.entries.filter { $0.row.courier != nil }, by: \.row.courier)
        let byCourier = Dictionary(try await positions.map { ($0.courier, $0) }, uniquingKeysWith: { $1 })
        let all = Set(names.keys).union(byCourier.keys).union(live.keys.compactMap(\.self))
        let now = clock.now
        return all.map { id in
            let mine = (live[id] ?? []).sorted { $0.row.promise.end < $1.row.promise.end }
            return CourierOnDesk(
                id: id, row: names[id], position: byCourier[id], deliveries: mine.map(\.row), now: now)
        }.sorted { ($0.state.rank, $0.id.rawValue) < ($1.state.rank, $1.id.rawValue) }
    }

    private func allCouriers(for user: DeskUser) async throws -> [CouriersBody.Row] {
        var rows: [CouriersBody.Row] = []
        var after = ""
        for _ in 0..<Self.courierPagesMax {
            guard
                case .body(let page) = try await services.read(
                    .courierETA, "/v1/couriers?limit=100\(after)", for: user, as: CouriersBody.self)
            else { break }
            rows += page.couriers
            guard let next = page.next else { break }
            after = "&after=\(next)"
        }
        return rows
    }

    private func allPositions(for user: DeskUser) async throws -> [CourierPositionBody] {
        var positions: [CourierPositionBody] = []
        var after = ""
        for _ in 0..<Self.courierPagesMax {
            guard
                case .body(let page) = try await services.read(
                    .courierETA, "/v1/courier-positions?limit=100\(after)", for: user, as: CourierPositionsBody.self)
            else { break }
            positions += page.positions
            guard let next = page.next else { break }
            after = "&after=\(next)"
        }
        return positions
    }

    /// Pages of 100 couriers that are read at most.
    private static let courierPagesMax = 20
}

/// A courier as the desk shows them.
struct CourierOnDesk: Sendable {
    let id: CourierID
    let row: CouriersBody.Row?
    let position: CourierPositionBody?
    /// What they go for or carry, by promise.
    let deliveries: [BoardBody.Row]
    let state: CourierState

    init(
        id: CourierID, row: CouriersBody.Row?, position: CourierPositionBody?, deliveries: [BoardBody.Row], now: Date
    ) {
        self.id = id
        self.row = row
        self.position = position
        self.deliveries = deliveries
        state = CourierState(position, now: now, hasDeliveries: !deliveries.isEmpty)
    }

    var name: String { (row?.name ?? deliveries.first?.courierName ?? id.rawValue).withoutDirectionControls }

    /// When they were seen last: `12 min ago`.
    func seen(_ now: Date) -> String { position?.latest.map { $0.time.ago(now) } ?? "no position yet" }

    func values(_ now: Date) -> [String: Any] {
        var values: [String: Any] = [
            "id": id.rawValue, "name": name, "state": state.rawValue, "seen": seen(now),
            "phones": row?.phones ?? 0, "isOffDuty": row?.onDuty == false,
            "deliveries": deliveries.map { row in
                ["path": "/deliveries/\(row.id)", "order": row.orderText, "status": row.statusText] as [String: Any]
            },
            "hasNone": deliveries.isEmpty, "isSilent": state == .silent && !deliveries.isEmpty,
        ]
        if let malformed = row?.malformed {
            let last = row?.malformedAt.map { ", the last \($0.ago(now))" } ?? ""
            values["unread"] = "\(malformed) positions could not be read\(last)"
        }
        if state == .standing, let seconds = position?.standingSeconds, seconds >= 60 {
            values["standing"] = "for \(seconds / 60) min"
        }
        return values
    }
}
