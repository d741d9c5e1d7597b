import DoorstepAPI
import Hummingbird
import OrderDomain
import ServiceRuntime

/// The photo and the signature of a hand-over on its customer's page.
extension LinkPages {
    /// An image, for a reader who gave the order's number, where the store shows its customers any.
    @Sendable func image(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("link")
        let hash = try context.path("image")
        let state = try await show(token, proof: proof(in: request))
        let customer = Principal(.customer(state.delivery.customer))
        guard state.images.contains(where: { $0.image == hash }),
            let image = try await showImage(hash, of: state.delivery.id, for: customer)
        else { throw Problem.notFound("no such image") }
        return .image(image)
    }
}
