import Foundation
import ServiceRuntime

/// Measures providers' webhooks that `partners` takes in, and its own that it sends out.
///
/// The other services have done their part once the deliveries are placed, and are stopped: what is measured is one
/// `partners` with its database and its broker, with the load and the receivers beside them.
enum WebhooksBench {
    static func measure(_ settings: WebhooksSettings) async throws -> WebhooksReport {
        let stack = try Stack(folder: settings.folder)
        let machine = try Machine(stack: stack)
        let signer = try await TokenSigner(kid: "doorstep-admin", file: stack.tokenKeyFile)
        let operators = try await PlacedLoad.tokens(signer, .operator, count: WebhookEndpoints.connections)
        let stores = try await PlacedLoad.tokens(signer, .store, count: WebhooksSettings.placingConnections)
        Bench.log("placing \(settings.deliveries) deliveries")
        let deliveries = try place(settings.deliveries, on: stack, storeTokens: stores)
        try stack.stop(["desk", "activity-dispatch", "courier-eta", "orders"])
        _ = try stack.query("VACUUM ANALYZE")
        let taken = try ReportsTaken(of: deliveries, on: stack, settings, token: operators[0])

        let receivers = try await WebhookReceivers.start(WebhooksSettings.endpoints)
        Bench.log("adding \(WebhooksSettings.endpoints) endpoints")
        let endpoints = try WebhookEndpoints(urls: receivers.urls, port: stack.partnersPort, tokens: operators)
        let sent = try LastEndpoint.allCases.map { last in
            try EventsSent(last, to: endpoints, at: receivers, on: stack, settings)
        }
        let drained = try QueueDrained(to: endpoints, at: receivers, on: stack, settings)
        return WebhooksReport(
            machine: machine, deliveries: deliveries.count, endpoints: WebhooksSettings.endpoints,
            eventsPerSecond: settings.rate, taken: taken, sent: sent, drained: drained)
    }

    /// Places deliveries, and waits until `partners` has heard of all of them.
    private static func place(_ count: Int, on stack: Stack, storeTokens: [String]) throws -> [String] {
        let eventLoop = try EventLoop(stack: stack, storeTokens: storeTokens)
        let perCustomer = Workload.deliveriesPerCustomer
        let placed = try Workload.place(
            customers: (count + perCustomer - 1) / perCustomer, on: eventLoop, now: Date())
        try waitUntil("partners knows every delivery") {
            try stack.count("SELECT count(*) FROM partners.deliveries") >= placed.count
        }
        return Array(placed.prefix(count))
    }
}
