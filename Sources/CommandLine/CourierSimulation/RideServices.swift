package import DoorstepAPI
internal import NIOHTTP1
package import OrderDomain
package import StackClient

/// The requests of a courier's phone.
package protocol RideServices: Sendable {
    func send(_ fixes: FixesBody) async throws -> FixesAnswer
    func delivery(_ id: DeliveryID) async throws -> DeliveryBody
    func set(_ status: StatusCode, of delivery: DeliveryID) async throws
}

/// The services over HTTP, with the courier's token.
package struct HTTPRideServices: RideServices {
    private let courierETA: PeerClient
    private let orders: PeerClient

    package init(courierETA: PeerClient, orders: PeerClient) {
        self.courierETA = courierETA
        self.orders = orders
    }

    /// - Throws: `CommandFailure` where `courier-eta` refuses or does not answer.
    package func send(_ fixes: FixesBody) async throws -> FixesAnswer {
        try await courierETA.send(.POST, "/v1/fixes", body: fixes, as: FixesAnswer.self).body
    }

    /// - Throws: `CommandFailure` where `orders` refuses or does not answer.
    package func delivery(_ id: DeliveryID) async throws -> DeliveryBody {
        try await orders.get("/v1/deliveries/\(id)")
    }

    /// - Throws: `CommandFailure` where `orders` refuses or does not answer.
    package func set(_ status: StatusCode, of delivery: DeliveryID) async throws {
        _ = try await orders.send(
            .POST, "/v1/deliveries/\(delivery)/status", body: StatusBody(status: status), as: DeliveryBody.self)
    }
}
