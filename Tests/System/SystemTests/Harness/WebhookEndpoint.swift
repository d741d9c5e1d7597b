import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing

/// An address of a shop's that gets every event of its store.
struct WebhookEndpoint: Sendable {
    let id: EndpointID
    /// What its events are signed with.
    let secret: String
    private let client: RetryingClient

    static func add(_ url: String, of store: String, on stack: any StackUnderTest) async throws -> WebhookEndpoint {
        let client = RetryingClient(stack: stack, token: stack.tokens.store)
        let store = try #require(StoreID(rawValue: store))
        let body: EndpointBody = try await client.send(
            .POST, .partners, "/v1/webhooks", NewEndpointBody(url: url, store: store))
        return WebhookEndpoint(id: body.id, secret: try #require(body.secret), client: client)
    }

    /// Every event on its way to it, of all pages.
    func log() async throws -> [EventDeliveryBody] {
        var log: [EventDeliveryBody] = []
        var cursor: String?
        repeat {
            let query = cursor.map { "?cursor=\($0)" } ?? ""
            let page: EventDeliveriesBody = try await client.get(.partners, "/v1/webhooks/\(id)/deliveries\(query)")
            log += page.deliveries
            cursor = page.next
        } while cursor != nil
        return log
    }
}
