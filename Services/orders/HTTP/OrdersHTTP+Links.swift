import DoorstepAPI
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime
import WebPages

/// Deep links: `GET` describes a link, `POST` presses it, both as JSON or as a page; and links that only show a
/// delivery.
extension OrdersHTTP {
    /// Changes nothing, so a link preview, a scanner or a prefetching browser may fetch it; the courier's number is for
    /// the customer's own token alone.
    @Sendable func showLink(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("link")
        if request.wantsPage { return try await pages.page(request, token: token) }
        let reader = context.identity == nil ? nil : try context.principal()
        return try jsonResponse(try await pressLink.show(token, for: reader)).confidential()
    }

    @Sendable func makeViewLink(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .dispatcher)
        let (delivery, link) = try await shareDelivery(try context.path("id", as: DeliveryID.self), by: principal)
        AnsweredPersons.current?.add(delivery.persons)
        return try jsonResponse(link, status: .created).confidential()
    }

    @Sendable func revokeViewLinks(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .dispatcher)
        let revoked = try await shareDelivery.revoke(try context.path("id", as: DeliveryID.self), by: principal)
        return try jsonResponse(RevokedViewLinksBody(revoked: revoked))
    }

    @Sendable func press(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("link")
        if request.isForm, context.identity == nil { return try await pages.press(request, context, token: token) }
        let customer = try context.principal(.customer)
        let stored = try await pressLink.press(token, by: customer)
        return Response(stored).confidential()
    }
}
