/// Why a token is invalid; safe to show to its bearer.
package enum TokenError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not three parts of base64url JSON, or a claim is missing or of the wrong type.
    case malformed
    /// Not signed with ES256; `none` above all.
    case algorithmNotAllowed
    /// No key of that id is known here.
    case unknownKey
    case wrongSignature
    case expired
    /// The key that signed it may not sign for this role.
    case roleNotAllowed

    package var description: String {
        switch self {
        case .malformed: "the token is malformed"
        case .algorithmNotAllowed: "the token is not signed with ES256"
        case .unknownKey: "the token's key is not known"
        case .wrongSignature: "the token's signature is wrong"
        case .expired: "the token has expired"
        case .roleNotAllowed: "the token's key may not sign for its role"
        }
    }
}
