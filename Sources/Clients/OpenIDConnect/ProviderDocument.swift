internal import Foundation

/// What a provider says of itself (OpenID Connect Discovery 1.0, section 3), as far as it is used.
struct ProviderDocument: Decodable, Sendable {
    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let keysEndpoint: String
    let userInfoEndpoint: String?
    let authenticationMethods: [String]?

    private enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case keysEndpoint = "jwks_uri"
        case userInfoEndpoint = "userinfo_endpoint"
        case authenticationMethods = "token_endpoint_auth_methods_supported"
    }

    /// Whether the secret goes into the body: into a header unless the provider takes that alone.
    var acceptsSecretInBody: Bool {
        guard let authenticationMethods else { return false }
        return !authenticationMethods.contains("client_secret_basic")
            && authenticationMethods.contains("client_secret_post")
    }
}

/// What the token endpoint answers, or why it does not.
struct TokenAnswer: Decodable, Sendable {
    let idToken: String?
    let accessToken: String?
    let refreshToken: String?
    let error: String?
    let errorDescription: String?

    private enum CodingKeys: String, CodingKey {
        case error
        case idToken = "id_token"
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case errorDescription = "error_description"
    }
}
