/// A person's claims in an ID token or a UserInfo answer (OpenID Connect Core 1.0, section 5.1).
struct PersonClaims: Decodable {
    /// The `sub` claim.
    let subject: String
    private let userName: String?
    private let name: String?
    private let email: String?
    /// Every claim that is a text or a list of texts, by name.
    let lists: [String: [String]]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ClaimName.self)
        // A provider's own claim of another type counts as absent; only `sub` is required.
        func text(_ name: ClaimName) -> String? { try? container.decodeIfPresent(String.self, forKey: name) }
        subject = try container.decode(String.self, forKey: "sub")
        userName = text("preferred_username")
        name = text("name")
        email = text("email")
        lists = Dictionary(
            container.allKeys.compactMap { key in
                // A claim that is neither a text nor a list of texts names no group.
                let list = text(key).map { [$0] } ?? (try? container.decode([String].self, forKey: key))
                return list.map { (key.stringValue, $0) }
            }, uniquingKeysWith: { $1 })
    }

    /// Whether `sub` is a legal subject: 1 to 255 characters (Core, section 2).
    var isSomebody: Bool { (1...255).contains(subject.count) }

    /// - Parameters:
    ///   - issuer: of the token, or of the provider whose endpoint answered.
    ///   - claim: the name of the claim with the groups.
    func user(of issuer: String, groupsIn claim: String) -> SignedInUser {
        SignedInUser(
            issuer: issuer, subject: subject,
            name: [userName, name, email].lazy.compactMap(\.self).first { !$0.isEmpty }, groups: lists[claim] ?? [])
    }
}

/// The name of a claim, of which any may come.
struct ClaimName: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
}
