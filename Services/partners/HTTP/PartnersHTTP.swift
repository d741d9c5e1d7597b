import DoorstepAPI
import Foundation
import Hummingbird
import OrderDomain
import ServiceRuntime

/// The routes of shops and operators: sources, receipts, endpoints and their events.
struct PartnersHTTP: Sendable {
    /// The public origin for providers, such as `https://partners.example.com`; empty where none is configured.
    let origin: String
    let sources: ManageSources
    let setReference: SetProviderReference
    let readReceipts: ReadReceipts
    let dismissReceipt: DismissReceipt
    let endpoints: ManageEndpoints
    let readEventLog: ReadEventLog
    let repeatEvents: RepeatEvents
    let followEvents: FollowEvents
    let operatorRoutes: OperatorRoutes
    let wallNow: @Sendable () -> Date

    /// The query parameters of all routes of the service; providers append their own to the address of a webhook.
    static let queryParameters = QueryParameters(
        [
            "GET /v1/receipts": ["source", "state", "delivery", "unknown", "cursor"],
            "GET /v1/webhooks/{id}/deliveries": ["state", "cursor"],
            "GET /v1/webhook-events/stream": ["events", "store", "listener", "after"],
        ], open: ["/in"])

    /// The operations that answer operators and stores with personal data.
    static let personalReads = PersonalReads([
        "GET /v1/receipts": .list("listReceipts", .receipt),
        "GET /v1/receipts/{id}": .one("getReceipt", .receipt),
        "GET /v1/deliveries/{id}/provider": .one("getProviderReferences", .reference),
        "GET /v1/webhooks/{id}/deliveries": .list("listEventDeliveries", .event),
        "GET /v1/webhooks/{id}/deliveries/{event}": .one("getEventDelivery", .event),
        "GET /v1/webhook-events/stream": .list("streamEvents", .event),
    ])

    func addRoutes(to router: Router<AppContext>) {
        operatorRoutes.record(Self.personalReads, on: router)
        let sources = router.group("v1/sources")
        sources.get(use: listSources)
        sources.get("{id}", use: showSource)
        sources.put("{id}", use: putSource)
        sources.delete("{id}", use: deleteSource)
        sources.post("{id}/secrets", use: addSecret)
        sources.delete("{id}/secrets/{secret}", use: deleteSecret)

        router.get("v1/receipts", use: listReceipts)
        router.get("v1/receipts/{id}", use: showReceipt)
        router.post("v1/receipts/{id}/dismiss", use: dismiss)
        router.get("v1/deliveries/{id}/provider", use: showReferences)
        router.put("v1/deliveries/{id}/provider", use: putReference)

        let webhooks = router.group("v1/webhooks")
        webhooks.get(use: listEndpoints)
        webhooks.post(use: addEndpoint)
        webhooks.get("{id}", use: showEndpoint)
        webhooks.patch("{id}", use: changeEndpoint)
        webhooks.delete("{id}", use: deleteEndpoint)
        webhooks.post("{id}/secret", use: rotateSecret)
        webhooks.get("{id}/deliveries", use: listDeliveries)
        webhooks.get("{id}/deliveries/{event}", use: showDelivery)
        webhooks.post("{id}/replay", use: replay)

        router.post("v1/webhook-events", use: trigger)
        router.get("v1/webhook-events/stream", use: listen)
        operatorRoutes.addRoutes(to: router)
    }

    /// The only store that the caller may see; nil for all.
    ///
    /// - Throws: `Problem`: 404 for other roles, and for a token of one delivery; 403 where an operator's is too narrow.
    func scope(of context: AppContext, as needed: OperatorScope = .viewer) throws -> StoreID? {
        let principal = try context.principal(.store, .operator, as: needed)
        guard principal.scope.delivery == nil else { throw Problem.notFound("this token is for one delivery") }
        return principal.scope.store
    }

    /// The store of a new object: the caller's own, or the named one.
    ///
    /// - Throws: `Problem` 404 where the two differ.
    func store(_ named: StoreID?, within scope: StoreID?) throws -> StoreID? {
        guard let scope else { return named }
        guard named == nil || named == scope else { throw Problem.notFound("this token is for the store \(scope)") }
        return scope
    }
}
