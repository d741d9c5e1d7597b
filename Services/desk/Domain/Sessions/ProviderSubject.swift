import Foundation

/// The subject of somebody whom an identity provider signs in: `oidc:login.example.com#u1`, of issuer and `sub`.
///
/// No two people have the same, of one provider or of two, and no token that people sign in with has one.
struct ProviderSubject: Hashable, Sendable {
    private static let prefix = "oidc:"

    let text: String

    /// - Parameters:
    ///   - issuer: without `https://` in the text.
    ///   - subject: the provider's `sub`; what is not ASCII is written as `%D0%B0`.
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
