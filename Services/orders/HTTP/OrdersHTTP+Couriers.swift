import DoorstepAPI
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime

/// Links to couriers' own pages.
extension OrdersHTTP {
    @Sendable func makeCourierLink(_ request: Request, _ context: AppContext) async throws -> Response {
        let courier = try self.courier(of: context)
        return try jsonResponse(
            CourierLinkBody(courier: courier, url: try await courierPages.share(courier)), status: .created
        ).confidential()
    }

    @Sendable func revokeCourierLinks(_ request: Request, _ context: AppContext) async throws -> Response {
        let revoked = try await courierPages.share.revoke(try courier(of: context))
        return try jsonResponse(RevokedViewLinksBody(revoked: revoked))
    }

    /// The page has every store's deliveries of the courier, so no token of one store is enough.
    private func courier(of context: AppContext) throws -> CourierID {
        let identity = try context.requireUnrestricted(.operator, .store, .courier, as: .dispatcher)
        let courier = try context.path("id", as: CourierID.self)
        guard identity.role != .courier || identity.subject == courier.rawValue else {
            throw Problem.notFound("no courier \(courier)")
        }
        return courier
    }
}
