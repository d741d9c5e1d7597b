import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import NIOHTTP1

/// Changes operators' decisions in `partners`: whether an endpoint receives events, and the dismissal of a receipt.
///
/// Every call throws ``ServiceRefusal`` or ``ServiceUnavailable`` where nothing was changed.
struct ChangePartners: Sendable {
    let services: ServiceClient

    func set(_ endpoint: EndpointID, isEnabled: Bool, by user: DeskUser) async throws {
        let _: EndpointBody = try await services.send(
            .PATCH, .partners, "/v1/webhooks/\(endpoint)", ChangedEndpointBody(enabled: isEnabled), for: user)
    }

    func dismiss(_ receipt: UUID, reason: String, by user: DeskUser) async throws {
        let _: ReceiptBody = try await services.send(
            .POST, .partners, "/v1/receipts/\(receipt.uuidString.lowercased())/dismiss", ReasonBody(reason: reason),
            for: user)
    }
}
