import DeliveryDiagnosis
import DoorstepAPI
import NIOHTTP1
import OrderDomain

/// Reads and changes stores' names, colours, contacts and logos for their customers.
struct ChangeFace: Sendable {
    let services: ServiceClient

    /// - Throws: ``ServiceRefusal``; ``ServiceUnavailable``.
    func face(of store: StoreID, for user: DeskUser) async throws -> FaceBody {
        try await services.get(.orders, "/v1/stores/\(store)/face", for: user)
    }

    /// - Parameter version: of the face that the operator saw.
    /// - Throws: ``ServiceRefusal``: 412 where it has changed since, 400 for a colour that is not legible;
    ///   ``ServiceUnavailable``.
    func set(_ body: PutFaceBody, of store: StoreID, version: Int, by user: DeskUser) async throws {
        let _: FaceBody = try await services.send(
            .PUT, .orders, "/v1/stores/\(store)/face", body, version: version, for: user)
    }

    /// - Throws: as ``set(_:of:version:by:)``.
    func removeLogo(of store: StoreID, version: Int, by user: DeskUser) async throws {
        let _: FaceBody = try await services.send(
            .DELETE, .orders, "/v1/stores/\(store)/face/logo", PutFaceBody?.none, version: version, for: user)
    }
}
