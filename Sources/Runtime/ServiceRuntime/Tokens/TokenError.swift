/// Why a token is invalid; safe to show to its bearer.
package enum TokenError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The token is not three parts of base64url JSON, or a claim is missing or of the wrong type.
    case malformed
    /// A credential that is neither a JWT nor a known or still valid opaque token.
    case unknownToken
    /// The token is not signed with ES256; `none` above all.
    case algorithmNotAllowed
    /// No key of that id is known here.
    case unknownKey
    case wrongSignature
    case expired
    /// The token's `nbf` is in the future.
    case notYetValid
    /// The token's `aud` lacks Doorstep.
    case wrongAudience
    /// The token's header has `crit`: a required extension, and the verifier supports none.
    case extensionNotUnderstood
    /// An operator withdrew it before it expired.
    case revoked
    /// The key that signed it may not sign for this role.
    case roleNotAllowed

    package var description: String {
        switch self {
        case .malformed: "the token is malformed"
        case .unknownToken: "the token is not known"
        case .algorithmNotAllowed: "the token is not signed with ES256"
        case .unknownKey: "the token's key is not known"
        case .wrongSignature: "the token's signature is wrong"
        case .expired: "the token has expired"
        case .notYetValid: "the token is not valid yet"
        case .wrongAudience: "the token is for another audience"
        case .extensionNotUnderstood: "the token's header has critical extensions, which are not understood"
        case .revoked: "the token was revoked"
        case .roleNotAllowed: "the token's key may not sign for its role"
        }
    }
}
