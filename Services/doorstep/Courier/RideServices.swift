import DoorstepAPI
import NIOHTTP1
import OrderDomain

/// Whom a courier's phone speaks to.
protocol RideServices: Sendable {
    func take(_ fixes: FixesBody) async throws -> FixesAnswer
    func delivery(_ id: DeliveryID) async throws -> DeliveryBody
    func set(_ status: StatusCode, of delivery: DeliveryID) async throws
}

/// The services over HTTP, with the courier's token.
struct HTTPRideServices: RideServices {
    let courierETA: PeerClient
    let orders: PeerClient

    func take(_ fixes: FixesBody) async throws -> FixesAnswer {
        try await courierETA.send(.POST, "/v1/fixes", body: fixes, as: FixesAnswer.self).body
    }

    func delivery(_ id: DeliveryID) async throws -> DeliveryBody { try await orders.get("/v1/deliveries/\(id)") }

    func set(_ status: StatusCode, of delivery: DeliveryID) async throws {
        _ = try await orders.send(
            .POST, "/v1/deliveries/\(delivery)/status", body: StatusBody(status: status), as: DeliveryBody.self)
    }
}
