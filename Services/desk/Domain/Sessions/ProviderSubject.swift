import Foundation

/// The subject of a person from an identity provider: `oidc:login.example.com#u1`, from issuer and `sub`.
///
/// It is unique across people and providers, and no sign-in token has such a subject.
struct ProviderSubject: Hashable, Sendable {
    private static let prefix = "oidc:"

    let text: String

    /// - Parameters:
    ///   - issuer: without `https://` in the text.
    ///   - subject: the provider's `sub`; other characters than ASCII are written as `%D0%B0`.
    init(issuer: String, subject: String) {
        let place = issuer.hasPrefix("https://") ? String(issuer.dropFirst("https://".count)) : issuer
        text = "\(Self.prefix)\(Self.encoded(place))#\(Self.encoded(subject))"
    }

    /// Whether a subject has the form of a provider's.
    static func isOne(_ subject: String) -> Bool { subject.hasPrefix(prefix) }

    private static func encoded(_ text: String) -> String {
        let kept = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/[]@|+=")
        return text.addingPercentEncoding(withAllowedCharacters: kept) ?? ""
    }
}
