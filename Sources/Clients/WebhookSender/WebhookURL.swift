internal import Foundation

/// A webhook's untrusted destination.
public struct WebhookURL: Hashable, Sendable {
    public static let charactersMax = 2_000

    /// The requested URL, with the name in lower case: the checked address is stored under exactly this name.
    public let text: String
    /// The host in lower case, without the brackets of a literal address.
    public let host: String
    public let port: Int

    /// - Parameter allowsPlain: whether `http` will do; for tests and a developer's own machine.
    /// - Throws: ``WebhookURLError``.
    public init(_ text: String, allowsPlain: Bool = false) throws(WebhookURLError) {
        guard text.count <= Self.charactersMax else { throw .tooLong }
        guard var parts = URLComponents(string: text), let host = parts.host?.lowercased() else { throw .notAURL }
        // ASCII only, so that the HTTP client and the resolver read the same name.
        guard host.wholeMatch(of: /[a-z0-9\-]+(\.[a-z0-9\-]+)*\.?|\[[0-9a-f:.]+\]/) != nil else { throw .notAURL }
        switch parts.scheme?.lowercased() {
        case "https": break
        case "http" where allowsPlain: break
        default: throw .notHTTPS
        }
        guard parts.user == nil, parts.password == nil else { throw .hasCredentials }
        guard parts.fragment == nil else { throw .hasFragment }
        if let port = parts.port, !(1...65_535).contains(port) { throw .notAURL }
        parts.host = host
        guard let url = parts.string, URL(string: url)?.host == URL(string: url)?.host?.lowercased() else {
            throw .notAURL
        }
        self.text = url
        self.host = host.trimmingCharacters(in: ["[", "]"])
        port = parts.port ?? (parts.scheme?.lowercased() == "http" ? 80 : 443)
    }
}

extension WebhookURL {
    /// Whether a URL's text has only characters that a URI may have, the rest percent-encoded.
    ///
    /// - Source: RFC 3986, appendix A.
    public static func isURI(_ text: String) -> Bool {
        let uri =
            #/
            [A-Za-z][A-Za-z0-9+\-.]*:
            //(?:[A-Za-z0-9\-._~!$&'()*+,;=:@\[\]]|%[0-9A-Fa-f]{2})*
            (?:/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*)?
            (?:\?(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*)?
            /#
        return text.utf8.allSatisfy { $0 < 0x80 } && text.wholeMatch(of: uri) != nil
    }
}

/// Why an address is none that webhooks are sent to.
public enum WebhookURLError: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLong, notAURL, notAURI, notHTTPS, hasCredentials, hasFragment

    public var description: String {
        switch self {
        case .tooLong: "has more than \(WebhookURL.charactersMax) characters"
        case .notAURL: "is not a URL with a host"
        case .notAURI: "has characters that a URI has percent-encoded only, such as < or a blank"
        case .notHTTPS: "must begin with https://"
        case .hasCredentials: "must not have a user or a password in it"
        case .hasFragment: "must not have a fragment"
        }
    }
}
