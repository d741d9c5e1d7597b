import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain

/// Reads couriers' positions and deliveries.
struct ReadCouriers: Sendable {
    /// Pages that are read at most, of 500 couriers or positions each.
    private static let pagesMax = 20
    /// The time after which no further page of optional data is read.
    private static let besideMax = Duration.seconds(2)
    private static let couriersPath = "/v1/couriers?limit=500"
    private static let positionsPath = "/v1/courier-positions?limit=500"

    /// Couriers to choose from.
    struct Choices: Sendable {
        let rows: [CouriersBody.Row]
        /// Whether there may be more: they are too many, or were not read, or not in time.
        let areCut: Bool
    }

    let services: ServiceClient
    let board: LiveBoard
    let clock: DomainClock
    /// The time by which optional data delays a page.
    var wallNow: @Sendable () -> ContinuousClock.Instant = { .now }

    /// The couriers with a position of the last day or with deliveries, those who cannot go on and the silent first.
    ///
    /// - Throws: ``ServiceRefusal``.
    func callAsFunction(for user: DeskUser) async throws -> [CourierOnDesk] {
        async let list = pages(Self.couriersPath, \CouriersBody.couriers, \.next, for: user)
        async let positions = pages(Self.positionsPath, \CourierPositionsBody.positions, \.next, for: user)
        let names = Dictionary(try await list.map { ($0.courier, $0) }, uniquingKeysWith: { $1 })
        let live = Dictionary(
            grouping: board.entries.filter { $0.row.courier != nil && $0.row.endedAt == nil }, by: \.row.courier)
        let byCourier = Dictionary(try await positions.map { ($0.courier, $0) }, uniquingKeysWith: { $1 })
        let all = Set(names.keys).union(byCourier.keys).union(live.keys.compactMap(\.self))
        let now = clock.now
        return all.map { id in
            let mine = (live[id] ?? []).sorted { $0.row.promise.end < $1.row.promise.end }
            return CourierOnDesk(
                id: id, row: names[id], position: byCourier[id], deliveries: mine.map(\.row), now: now)
        }.sorted { ($0.state.rank, $0.id.rawValue) < ($1.state.rank, $1.id.rawValue) }
    }

    /// The couriers for an operator to choose from: as many as are read in time, and those of the board; these alone
    /// where `courier-eta` does not answer.
    ///
    /// A courier whom the board alone names counts as on duty.
    func choices(for user: DeskUser) async -> Choices {
        // The form works without the list, and every page names a service that does not answer.
        let list = await pagesBeside(Self.couriersPath, \CouriersBody.couriers, \.next, for: user)
        let listed = Set(list?.rows.map(\.courier) ?? [])
        let others = couriersOnBoard().filter { !listed.contains($0.courier) }
        return Choices(rows: (list?.rows ?? []) + others, areCut: list?.areCut ?? true)
    }

    private func couriersOnBoard() -> [CouriersBody.Row] {
        let live = board.entries.map(\.row).filter { $0.courier != nil && $0.endedAt == nil }
        return Dictionary(grouping: live, by: \.courier).compactMap { id, rows in
            id.map {
                CouriersBody.Row(
                    courier: $0, name: rows.first?.courierName, phones: 0, lastSeenAt: nil, onDuty: true,
                    deliveries: rows.count)
            }
        }.sorted { $0.courier < $1.courier }
    }

    /// The same couriers for a move, the nearest to the goods first; by their load where no position is known.
    ///
    /// - Parameter place: where the goods are.
    /// - Returns: the couriers, and whether there are more.
    func choices(
        for user: DeskUser, toFetchFrom place: FetchPlace?
    ) async -> (ranked: [CourierChoice], areCut: Bool) {
        async let couriers = choices(for: user)
        // Without positions the page has the list all the same, without distances.
        async let positions = pagesBeside(Self.positionsPath, \CourierPositionsBody.positions, \.next, for: user)
        let (list, located) = (await couriers, await positions)
        let ranked = CourierChoice.ranked(list.rows, at: located?.rows ?? [], toFetchFrom: place, now: clock.now)
        return (ranked, list.areCut)
    }

    /// Where the goods of a delivery are; nil where it has ended, and where `orders` does not answer.
    func fetchPlace(of id: DeliveryID, for user: DeskUser) async -> FetchPlace? {
        await services.readBeside(.orders, "/v1/deliveries/\(id)", for: user, as: DeliveryBody.self)
            .flatMap(FetchPlace.init)
    }

    /// The refusal of a filter's courier, with those that may be meant; nil where one is known, and while `courier-eta`
    /// does not answer.
    func unknown(_ text: String, for user: DeskUser) async -> String? {
        guard let id = CourierID(rawValue: text) else { return "no courier has an id such as \(text)" }
        let body: CouriersBody? = await services.readBeside(.courierETA, "/v1/couriers?courier=\(id)", for: user)
        guard body?.couriers.isEmpty == true, !board.entries.contains(where: { $0.row.courier == id }) else {
            return nil
        }
        return UnknownCourier(id, among: await choices(for: user).rows).description
    }

    /// Whether `courier-eta` knows a courier, by a phone, a position or a delivery; false where it does not answer.
    ///
    /// `orders` decides about all others: it knows the described ones.
    func knows(_ id: CourierID, for user: DeskUser) async -> Bool {
        let body: CouriersBody? = await services.readBeside(.courierETA, "/v1/couriers?courier=\(id)", for: user)
        return body?.couriers.isEmpty == false
    }

    /// The rows of all pages, as far as `courier-eta` answers.
    private func pages<Page: Decodable & Sendable, Row>(
        _ path: String, _ rows: (Page) -> [Row], _ next: (Page) -> CourierID?, for user: DeskUser
    ) async throws -> [Row] {
        try await allPages(path, rows, next) { path in
            try await services.read(.courierETA, path, for: user, as: Page.self).body
        }?.rows ?? []
    }

    /// The rows of all pages that are read in time, for a page that can do without; nil where the first one is missing.
    private func pagesBeside<Page: Decodable & Sendable, Row>(
        _ path: String, _ rows: (Page) -> [Row], _ next: (Page) -> CourierID?, for user: DeskUser
    ) async -> (rows: [Row], areCut: Bool)? {
        let latest = wallNow().advanced(by: Self.besideMax)
        return await allPages(path, rows, next) { path in
            guard wallNow() < latest else { return nil }
            return await services.readBeside(.courierETA, path, for: user, as: Page.self)
        }
    }

    /// The rows of all pages before the first missing one, and whether there are more; nil without any page.
    private func allPages<Page: Sendable, Row>(
        _ path: String, _ rows: (Page) -> [Row], _ next: (Page) -> CourierID?,
        read: (String) async throws -> Page?
    ) async rethrows -> (rows: [Row], areCut: Bool)? {
        var all: [Row]?
        var after = ""
        for _ in 0..<Self.pagesMax {
            guard let page = try await read("\(path)\(after)") else { break }
            all = (all ?? []) + rows(page)
            guard let next = next(page) else { return (rows: all ?? [], areCut: false) }
            after = "&after=\(next)"
        }
        return all.map { (rows: $0, areCut: true) }
    }
}

/// A courier as the desk shows them.
struct CourierOnDesk: Sendable {
    let id: CourierID
    let row: CouriersBody.Row?
    let position: CourierPositionBody?
    /// The courier's deliveries, picked up or not, by promise.
    let deliveries: [BoardBody.Row]
    let state: CourierState
    /// Domain time of the reading, from which pages count how long ago something was.
    let readAt: Date

    init(
        id: CourierID, row: CouriersBody.Row?, position: CourierPositionBody?, deliveries: [BoardBody.Row], now: Date
    ) {
        self.id = id
        self.row = row
        self.position = position
        self.deliveries = deliveries
        readAt = now
        state = CourierState(
            position, now: now, hasDeliveries: !deliveries.isEmpty,
            isSilent: deliveries.contains { $0.flags.contains(.courierSilent) },
            hasBrokenVehicle: deliveries.contains(where: \.hasBrokenVehicle))
    }
}
