import NIOHTTP1

/// A cookie that the browser keeps, as it would send it.
package struct Cookie: Decodable, Sendable {
    package let name: String
    package let value: String
    package let path: String
    package let domain: String
    package let secure: Bool
    package let httpOnly: Bool
    package let sameSite: String?
    /// Seconds since 1970; nil for one that ends with the browser.
    package let expiry: Int?
}

extension BrowserPage {
    /// The cookies that the browser would send to the page's address, those among them that no script can read.
    package var cookies: [Cookie] { get async throws { try await send(.GET, "/cookie") } }

    /// Deletes a cookie of the page's address; one that is not there is no error.
    package func deleteCookie(_ name: String) async throws { try await send(.DELETE, "/cookie/\(name)") }

    /// Deletes every cookie of the page's address.
    package func deleteCookies() async throws { try await send(.DELETE, "/cookie") }
}
