import Crypto
import DeliveryProviders
import Foundation
import TextCoding
import WebhookSignatures

/// Why a webhook is not believed to come from its source; an open code for the metric and the log.
struct ForgedWebhook: Error, Hashable, Sendable {
    let reason: String

    static let missing = ForgedWebhook(reason: "missing")
    static let wrong = ForgedWebhook(reason: "wrong")
    static let tooOld = ForgedWebhook(reason: "too_old")
    static let tooNew = ForgedWebhook(reason: "too_new")
}

extension Source {
    /// Holds a webhook against the source's secrets.
    ///
    /// - Parameters:
    ///   - body: the bytes as they were received.
    ///   - header: a header's value by its name in lower case.
    ///   - now: wall time.
    func verify(_ body: Data, header: (String) -> String?, now: Date) throws(ForgedWebhook) {
        switch provider.proof {
        case .sharedValue, .fetchedToken:
            guard let authorization = header("authorization") else { throw .missing }
            guard isAuthorized(authorization, now: now) else { throw .wrong }
        case .hexSHA256:
            guard let signature = header("x-uber-signature") ?? header("x-postmates-signature") else { throw .missing }
            let isGood = texts.contains {
                HexSignature.verifies(signature, sha256Of: body, key: SymmetricKey(data: Data($0.utf8)))
            }
            guard isGood else { throw .wrong }
        case .hexSHA512:
            guard let signature = header("x-onfleet-signature") else { throw .missing }
            let isGood = texts.contains { secret in
                guard let key = Hexadecimal.decode(secret) else { return false }
                return HexSignature.verifies(signature, sha512Of: body, key: SymmetricKey(data: key))
            }
            guard isGood else { throw .wrong }
        case .standardWebhook: try verifyStandardWebhook(body, header: header, now: now)
        }
    }

    private func isAuthorized(_ authorization: String, now: Date) -> Bool {
        let words = authorization.split(separator: " ", maxSplits: 1).map(String.init)
        let scheme = words.count == 2 ? words[0].lowercased() : ""
        if scheme == "bearer", SourceToken.isGood(words[1], for: self, now: now) { return true }
        guard provider.proof == .sharedValue else { return false }
        var values = [authorization]
        if scheme == "bearer" { values.append(words[1]) }
        if scheme == "basic" {
            values.append(words[1])
            if let pair = Data(base64Encoded: words[1]).map({ String(decoding: $0, as: UTF8.self) }) {
                values.append(pair)
                let parts = pair.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                values.append(String(parts.last ?? ""))
            }
        }
        // Each value is compared with each secret, so that the duration does not reveal the match.
        var isGood = false
        for value in values {
            for secret in texts where SecretText.isSame(value, as: secret) { isGood = true }
        }
        return isGood
    }

    private func verifyStandardWebhook(
        _ body: Data, header: (String) -> String?, now: Date
    ) throws(ForgedWebhook) {
        guard let id = header("webhook-id"), let timestamp = header("webhook-timestamp"),
            let signature = header("webhook-signature")
        else { throw .missing }
        // A source accepts only secrets in the form of a key, so that every stored one parses.
        let keys = texts.compactMap { try? WebhookKey($0) }
        do {
            try StandardWebhook(id: id, timestamp: timestamp, signature: signature).verify(body, keys: keys, now: now)
        } catch {
            switch error {
            case .malformed, .forged: throw .wrong
            case .tooOld: throw .tooOld
            case .tooNew: throw .tooNew
            }
        }
    }
}
