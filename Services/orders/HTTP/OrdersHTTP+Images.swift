import DoorstepAPI
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime

/// Photos and signatures of hand-overs, which a shop's backend or a courier's own app sends, and their readers.
extension OrdersHTTP {
    @Sendable func acceptImage(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, .courier, as: .dispatcher)
        let id = try context.path("id", as: DeliveryID.self)
        let kind = try context.imageKind()
        try principal.checkIsAtDoor("a \(kind.rawValue)")
        let bytes = try await request.bytes(maxBytes: ProofImage.bytesMax)
        return try response(try await giveImage(Array(bytes), as: kind, of: id, by: principal), for: principal)
    }

    @Sendable func image(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.customer, .store, .operator, as: .dispatcher)
        let id = try context.path("id", as: DeliveryID.self)
        let hash = try context.path("image")
        guard ProofImage.isHash(hash), let image = try await showImage(hash, of: id, for: principal) else {
            throw Problem.notFound("no such image of delivery \(id)")
        }
        AnsweredPersons.current?.add(image.delivery.persons)
        return .image(image)
    }
}

extension AppContext {
    /// The kind of the image in a path.
    func imageKind() throws -> ProofKind {
        guard let kind = ProofKind(rawValue: try path("kind")), kind.isImage else {
            throw Problem.notFound("a photo and a signature are the images of a hand-over")
        }
        return kind
    }
}

extension Response {
    /// An image of a hand-over: of a type that no browser runs, and in no cache.
    ///
    /// The type is of the checked bytes. A browser that opens it alone offers it as a file, and runs nothing in it.
    static func image(_ image: ShowImage.Shown) -> Response {
        let name = "\(image.kind.rawValue).\(image.format.fileExtension)"
        var response = Response(
            status: .ok,
            headers: [
                .contentType: image.format.contentType,
                .contentDisposition: "attachment; filename=\"\(name)\"",
            ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: image.bytes))
        ).confidential()
        response.headers[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        return response
    }
}
