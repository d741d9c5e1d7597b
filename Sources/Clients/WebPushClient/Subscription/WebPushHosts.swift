/// The allowed push services, by name, so that a subscriber cannot choose a server.
public struct WebPushHosts: Sendable, Hashable {
    private let names: Set<String>
    /// Each with the dot that it begins with.
    private let suffixes: [String]
    private let allowsLoopback: Bool
    private let allowsPorts: Bool

    /// The push services of Chrome, Chromium on Linux distributions, Firefox, Safari and Edge.
    ///
    /// - Source: the endpoints that these browsers subscribe with.
    public static let known = [
        "fcm.googleapis.com", "jmt17.google.com", "updates.push.services.mozilla.com", "web.push.apple.com",
        "*.notify.windows.com",
    ]

    /// - Parameters:
    ///   - names: hosts, or `*.` and a domain for every host below it.
    ///   - allowsPorts: whether ports other than 443 are sent to, for demonstrations.
    public init(_ names: [String], allowsPorts: Bool = false) {
        self.init(names, allowsLoopback: false, allowsPorts: allowsPorts)
    }

    /// - Parameter allowsLoopback: for tests, `localhost` among the names.
    package init(_ names: [String], allowsLoopback: Bool, allowsPorts: Bool = true) {
        let names = names.map { $0.lowercased() }
        self.names = Set(names.filter { !$0.hasPrefix("*.") })
        suffixes = names.filter { $0.hasPrefix("*.") }.map { String($0.dropFirst()) }
        self.allowsLoopback = allowsLoopback
        self.allowsPorts = allowsPorts
    }

    /// Whether a text is one of ``init(_:)``: names of two parts or more, after `*.` where every host below is meant.
    public static func isName(_ text: String) -> Bool {
        text.wholeMatch(of: /(\*\.)?[A-Za-z0-9\-]+(\.[A-Za-z0-9\-]+)+/) != nil
    }

    /// The address of a subscription in the form of ``WebPushSubscription/endpoint``.
    ///
    /// - Throws: as ``subscription(endpoint:p256dh:auth:)``.
    public func endpoint(_ text: String) throws(WebPushSubscriptionError) -> String {
        // The check for public names below throws the error of an endpoint that is not loopback either.
        let isLoopback = allowsLoopback && (try? WebPushEndpoint(text, reach: .loopback)) != nil
        let endpoint = try WebPushEndpoint(text, reach: isLoopback ? .loopback : .publicNames)
        guard contains(endpoint.host, of: endpoint.url) else { throw .endpointOfAnotherService }
        return endpoint.url
    }

    /// Whether messages are sent to a browser: by the host and the port of its push service.
    public func contains(_ browser: WebPushSubscription) -> Bool { contains(browser.host, of: browser.endpoint) }

    /// - Parameters:
    ///   - host: in lower case.
    ///   - url: its address, with a port only where that is not the scheme's own.
    private func contains(_ host: String, of url: String) -> Bool {
        let authority = url.split(separator: "/", maxSplits: 2).dropFirst().first ?? ""
        return (allowsPorts || !authority.contains(":"))
            && (names.contains(host) || suffixes.contains { host.hasSuffix($0) && host.count > $0.count })
    }

    /// Reads the three texts of a browser's subscription.
    ///
    /// - Throws: ``WebPushSubscriptionError`` where they are none, or of a push service that is not among these.
    public func subscription(
        endpoint: String, p256dh: String, auth: String
    ) throws(WebPushSubscriptionError) -> WebPushSubscription {
        let subscription = try WebPushSubscription(
            endpoint: endpoint, p256dh: p256dh, auth: auth, allowsLoopback: allowsLoopback)
        guard contains(subscription) else { throw .endpointOfAnotherService }
        return subscription
    }
}
