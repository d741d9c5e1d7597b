package import HTTPTypes
package import Hummingbird

extension Response {
    /// A page whose path may be a secret: no cache stores it, browsers hide its path from other sites, and it connects
    /// only to its own origin.
    ///
    /// - Parameters:
    ///   - html: the whole page.
    ///   - positionsOrigin: the origin to which the page may send the reader's position, such as
    ///     `https://couriers.example.com`; nil for a page that may not ask for it.
    ///   - tilesOrigin: the origin of a map's images; nil for none but the page's own.
    ///   - leadsToCalls: whether the answer to a form of the page may lead to a telephone call.
    package static func page(
        _ html: String, status: HTTPResponse.Status = .ok, positionsOrigin: String? = nil, tilesOrigin: String? = nil,
        leadsToCalls: Bool = false
    ) -> Response {
        Response(
            status: status,
            headers: pageHeaders(
                positionsOrigin: positionsOrigin, tilesOrigin: tilesOrigin, leadsToCalls: leadsToCalls),
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    /// The answer to a form that was carried out: the browser loads the page at `path` instead.
    ///
    /// - Parameter path: a path of this service, already escaped.
    package static func seeOther(_ path: String) -> Response {
        var response = Response.page(
            "<!doctype html><html lang=\"en\"><title>See the page</title><a href=\"\(path)\">See the page</a></html>",
            status: .seeOther)
        response.headers[.location] = path
        return response
    }

    private static func pageHeaders(
        positionsOrigin: String?, tilesOrigin: String?, leadsToCalls: Bool
    ) -> HTTPFields {
        let images = tilesOrigin.map { "'self' \($0)" } ?? "'self'"
        let connected = positionsOrigin.map { "'self' \($0)" } ?? "'self'"
        var headers: HTTPFields = [
            .cacheControl: "no-store", .vary: "Accept, Accept-Language, Cookie, HX-Request",
            .contentSecurityPolicy: """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src \(images); connect-src \(connected); \
            form-action 'self'\(leadsToCalls ? " tel:" : ""); base-uri 'none'; frame-ancestors 'none'
            """,
            .xContentTypeOptions: "nosniff",
        ]
        // A form's origin would be hidden from ourselves too by no-referrer.
        headers[.referrerPolicy] = "same-origin"
        headers[.permissionsPolicy] =
            "geolocation=(\(positionsOrigin == nil ? "" : "self")), camera=(), microphone=()"
        headers[.crossOriginOpenerPolicy] = "same-origin"
        headers[.contentType] = "text/html; charset=utf-8"
        return headers
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    fileprivate static let permissionsPolicy = HTTPField.Name("Permissions-Policy")!
    fileprivate static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
}
