import DoorstepAPI
import Hummingbird
import OrderDomain
import ServiceRuntime

/// The list of couriers, for callers who assign them, and their places, for operators.
struct CourierListHTTP: Sendable {
    let listCouriers: ListCouriers
    let listPositions: ListCourierPositions

    func addRoutes(to router: Router<AppContext>) {
        router.get("v1/couriers", use: list)
        router.get("v1/courier-positions", use: positions)
    }

    @Sendable func list(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.operator, .store)
        guard principal.scope.delivery == nil else { throw Problem.notFound("this token is for one delivery") }
        let limit = try request.query("limit", in: 1...ListCouriers.pageMax, default: ListCouriers.pageMax)
        return try jsonResponse(
            try await listCouriers(
                of: principal.scope.store, only: try request.query("courier", as: CourierID.self),
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
}
