import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import ServiceRuntime
import WebPages

/// The routes of the desk: pages for operators, each with the forms that are on it, and what a command signs in by.
struct DeskHTTP: Sendable {
    /// Where browsers reach the desk, such as `https://desk.example.com`.
    let origin: String
    let signIn: SignIn
    let identityProvider: IdentityProvider?
    let board: BoardReader
    let readDelivery: ReadDelivery
    let change: ChangeFromDesk
    let keepTriage: KeepTriage
    let services: ServiceClient
    let map: MapSettings
    /// Names this process in what its streams count.
    let process: String
    let rows = BoardRowCache()
    let storePlaces = StorePlaces()
    let clock: DomainClock
    let logger: Logger

    func addRoutes(to router: Router<AppContext>) {
        router.get("/", use: now)
        router.get("now/events", use: followNow)
        router.post("bulk", use: bulk)

        router.get("deliveries/{id}", use: showDelivery)
        router.get("deliveries/{id}/events", use: followDelivery)
        router.post("deliveries/{id}/triage", use: changeTriage)
        router.get("deliveries/{id}/change/{kind}", use: showChange)
        router.post("deliveries/{id}/change/{kind}", use: makeChange)

        router.get("map", use: showMap)
        router.get("map/places", use: mapPlaces)
        router.get("map/streets", use: mapStreets)
        router.get("couriers", use: showCouriers)
        router.get("dead-letters", use: showDeadLetters)
        router.post("dead-letters/{service}/{id}/{repair}", use: settleDeadLetter)
        router.get("webhooks", use: showWebhooks)
        router.post("webhooks/{id}/{verb}", use: switchWebhook)
        router.post("receipts/{id}/dismiss", use: dismissReceipt)
        router.get("health", use: showHealth)
        router.post("health/{service}/republish", use: republish)

        router.get("sign-in", use: showSignIn)
        router.post("sign-in", use: beginSignIn)
        router.get("sign-in/callback", use: finishSignIn)
        router.get("open/{key}", use: showLink)
        router.post("open/{key}", use: takeLink)
        router.post("sign-out", use: signOut)
        router.post("v1/sign-in-links", use: makeLink)
        PageAsset.addRoutes(to: router)
    }

    /// A link that signs the caller in once: what `doorstep desk open` prints.
    @Sendable func makeLink(_ request: Request, _ context: AppContext) async throws -> Response {
        let identity = try context.requireUnrestricted(.operator)
        let role = identity.scope.flatMap(OperatorScope.init(claim:)) ?? .supervisor
        let secret = try await signIn.makeLink(for: identity.subject, role: role)
        return try jsonResponse(
            SignInLinkBody(url: "\(origin)/open/\(secret.text)", lifetimeSeconds: Int(SignIn.linkLifetime)),
            status: .created)
    }
}
