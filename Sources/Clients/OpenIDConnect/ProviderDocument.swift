/// The fields used of a provider's discovery document (OpenID Connect Discovery 1.0, section 3).
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

    /// Whether the secret goes into the body: into a header unless the provider accepts only the body.
    var acceptsSecretInBody: Bool {
        guard let authenticationMethods else { return false }
        return !authenticationMethods.contains("client_secret_basic")
            && authenticationMethods.contains("client_secret_post")
    }
}

/// The token endpoint's answer: tokens or an error.
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
