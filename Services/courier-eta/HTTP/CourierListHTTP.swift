import DoorstepAPI
import Hummingbird
import OrderDomain
import ServiceRuntime

/// The list of couriers, for callers who assign them, and their places and proposed trips, for operators.
struct CourierListHTTP: Sendable {
    let listCouriers: ListCouriers
    let listPositions: ListCourierPositions
    let previewTrip: PreviewTrip

    func addRoutes(to router: Router<AppContext>) {
        router.get("v1/couriers", use: list)
        router.get("v1/courier-positions", use: positions)
        router.get("v1/couriers/{id}/trip", use: trip)
    }

    @Sendable func list(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.operator, .store)
        guard principal.scope.delivery == nil else { throw Problem.notFound("this token is for one delivery") }
        let limit = try request.query("limit", in: 1...ListCouriers.pageMax, default: ListCouriers.pageMax)
        return try jsonResponse(
            try await listCouriers(
                of: principal.scope.store, asShop: principal.isShop,
                only: try request.query("courier", as: CourierID.self),
                after: try request.query("after", as: CourierID.self), limit: limit))
    }

    @Sendable func positions(_ request: Request, _ context: AppContext) async throws -> Response {
        try context.requireUnrestricted(.operator)
        return try jsonResponse(
            try await listPositions(
                since: try request.time("since"), after: try request.query("after", as: CourierID.self),
                limit: try request.query(
                    "limit", in: 1...ListCourierPositions.pageMax, default: ListCourierPositions.pageMax)))
    }

    @Sendable func trip(_ request: Request, _ context: AppContext) async throws -> Response {
        try context.requireUnrestricted(.operator)
        let courier = try context.path("id", as: CourierID.self)
        let added = (request.query("adding") ?? "").split(separator: ",").map { DeliveryID(rawValue: String($0)) }
        guard added.count <= PreviewTrip.addedMax, !added.contains(nil) else {
            throw Problem.malformed(
                "query adding", "must be at most \(PreviewTrip.addedMax) deliveries' ids, separated by commas")
        }
        do {
            return try jsonResponse(try await previewTrip(of: courier, adding: added.compactMap(\.self)))
        } catch let refusal as PreviewTrip.NotLive {
            throw Problem.notFound("no live delivery \(refusal.delivery)")
        } catch let refusal as PreviewTrip.TooManyStops {
            throw Problem.malformed(
                "query adding",
                "\(courier) has \(refusal.own) deliveries and would get \(refusal.added) more: a trip has at most "
                    + "\(PreviewTrip.stopsMax) stops")
        }
    }
}

extension Principal {
    /// Whether it is a shop's backend, not an operator.
    fileprivate var isShop: Bool { if case .store = subject { true } else { false } }
}
