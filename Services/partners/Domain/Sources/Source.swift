import Crypto
import DeliveryProviders
import DoorstepAPI
import Foundation
import OrderDomain
import TextCoding
import WebhookSignatures

/// A provider account whose webhooks the service accepts.
struct Source: Hashable, Sendable {
    /// The secrets that are valid together: the present one, the former during a rotation, and those of repeats.
    static let secretsMax = 4
    /// Sources of one store.
    static let sourcesMax = 20

    let id: SourceID
    let provider: DeliveryProvider
    /// The courier's name for customers where the provider names none; nil for the provider's own name.
    let name: String?
    /// The only store whose deliveries it may report on; nil for every store.
    let store: StoreID?
    /// Whether test-mode events of the provider are applied as real ones.
    let acceptsTest: Bool
    /// Oldest first.
    let secrets: [Secret]
    let createdAt: Date

    /// The secrets that can be read.
    var texts: [String] { secrets.compactMap(\.text) }

    struct Secret: Hashable, Sendable {
        let id: String
        /// The secret; nil where its encryption key is missing: the secret then proves nothing.
        let text: String?
        let createdAt: Date
    }
}

extension DeliveryProvider {
    /// The kind of proof in the provider's webhooks.
    enum Proof: Hashable, Sendable {
        /// The header `Authorization` contains the secret itself, or a token that was fetched with it.
        case sharedValue
        /// A bearer that was fetched from us with the secret.
        case fetchedToken
        case hexSHA256
        case hexSHA512
        case standardWebhook
    }

    var proof: Proof {
        switch self {
        case .doorDash: .sharedValue
        case .uber: .hexSHA256
        case .instacart: .fetchedToken
        case .onfleet: .hexSHA512
        case .cloudEvents: .standardWebhook
        }
    }

    /// Whether the provider fetches a token from us.
    var fetchesTokens: Bool { proof == .sharedValue || proof == .fetchedToken }

    /// A new secret, where the provider accepts one; nil where the provider creates its own.
    func makeSecret() -> String? {
        switch proof {
        case .sharedValue, .fetchedToken:
            Base64URL.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
        case .standardWebhook: WebhookKey.makeSecret().text
        case .hexSHA256, .hexSHA512: nil
        }
    }

    /// Why a text is no secret of the provider; nil for one that is.
    func fault(ofSecret text: String) -> String? {
        switch proof {
        case .sharedValue, .fetchedToken, .hexSHA256:
            return (16...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                ? nil : "must be 16 to 512 visible ASCII characters"
        case .hexSHA512:
            return Hexadecimal.decode(text).map { (16...128).contains($0.count) } == true
                ? nil : "must be 32 to 256 hexadecimal digits"
        case .standardWebhook:
            // The returned text describes every form of a valid key.
            guard let key = try? WebhookKey(text) else {
                return "must be whsec_ and base64 of 24 to 64 bytes, or whpk_ and base64 of an ed25519 public key"
            }
            return text.hasPrefix("whsk_") ? "must be the public half, whpk_…" : key.text.isEmpty ? "is empty" : nil
        }
    }
}
