internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import NIOPosix
package import TileArchive

/// The images beneath the maps of a service's pages: none, a file that the service serves, or a tile server.
package struct MapImages: Sendable {
    package struct Server: Sendable {
        /// The URL template, such as `https://tiles.example.com/{z}/{x}/{y}.png`.
        package let url: String
        /// The origin for the pages' image policy, such as `https://tiles.example.com`.
        package let origin: String

        /// Nil for a text that is no address with `{z}`, `{x}` and `{y}`.
        package init?(url: String) {
            guard let parts = URLComponents(string: url.replacing("{", with: "").replacing("}", with: "")),
                let scheme = parts.scheme, ["https", "http"].contains(scheme), let host = parts.host,
                ["{z}", "{x}", "{y}"].allSatisfy(url.contains)
            else { return nil }
            self.url = url
            origin = "\(scheme)://\(host)\(parts.port.map { ":\($0)" } ?? "")"
        }
    }

    package enum Source: Sendable {
        case server(Server)
        /// A file that the service serves itself.
        case file(TileArchive)
    }

    package let source: Source?
    /// The makers of the images, as plain text; nil for none.
    package let attribution: String?
    /// The path of a file's images on the service, such as `/map/tiles`.
    private let path: String

    package init(_ source: Source? = nil, attribution: String? = nil, path: String = "") {
        self.source = source
        self.attribution = attribution
        self.path = path
    }

    /// The file of images; nil without one.
    package var archive: TileArchive? {
        if case .file(let archive) = source { archive } else { nil }
    }

    /// The origin of images that other machines serve; nil where the service serves them, and without any.
    package var origin: String? {
        if case .server(let server) = source { server.origin } else { nil }
    }

    /// The attributes of a map's element for its images.
    ///
    /// A file's version is in its address: browsers keep an image, and load it again once the file is another.
    package var values: [String: Any] {
        var values: [String: Any] = [:]
        values["attribution"] = attribution
        switch source {
        case .server(let server): values["tiles"] = server.url
        case .file(let archive):
            let (zooms, bounds) = (archive.header.zooms, archive.header.bounds)
            values["tiles"] = "\(path)/{z}/{x}/{y}?of=\(archive.version)"
            values["zooms"] = "\(zooms.lowerBound) \(zooms.upperBound)"
            values["bounds"] = "\(bounds.south) \(bounds.west) \(bounds.north) \(bounds.east)"
        case nil: break
        }
        return values
    }

    /// An image of the file, read on threads that may wait for a disk; browsers keep it for a week.
    ///
    /// - Returns: nil where there is no file; 204 where the file has no image there.
    /// - Throws: `TileArchive.Fault`.
    package func image(zoom: Int, column: Int, row: Int) async throws -> Response? {
        guard let archive else { return nil }
        let bytes = try await NIOThreadPool.singleton.runIfActive {
            try archive.image(zoom: zoom, column: column, row: row)
        }
        var headers: HTTPFields = [
            .cacheControl: "private, max-age=604800, immutable", .xContentTypeOptions: "nosniff",
        ]
        guard let bytes else { return Response(status: .noContent, headers: headers) }
        headers[.contentType] = archive.header.imageType.rawValue
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
