internal import Crypto
package import DeliveryProviders
package import Foundation
internal import TextCoding
internal import WebhookSignatures

/// The provider's side of a webhook's proof.
package enum ProviderProof {
    /// A secret as the provider, or our service in its place, would have made it.
    package static func sampleSecret(of provider: DeliveryProvider) -> String {
        switch provider {
        case .doorDash, .instacart: "dd-5f1b7c0e9a3d4c2b"
        case .uber: "c5c26d5a-70d6-46c7-a652-d7c09825ad29"
        case .onfleet: String(repeating: "0123456789abcdef", count: 4)
        case .cloudEvents: WebhookKey.makeSecret().text
        }
    }

    /// The headers of a webhook.
    ///
    /// - Parameters:
    ///   - token: of the token endpoint, where the provider fetches one; else the secret is sent where that will do.
    ///   - now: wall time.
    package static func headers(
        of body: Data, from provider: DeliveryProvider, secret: String, token: String? = nil, now: Date = Date()
    ) -> [String: String] {
        switch provider {
        case .doorDash: ["authorization": token.map { "Bearer \($0)" } ?? secret]
        case .instacart: ["authorization": "Bearer \(token ?? secret)"]
        case .uber:
            [
                "x-uber-signature": Hexadecimal.encode(
                    HMAC<SHA256>.authenticationCode(for: body, using: SymmetricKey(data: Data(secret.utf8))))
            ]
        case .onfleet:
            [
                "x-onfleet-signature": Hexadecimal.encode(
                    HMAC<SHA512>.authenticationCode(
                        for: body, using: SymmetricKey(data: Hexadecimal.decode(secret) ?? [])))
            ]
        case .cloudEvents: standardWebhook(body, secret: secret, now: now)
        }
    }

    /// The provider's `Content-Type`.
    package static func contentType(of provider: DeliveryProvider) -> String {
        provider == .cloudEvents ? "application/cloudevents+json" : "application/json"
    }

    private static func standardWebhook(_ body: Data, secret: String, now: Date) -> [String: String] {
        let id = "msg_" + Hexadecimal.encode(SHA256.hash(data: body)).prefix(24)
        guard let key = try? WebhookKey(secret),
            let signed = StandardWebhook.signing(body, id: id, at: now, keys: [key])
        else { return [:] }
        return [
            "webhook-id": signed.id, "webhook-timestamp": signed.timestamp, "webhook-signature": signed.signature,
        ]
    }
}
