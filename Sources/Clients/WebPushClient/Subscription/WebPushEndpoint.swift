import TextCoding

/// A subscription's address, parsed so that the request's server is unambiguous.
///
/// The authority has only letters, digits, hyphens, dots and an optional port: every URL parser reads it alike.
struct WebPushEndpoint: Sendable, Hashable {
    /// The allowed servers.
    enum Reach: Sendable {
        /// Names that have no local meaning, by https.
        case publicNames
        /// This machine, for tests; http is allowed too.
        case loopback
    }

    /// The URL with scheme and host in lower case; a secret, since its holder can send.
    let url: String
    let host: String
    /// The audience of a VAPID token, as RFC 6454 writes an origin: without the path, and without the scheme's default
    /// port.
    let origin: String

    /// Names that resolve within one machine or network only: RFC 6761 and 6762, ICANN's `.internal`, RFC 8375, and the
    /// names of Kubernetes services.
    private static let localNames = ["localhost", "localdomain", "local", "internal", "home.arpa", "svc"]

    init(_ text: String, reach: Reach = .publicNames) throws(WebPushSubscriptionError) {
        if text.utf8.count > WebPushSubscription.endpointBytesMax { throw .endpointTooLong }
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .endpointMalformed }
        guard let schemeEnd = text.firstRange(of: "://") else { throw .endpointNotHTTPS }
        let scheme = text[..<schemeEnd.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" && reach == .loopback else { throw .endpointNotHTTPS }
        let rest = text[schemeEnd.upperBound...]
        let authority = rest.prefix { !"/?#\\".contains($0) }
        let path = rest[authority.endIndex...]
        guard path.utf8.allSatisfy(\.isOfPathOrQuery) else { throw .endpointMalformed }

        let (host, port) = try Self.parse(authority)
        switch reach {
        case .publicNames: try Self.check(host)
        case .loopback: guard ["127.0.0.1", "localhost"].contains(host) else { throw .endpointAtLocalName }
        }
        self.host = host
        let suffix = port.map { $0 == (scheme == "https" ? 443 : 80) ? "" : ":\($0)" } ?? ""
        origin = "\(scheme)://\(host)\(suffix)"
        url = origin + (path.hasPrefix("/") ? "" : "/") + path
    }

    private static func parse(
        _ authority: Substring
    ) throws(WebPushSubscriptionError) -> (host: String, port: Int?) {
        if authority.contains("@") { throw .endpointWithUser }
        if authority.hasPrefix("[") { throw .endpointAtAddress }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, !parts[0].isEmpty, parts[0].utf8.count <= 253 else { throw .endpointMalformed }
        var port: Int?
        if parts.count == 2 {
            guard (1...5).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy(\.isASCIIDigit),
                let number = Int(parts[1]),
                (1...65_535).contains(number)
            else { throw .endpointMalformed }
            port = number
        }
        return (parts[0].lowercased(), port)
    }

    private static func check(_ host: String) throws(WebPushSubscriptionError) {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        for label in labels {
            guard (1...63).contains(label.utf8.count),
                label.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }),
                !label.hasPrefix("-"), !label.hasSuffix("-")
            else { throw .endpointMalformed }
        }
        // Every notation of an IPv4 address ends with a number, decimal, octal or hexadecimal; no public name does.
        guard let last = labels.last?.utf8.first, last.isASCIILetter else { throw .endpointAtAddress }
        // A single label is completed by the search list of the machine.
        guard labels.count > 1, !localNames.contains(where: { host.hasSuffix(".\($0)") }) else {
            throw .endpointAtLocalName
        }
    }
}

extension UInt8 {
    /// Whether RFC 3986 allows the byte in paths and queries, percent signs included.
    fileprivate var isOfPathOrQuery: Bool { isASCIILetterOrDigit || "-._~!$&'()*+,;=:@/?%".utf8.contains(self) }
}
