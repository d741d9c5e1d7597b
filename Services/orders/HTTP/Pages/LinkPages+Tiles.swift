import Hummingbird
import ServiceRuntime
import WebPages

/// The images beneath customers' maps, of a file beside the service.
extension LinkPages {
    /// An image of the file, which shows nothing of any delivery: anyone may have it.
    @Sendable func tile(_ request: Request, _ context: AppContext) async throws -> Response {
        let place = try ["z", "x", "y"].map { try context.path($0) }.compactMap { Int($0) }
        guard place.count == 3, let image = try await mapImages.image(zoom: place[0], column: place[1], row: place[2])
        else { throw Problem.notFound("no such image") }
        return image
    }
}
