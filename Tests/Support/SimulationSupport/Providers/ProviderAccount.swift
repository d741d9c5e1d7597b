package import DeliveryProviders
package import DoorstepAPI
package import Foundation
import NIOHTTP1
import ProviderSamples
import TestSupport
import WireCoding

/// An account at a delivery provider, which posts webhooks to a stack as the provider does: with its proof, and
/// repeatedly until they are accepted.
package struct ProviderAccount: Sendable {
    package let provider: DeliveryProvider
    package let source: SourceID
    private let stack: any StackUnderTest
    /// The path of the provider's URL; the same at each replica.
    private let path: String
    private let secret: String
    /// The token fetched with the secret; nil where the provider fetches none.
    private let token: String?

    /// An answer that no good request of a provider may get.
    package struct Refused: Error, CustomStringConvertible {
        package let status: Int
        package let body: Data

        package var description: String { "\(status) \(String(decoding: body, as: UTF8.self))" }
    }

    /// The service made no secret where it should.
    package struct NoSecret: Error {}

    /// Adds the account as an operator, and fetches a token where the provider does.
    package static func add(
        _ provider: DeliveryProvider, to stack: any StackUnderTest
    ) async throws -> ProviderAccount {
        let own = provider.ownSecret
        let source: SourceBody = try await stack.asOperator.send(
            .PUT, .partners, "/v1/sources/\(provider.rawValue)",
            PutSourceBody(provider: provider.rawValue, secret: own))
        guard let secret = own ?? source.secrets.first?.secret else { throw NoSecret() }
        var token: String?
        if let tokenURL = source.tokenURL {
            token = try await fetchToken(of: source.id, secret, at: stack.url(.partners) + path(of: tokenURL))
        }
        return ProviderAccount(
            provider: provider, source: source.id, stack: stack, path: path(of: source.url), secret: secret,
            token: token)
    }

    private static func path(of url: String) -> String { URL(string: url)?.path() ?? "" }

    private static func fetchToken(of source: SourceID, _ secret: String, at url: String) async throws -> String {
        let form = "client_id=\(source)&client_secret=\(secret)&grant_type=client_credentials"
        let (status, answer) = try await RetryingClient.attempt(
            .POST, url, body: Data(form.utf8), headers: ["content-type": "application/x-www-form-urlencoded"])
        guard status == 200 else { throw Refused(status: status, body: answer) }
        return try WireJSON.decode(AccessTokenBody.self, from: answer).accessToken
    }

    /// Posts a webhook until it is accepted: after a lost answer, and after 503, it is posted again, to any replica.
    ///
    /// - Throws: ``Refused``, for every other answer but 200.
    package func post(_ webhook: String) async throws {
        let body = Data(webhook.utf8)
        try await eventually("a webhook of \(provider.rawValue) is taken") {
            // Each attempt has a new signature.
            var headers = ProviderProof.headers(of: body, from: provider, secret: secret, token: token)
            headers["content-type"] = ProviderProof.contentType(of: provider)
            let answer: (status: Int, body: Data)
            do {
                answer = try await RetryingClient.attempt(
                    .POST, stack.url(.partners) + path, body: body, headers: headers)
            } catch {
                // Refused, reset or slow: the acceptance is unknown.
                try Task.checkCancellation()
                return false
            }
            if answer.status == 503 { return false }
            guard answer.status == 200 else { throw Refused(status: answer.status, body: answer.body) }
            return true
        }
    }
}

extension DeliveryProvider {
    /// The secret that the provider generates; nil where it accepts a generated one.
    fileprivate var ownSecret: String? {
        switch self {
        case .uber, .onfleet: ProviderProof.sampleSecret(of: self)
        case .doorDash, .instacart, .cloudEvents: nil
        }
    }
}
