internal import HTTPTypes
package import Hummingbird

extension PageAsset {
    private static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })

    /// Adds `GET /assets/{name}`; browsers and caches may keep its answers for a year, except for the service worker.
    package static func addRoutes<Context: RequestContext>(to router: Router<Context>) {
        router.get("assets/{name}") { request, context in
            guard let asset = byPath["/assets/\(context.parameters.get("name") ?? "")"] else {
                throw HTTPError(.notFound)
            }
            return asset.response(to: request)
        }
    }

    /// The file, which browsers and caches may keep for a year.
    package func response(to request: Request) -> Response {
        var headers: HTTPFields = [
            .contentType: contentType, .cacheControl: "public, max-age=31536000, immutable",
            .xContentTypeOptions: "nosniff",
        ]
        if let workerScope {
            headers[.serviceWorkerAllowed] = workerScope
            headers[.cacheControl] = "no-cache"
        }
        if gzipped != nil { headers[.vary] = "Accept-Encoding" }
        let acceptsGzip = request.headers[.acceptEncoding]?.contains("gzip") == true
        if let gzipped, acceptsGzip || bytes == nil {
            // Every browser supports gzip; a file stored compressed has no other form.
            headers[.contentEncoding] = "gzip"
            return Response(
                status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: gzipped)))
        }
        return Response(
            status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes ?? [])))
    }
}

extension HTTPField.Name {
    fileprivate static let serviceWorkerAllowed = HTTPField.Name("Service-Worker-Allowed")!
}
