package import Foundation

/// Revokes tokens before they expire: one token, or all of a bearer up to a time.
package enum TokenRevocation: Codable, Hashable, Sendable {
    /// The one with this `jti`.
    case token(id: String)
    /// A bearer's tokens with an `iat` before a time, or without one; wall time.
    case issued(to: String, role: Role, before: Date)

    private enum CodingKeys: String, CodingKey {
        case tokenID, subject, role, issuedBefore
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let id = try container.decodeIfPresent(String.self, forKey: .tokenID) {
            self = .token(id: id)
        } else {
            self = .issued(
                to: try container.decode(String.self, forKey: .subject),
                role: try container.decode(Role.self, forKey: .role),
                before: try container.decode(Date.self, forKey: .issuedBefore))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .token(let id):
            try container.encode(id, forKey: .tokenID)
        case .issued(let subject, let role, let time):
            try container.encode(subject, forKey: .subject)
            try container.encode(role, forKey: .role)
            try container.encode(time, forKey: .issuedBefore)
        }
    }
}

/// The revocations of a key file, indexed for look-up.
struct RevokedTokens: Sendable {
    private struct Bearer: Hashable {
        let subject: String
        let role: Role
    }

    private var ids: Set<String> = []
    private var issuedBefore: [Bearer: Date] = [:]

    init(_ revocations: [TokenRevocation]) {
        for revocation in revocations {
            switch revocation {
            case .token(let id):
                ids.insert(id)
            case .issued(let subject, let role, let time):
                let bearer = Bearer(subject: subject, role: role)
                issuedBefore[bearer] = max(time, issuedBefore[bearer] ?? time)
            }
        }
    }

    func contains(_ identity: Identity) -> Bool {
        if let id = identity.tokenID, ids.contains(id) { return true }
        guard let time = issuedBefore[Bearer(subject: identity.subject, role: identity.role)] else { return false }
        return identity.issuedAt.map { $0 < time } ?? true
    }
}
