internal import HTTPTypes
package import Hummingbird

extension Response {
    /// The response to a request whose path may be a secret: caches must not store it, and browsers must not send the
    /// path to another site, load resources for it, guess its type, or frame it.
    package func confidential() -> Response {
        var response = self
        response.headers[.cacheControl] = "no-store"
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "no-referrer"
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
