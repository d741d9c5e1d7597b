import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import LiveActivity
import OrderDomain
import ServiceRuntime

/// Deep links: `GET` shows what a link does, `POST` does it; and links that only show a delivery.
extension OrdersHTTP {
    /// Changes nothing, so a link preview, a scanner or a prefetching browser may fetch it; the courier's number is for
    /// the customer's own token alone.
    @Sendable func showLink(_ request: Request, _ context: AppContext) async throws -> Response {
        do {
            let reader = context.identity == nil ? nil : try context.principal()
            let (body, isShared) = try await pressLink.show(try context.path("link"), for: reader)
            let accept = request.headers[.accept] ?? ""
            let response =
                accept.contains("text/html") ? LinkPage(body, isShared: isShared).response : try jsonResponse(body)
            return response.confidential()
        } catch let refusal as PressLink.Refusal {
            throw Problem(refusal)
        }
    }

    @Sendable func makeViewLink(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator)
        do {
            let body = try await shareDelivery(try context.path("id", as: DeliveryID.self), by: principal)
            return try jsonResponse(body, status: .created).confidential()
        } catch let refusal as ShareDelivery.Refusal {
            throw Problem(refusal)
        }
    }

    @Sendable func revokeViewLinks(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator)
        do {
            let revoked = try await shareDelivery.revoke(try context.path("id", as: DeliveryID.self), by: principal)
            return try jsonResponse(RevokedViewLinksBody(revoked: revoked))
        } catch let refusal as ShareDelivery.Refusal {
            throw Problem(refusal)
        }
    }

    @Sendable func press(_ request: Request, _ context: AppContext) async throws -> Response {
        let customer = try context.principal(.customer)
        do {
            let stored = try await pressLink.press(try context.path("link"), by: customer)
            return Response(stored).confidential()
        } catch let refusal as PressLink.Refusal {
            throw Problem(refusal)
        }
    }
}
