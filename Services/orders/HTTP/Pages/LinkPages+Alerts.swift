import DoorstepAPI
import HTTPTypes
import Hummingbird
import LiveActivity
import Messages
import ServiceRuntime
import WebPages

/// The route by which a page's script has its browser be notified.
extension LinkPages {
    @Sendable func setAlerts(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("link")
        guard !request.isFromElsewhere(than: signer.origin) else {
            throw Problem.foreignForm()
        }
        let body = try await request.decode(as: AlertSubscriptionBody.self)
        try await setAlerts(body, by: token, proof: proof(in: request)) { state in
            words(of: request, state).language
        }
        return Response(status: .noContent, headers: [.cacheControl: "no-store"])
    }
}

extension SetAlerts.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notProven:
            Problem(
                .forbidden, "order-not-proven", title: "The order's number was not given",
                detail: "give it on the delivery's page first")
        case .unavailable:
            .unavailable("whether the browser is notified cannot be stored now", retryAfterSeconds: 5)
        case .refused(let refusal):
            switch refusal.reason {
            case .malformed: .unprocessable(refusal.detail, slug: "subscription-refused", errors: [])
            case .ended: .conflict(refusal.detail, slug: "delivery-ended")
            }
        }
    }
}
