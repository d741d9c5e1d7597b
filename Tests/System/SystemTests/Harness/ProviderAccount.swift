import AsyncHTTPClient
import DeliveryProviders
import DoorstepAPI
import Foundation
import NIOCore
import NIOHTTP1
import ProviderSamples
import SimulationSupport
import Testing
import WireCoding

/// An account at a delivery provider, which posts webhooks to a stack as the provider does: with its proof, and again
/// until they are taken.
struct ProviderAccount: Sendable {
    let provider: DeliveryProvider
    let source: SourceID
    private let url: String
    private let secret: String
    /// What was fetched with the secret; nil where the provider fetches nothing.
    private let token: String?

    /// An answer that no good request of a provider may get.
    struct Refused: Error, CustomStringConvertible {
        let status: Int
        let body: Data

        var description: String { "\(status) \(String(decoding: body, as: UTF8.self))" }
    }

    /// Has an operator add the account, and fetches a token where the provider does.
    static func add(_ provider: DeliveryProvider, to stack: any StackUnderTest) async throws -> ProviderAccount {
        let own = provider.ownSecret
        let source: SourceBody = try await RetryingClient(stack: stack, token: stack.tokens.operator).send(
            .PUT, .partners, "/v1/sources/\(provider.rawValue)",
            PutSourceBody(provider: provider.rawValue, secret: own))
        let secret = try #require(own ?? source.secrets.first?.secret)
        var token: String?
        if let tokenURL = source.tokenURL { token = try await fetchToken(of: source.id, secret, at: tokenURL) }
        return ProviderAccount(
            provider: provider, source: source.id, url: source.url, secret: secret, token: token)
    }

    private static func fetchToken(of source: SourceID, _ secret: String, at url: String) async throws -> String {
        let form = "client_id=\(source)&client_secret=\(secret)&grant_type=client_credentials"
        let (status, answer) = try await send(
            Data(form.utf8), to: url, headers: ["content-type": "application/x-www-form-urlencoded"])
        guard status == 200 else { throw Refused(status: status, body: answer) }
        return try WireJSON.decode(AccessTokenBody.self, from: answer).accessToken
    }

    /// Posts a webhook until it is taken: without an answer, and after 503, it is posted again.
    ///
    /// - Throws: ``Refused``, for every other answer but 200.
    func post(_ webhook: String) async throws {
        let body = Data(webhook.utf8)
        try await eventually("a webhook of \(provider.rawValue) is taken") {
            // Each attempt is signed anew.
            var headers = ProviderProof.headers(of: body, from: provider, secret: secret, token: token)
            headers["content-type"] = ProviderProof.contentType(of: provider)
            let answer: (status: Int, body: Data)
            do {
                answer = try await Self.send(body, to: url, headers: headers)
            } catch {
                // Refused, reset or slow: whether it was taken is unknown.
                try Task.checkCancellation()
                return false
            }
            if answer.status == 503 { return false }
            guard answer.status == 200 else { throw Refused(status: answer.status, body: answer.body) }
            return true
        }
    }

    private static func send(
        _ body: Data, to url: String, headers: [String: String]
    ) async throws -> (status: Int, body: Data) {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        let response = try await RetryingClient.http.execute(request, timeout: .seconds(10))
        let answer = try await response.body.collect(upTo: 65_536)
        return (Int(response.status.code), Data(answer.readableBytesView))
    }
}

extension DeliveryProvider {
    /// The secret that the provider makes; nil where it takes one of ours.
    fileprivate var ownSecret: String? {
        switch self {
        case .uber, .onfleet: ProviderProof.sampleSecret(of: self)
        case .doorDash, .instacart, .cloudEvents: nil
        }
    }
}
