import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient

extension BoardSession.Actions {
    /// Over HTTP, as an operator.
    static func services(clock: DomainClock) throws -> BoardSession.Actions {
        let orders = try PeerClient(.orders, as: .operator)
        let couriers = AssignableCourier(
            directory: CourierDirectory(client: try PeerClient(.courierETA, as: .operator)))
        let moves = CourierMove(
            orders: orders, courierETA: try PeerClient(.courierETA, as: .operator), clock: clock)
        return BoardSession.Actions(
            read: { try await orders.get("/v1/deliveries", query: $0.items) },
            timeline: { delivery in
                let timeline = try await MergedTimeline.read(delivery.rawValue)
                return timeline.lines(id: delivery.rawValue, now: clock.now)
            },
            allowed: { try await orders.get("/v1/deliveries/\($0)", as: DeliveryBody.self).allowed },
            checkCourier: { _ = try await couriers.check($0) },
            change: { change in
                // The version that the person saw: where another came between, nothing is changed.
                let headers = ["If-Match": "\"v\(change.row.version)\""]
                let path = "/v1/deliveries/\(change.row.id)"
                func send(_ method: HTTPMethod, _ part: String, _ body: some Encodable & Sendable) async throws
                    -> DeliveryBody
                {
                    try await orders.send(
                        method, "\(path)/\(part)", body: body, headers: headers, as: DeliveryBody.self
                    ).body
                }
                return switch change.kind {
                case .assign(let courier):
                    try await send(
                        .PUT, "courier?unknown=true", AssignBody(courier: .known(courier), reason: change.reason))
                case .hold: try await send(.PUT, "hold", HoldBody(reason: change.reason))
                case .release: try await send(.DELETE, "hold", HoldBody(reason: change.reason))
                case .setStatus(let code):
                    try await send(.POST, "status", StatusBody(status: code, reason: change.reason))
                }
            },
            planMove: { try await moves.plan($0.deliveries, to: $0.courier) },
            move: { try await moves.make($0, reason: $1) })
    }
}
