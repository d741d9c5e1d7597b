internal import Crypto
public import Foundation

/// The headers of Standard Webhooks 1.0.0: the message's id, its time and its signature.
public struct StandardWebhook: Hashable, Sendable {
    /// Seconds by which a timestamp may differ from the receiver's clock.
    ///
    /// - Source: the specification asks for a tolerance; its reference implementations have five minutes.
    public static let toleranceSeconds = 300.0

    /// The message's id, the same for every attempt: receivers recognise repeats by it.
    public var id: String
    /// The time of the attempt, in whole seconds since 1970, as header text.
    public var timestamp: String
    /// Signatures, separated by spaces, each a version, a comma and base64.
    public var signature: String

    public init(id: String, timestamp: String, signature: String) {
        self.id = id
        self.timestamp = timestamp
        self.signature = signature
    }

    /// Signs a body.
    ///
    /// - Parameters:
    ///   - id: without a full stop, which separates the signed parts.
    ///   - keys: several during a rotation; a verifying key signs nothing.
    /// - Returns: the headers' values; nil where no key can sign.
    public static func signing(
        _ body: some DataProtocol, id: String, at date: Date, keys: [WebhookKey]
    ) -> StandardWebhook? {
        let timestamp = "\(Int64(date.timeIntervalSince1970.rounded(.down)))"
        let content = signedContent(id: id, timestamp: timestamp, body)
        let signatures = keys.compactMap { $0.sign(content) }
        guard !signatures.isEmpty else { return nil }
        return StandardWebhook(id: id, timestamp: timestamp, signature: signatures.joined(separator: " "))
    }

    /// Whether one of the keys signed this body lately.
    ///
    /// - Parameters:
    ///   - body: the bytes as they were received.
    ///   - now: wall time.
    /// - Throws: ``WebhookSignatureError``.
    public func verify(
        _ body: some DataProtocol, keys: [WebhookKey], now: Date
    ) throws(WebhookSignatureError) {
        guard !id.isEmpty, id.utf8.count <= 256, !id.contains(".") else { throw .malformed("webhook-id") }
        guard timestamp.utf8.count <= 16, let seconds = Int64(timestamp), seconds >= 0 else {
            throw .malformed("webhook-timestamp")
        }
        guard signature.utf8.count <= 4_096 else { throw .malformed("webhook-signature") }
        let age = now.timeIntervalSince1970 - Double(seconds)
        if age > Self.toleranceSeconds { throw .tooOld }
        if age < -Self.toleranceSeconds { throw .tooNew }
        let content = Self.signedContent(id: id, timestamp: timestamp, body)
        let signatures = signature.split(separator: " ").compactMap(VersionedSignature.init)
        guard !signatures.isEmpty else { throw .malformed("webhook-signature") }
        guard signatures.contains(where: { one in keys.contains { $0.verifies(one, content) } }) else {
            throw .forged
        }
    }

    private static func signedContent(id: String, timestamp: String, _ body: some DataProtocol) -> Data {
        var content = Data("\(id).\(timestamp).".utf8)
        content.append(contentsOf: body)
        return content
    }
}

/// Why a webhook is not believed.
public enum WebhookSignatureError: Error, Hashable, Sendable {
    /// A header is missing, or nothing of its kind.
    case malformed(String)
    case tooOld
    case tooNew
    /// No key signed this.
    case forged
}

/// One of the signatures in a header.
struct VersionedSignature: Hashable, Sendable {
    let version: String
    let bytes: Data

    init?(_ text: Substring) {
        let parts = text.split(separator: ",", maxSplits: 1)
        guard parts.count == 2, let bytes = Data(base64Encoded: String(parts[1])) else { return nil }
        version = String(parts[0])
        self.bytes = bytes
    }
}

extension WebhookKey {
    private static let symmetricVersion = "v1"
    private static let ed25519Version = "v1a"

    func sign(_ content: Data) -> String? {
        switch material {
        case .secret(let key):
            let code = HMAC<SHA256>.authenticationCode(for: content, using: key)
            return "\(Self.symmetricVersion),\(Data(code).base64EncodedString())"
        case .privateKey(let key):
            // An ed25519 key signs any content; a caller without a signature sends nothing and reports that.
            return (try? key.signature(for: content)).map { "\(Self.ed25519Version),\($0.base64EncodedString())" }
        case .publicKey: return nil
        }
    }

    func verifies(_ signature: VersionedSignature, _ content: Data) -> Bool {
        switch (material, signature.version) {
        case (.secret(let key), Self.symmetricVersion):
            HMAC<SHA256>.isValidAuthenticationCode(signature.bytes, authenticating: content, using: key)
        case (.publicKey(let key), Self.ed25519Version): key.isValidSignature(signature.bytes, for: content)
        case (.privateKey(let key), Self.ed25519Version):
            key.publicKey.isValidSignature(signature.bytes, for: content)
        default: false
        }
    }
}
