import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import LiveActivity
import OrderDomain
import ServiceRuntime

/// Deep links: `GET` shows, `POST` does.
extension OrdersHTTP {
    /// Never changes anything, so a preview, a scanner or an impatient browser may fetch it.
    @Sendable func showLink(_ request: Request, _ context: AppContext) async throws -> Response {
        do {
            let body = try await pressLink.show(try context.path("link"))
            let accept = request.headers[.accept] ?? ""
            let response =
                accept.contains("text/html") ? LinkPage(body).response : try jsonResponse(body)
            return response.withoutTrace()
        } catch let refusal as PressLink.Refusal {
            throw Problem(refusal)
        }
    }

    @Sendable func press(_ request: Request, _ context: AppContext) async throws -> Response {
        let customer = try Actor(try context.require(.customer))
        do {
            let answer = try await pressLink.press(try context.path("link"), by: customer)
            return Response(kept: answer.body, status: answer.status).withoutTrace()
        } catch let refusal as PressLink.Refusal {
            throw Problem(refusal)
        }
    }
}

extension Response {
    /// A link is a secret: no cache keeps it and no page that it leads to learns of it.
    fileprivate func withoutTrace() -> Response {
        var response = self
        response.headers[.cacheControl] = "no-store"
        if let name = HTTPField.Name("Referrer-Policy") { response.headers[name] = "no-referrer" }
        return response
    }
}
