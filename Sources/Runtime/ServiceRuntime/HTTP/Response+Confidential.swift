internal import HTTPTypes
package import Hummingbird

extension Response {
    /// The response to a request whose path may be a secret: no cache stores it, no browser tells the path to another
    /// site, loads anything for it, guesses its type, or shows it within another page.
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
