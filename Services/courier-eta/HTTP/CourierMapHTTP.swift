import DoorstepAPI
import Hummingbird
import OrderDomain
import ServiceRuntime

/// The routes about whether customers' maps show a courier, for operators and, to read, the courier.
struct CourierMapHTTP: Sendable {
    let exempt: ExemptFromMap

    func addRoutes(to router: Router<AppContext>) {
        router.get("v1/couriers/{id}/map", use: show)
        router.put("v1/couriers/{id}/map", use: set)
    }

    @Sendable func show(_ request: Request, _ context: AppContext) async throws -> Response {
        try await answer(try context.courier().id)
    }

    @Sendable func set(_ request: Request, _ context: AppContext) async throws -> Response {
        let identity = try context.requireUnrestricted(.operator, as: .dispatcher)
        let id = try context.path("id", as: CourierID.self)
        let body = try await request.decode(as: CourierMapBody.self)
        try await exempt.set(
            isShown: body.isShown, of: id, by: "\(identity.role.rawValue) \(identity.recordedName)")
        return try await answer(id)
    }

    private func answer(_ id: CourierID) async throws -> Response {
        try jsonResponse(CourierMapBody(isShown: try await exempt.isShown(id)))
    }
}
