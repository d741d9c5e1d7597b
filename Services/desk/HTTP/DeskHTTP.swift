import DomainTime
import Hummingbird
import Logging
import ServiceRuntime
import WebPages

/// The routes of the desk: pages for operators with their forms, and the sign-in of a command.
struct DeskHTTP: Sendable {
    /// The public origin of the desk, such as `https://desk.example.com`.
    let origin: String
    let signIn: SignIn
    let manageSessions: ManageSessions
    let identityProvider: IdentityProvider?
    let board: LiveBoard
    let showBoard: ShowBoard
    let readDelivery: ReadDelivery
    let change: ChangeFromDesk
    let changeFace: ChangeFace
    let keepTriage: KeepTriage
    let readCouriers: ReadCouriers
    let readEvents: ReadEvents
    let readReport: ReadReport
    let findStores: FindStores
    let readPartners: ReadPartners
    let changePartners: ChangePartners
    let probe: ServiceProbe
    let repair: RepairServices
    let requestErasures: RequestErasures
    let listReads: ListReads
    /// Records the readers of pages.
    let reads: PersonalReadRecorder
    let map: MapSettings
    /// The key by which the desk signs its own tokens: such a token begins no session, nor one by a key of its series.
    let ownKeyID: String
    /// The name of this process in its streams' ids.
    let process: String
    let rows = BoardRowCache()
    let clock: DomainClock
    let logger: Logger
    /// The time by which requests for several deliveries delay a page.
    var wallNow: @Sendable () -> ContinuousClock.Instant = { .now }

    /// The query parameters of the routes of commands; pages accept any, which identity providers and programs that pass
    /// an address on may add.
    static let queryParameters = QueryParameters(
        [
            "POST /v1/sign-in-links": [],
            "GET /v1/sessions": [],
            "DELETE /v1/sessions": ["subject"],
        ], open: ["/"]
    ).adding(PersonalReadRoutes.queryParameters)

    func addRoutes(to router: Router<AppContext>) {
        router.get("/", use: now)
        router.get("now/events", use: followNow)
        router.post("bulk", use: bulk)

        router.get("deliveries/{id}", use: showDelivery)
        router.get("deliveries/{id}/events", use: followDelivery)
        router.post("deliveries/{id}/call/{person}", use: callPerson)
        router.post("deliveries/{id}/images/{image}", use: showImage)
        router.post("deliveries/{id}/triage", use: changeTriage)
        router.get("deliveries/{id}/change/{kind}", use: showChange)
        router.post("deliveries/{id}/change/{kind}", use: makeChange)

        router.get("map", use: showMap)
        router.get("map/places", use: mapPlaces)
        router.get("map/streets", use: mapStreets)
        router.get("map/tiles/{z}/{x}/{y}", use: mapTile)
        router.get("couriers", use: showCouriers)
        router.get("couriers/{id}/move", use: showMove)
        router.post("couriers/{id}/map", use: changeCourierMap)
        router.get("log", use: showEvents)
        router.get("log/events", use: followEvents)
        router.get("report", use: showReport)
        router.get("cards", use: showCards)
        router.get("stores", use: showStores)
        router.get("stores/{store}/face", use: showFace)
        router.post("stores/{store}/face", use: setFace)
        router.get("dead-letters", use: showDeadLetters)
        router.post("dead-letters/{service}/{id}/{repair}", use: settleDeadLetter)
        router.get("webhooks", use: showWebhooks)
        router.post("webhooks/{id}/{verb}", use: switchWebhook)
        router.post("receipts/{id}/dismiss", use: dismissReceipt)
        router.get("health", use: showHealth)
        router.post("health/{service}/republish", use: republish)
        router.get("persons", use: showPersons)
        router.post("persons/erase", use: erasePerson)
        router.get("persons/{id}", use: showPersonRequest)
        router.post("persons/export", use: exportPerson)
        router.get("persons/{id}/archive", use: showArchive)
        router.get("reads", use: showReads)

        router.get("sign-in", use: showSignIn)
        router.post("sign-in", use: beginSignIn)
        router.get("sign-in/callback", use: finishSignIn)
        router.get("open/{key}", use: showLink)
        router.post("open/{key}", use: redeemLink)
        router.post("sign-out", use: signOut)
        addSessionRoutes(to: router)
        addReadRoutes(to: router)
        PageAsset.addRoutes(to: router)
    }
}
