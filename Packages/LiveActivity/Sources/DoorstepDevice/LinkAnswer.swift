public import Foundation
public import LiveActivity

/// The meaning of a card's link, or the outcome of its press.
public struct LinkAnswer: Decodable, Hashable, Sendable {
    /// An open code, such as `cancel`; see `Verb`.
    public let verb: String
    public let delivery: String
    /// A sentence in English: what it stands for, or what was done.
    public let message: String
    /// Whether a press would do something now.
    public let isPressable: Bool
    /// Why not, where it would not.
    public let why: String?
    /// The courier's number as it was written, on `contact-courier` while the courier may be called; without a press.
    public let phone: String?
    /// The card as it is now, to be drawn in the app.
    public let attributes: GroceryDeliveryAttributes
    public let content: GroceryDeliveryAttributes.ContentState
    /// A line each, about items, refunds and what comes next; on `details` only.
    public let details: [Phrase]?
    /// How to reach the store; nil where the order gives no way.
    public let store: StoreContactLinks?
}

extension DeviceConfiguration {
    /// Whether a URL is a link of a card: of one of `linkOrigins`, `/l/` and one token, and nothing beside it.
    ///
    /// Any program may open an app's URLs; only these are opened, and only they get the customer's token.
    public func isLink(_ url: URL) -> Bool {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true), parts.user == nil,
            parts.password == nil, parts.query == nil, parts.fragment == nil,
            linkOrigins.contains(where: { Self.origin($0) == Self.origin(url) && Self.origin(url) != nil })
        else { return false }
        let path = parts.percentEncodedPath.split(separator: "/", omittingEmptySubsequences: false)
        let characters = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        return path.count == 3 && path[0].isEmpty && path[1] == "l" && (1...120).contains(path[2].utf8.count)
            && path[2].unicodeScalars.allSatisfy(characters.contains)
    }

    private static func origin(_ url: URL) -> String? {
        guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased() else { return nil }
        return "\(scheme)://\(host):\(url.port ?? (scheme == "https" ? 443 : 80))"
    }
}
