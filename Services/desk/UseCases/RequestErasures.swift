import AsyncHTTPClient
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import Messages
import NIOHTTP1
import OrderDomain

/// Requests of `orders` that a customer or a courier is erased or exported, and reads how far a request is.
///
/// Every call throws ``ServiceRefusal`` where `orders` refuses it, and ``ServiceUnavailable`` where it does not answer.
struct RequestErasures: Sendable {
    let services: ServiceClient

    func callAsFunction(_ person: RequestedPerson, endLive: Bool, by user: DeskUser) async throws -> PersonRequestBody {
        try await services.send(.POST, .orders, person.path + "/erase", ErasePersonBody(endLive: endLive), for: user)
    }

    func export(_ person: RequestedPerson, by user: DeskUser) async throws -> PersonRequestBody {
        try await services.send(.POST, .orders, person.path + "/export", Bool?.none, for: user)
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
