package import DoorstepAPI
import Foundation
import NIOHTTP1
package import OrderDomain

/// An address of a shop's that gets every event of its store.
package struct WebhookEndpoint: Sendable {
    package let id: EndpointID
    /// The signing secret of its events.
    package let secret: String
    private let client: RetryingClient

    /// The answer of `partners` has no secret.
    package struct NoSecret: Error {}

    package static func add(
        _ url: String, of store: StoreID, on stack: any StackUnderTest
    ) async throws -> WebhookEndpoint {
        let client = stack.asStore
        let body: EndpointBody = try await client.send(
            .POST, .partners, "/v1/webhooks", NewEndpointBody(url: url, store: store))
        guard let secret = body.secret else { throw NoSecret() }
        return WebhookEndpoint(id: body.id, secret: secret, client: client)
    }

    /// Every event on its way to it, of all pages.
    package func log() async throws -> [EventDeliveryBody] {
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
