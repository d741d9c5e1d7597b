import AsyncHTTPClient
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain

/// Requests of `orders` that a customer or a courier is erased or exported, and reads how far a request is.
///
/// Every call throws ``ServiceRefusal`` where `orders` refuses it, and ``ServiceUnavailable`` where it does not answer.
struct RequestErasures: Sendable {
    let services: ServiceClient

    func callAsFunction(
        _ customer: CustomerID, endLive: Bool, by user: DeskUser
    ) async throws -> PersonRequestBody {
        try await services.send(
            .POST, .orders, "/v1/customers/\(customer)/erase", ErasePersonBody(endLive: endLive), for: user)
    }

    func callAsFunction(
        _ courier: CourierID, endLive: Bool, by user: DeskUser
    ) async throws -> PersonRequestBody {
        try await services.send(
            .POST, .orders, "/v1/couriers/\(courier)/erase", ErasePersonBody(endLive: endLive), for: user)
    }

    func export(_ customer: CustomerID, by user: DeskUser) async throws -> PersonRequestBody {
        try await services.send(.POST, .orders, "/v1/customers/\(customer)/export", Bool?.none, for: user)
    }

    func export(_ courier: CourierID, by user: DeskUser) async throws -> PersonRequestBody {
        try await services.send(.POST, .orders, "/v1/couriers/\(courier)/export", Bool?.none, for: user)
    }

    /// The archive of an export, whose body is read as it arrives.
    func archive(_ id: UUID, asPage: Bool, for user: DeskUser) async throws -> HTTPClientResponse {
        try await services.stream(
            .orders, "/v1/person-requests/\(id.uuidString.lowercased())/archive?format=\(asPage ? "html" : "json")",
            for: user)
    }

    func request(_ id: UUID, for user: DeskUser) async throws -> PersonRequestBody {
        try await services.get(.orders, "/v1/person-requests/\(id.uuidString.lowercased())", for: user)
    }
}
