import APNsClient
import Foundation
import LiveActivity
import Messages

/// Apple's push service: a phone shows an accepted push at some later time, or never.
struct APNsTransport: Transport {
    let client: APNsClient
    /// The app's bundle id, where a device names none.
    let bundleID: BundleID
    let limits: Limits
    /// Opens customers' PINs; nil where cards have none.
    var pins: PINBox?
    var newID: @Sendable () -> UUID = { UUID() }

    var isTransactional: Bool { false }

    func send(_ push: Push, to card: Card, on device: Device) async -> PushResult {
        guard let request = request(for: push, to: card, on: device) else {
            return .mistake("it has no token, or its payload was not checked")
        }
        return PushResult(await client.send(request), token: request.token)
    }

    /// - Returns: nil where the push has no token or no valid payload.
    func request(for push: Push, to card: Card, on device: Device) -> APNsRequest? {
        guard let token = push.token, let body = push.bytesForPhone(openedBy: pins) else { return nil }
        return APNsRequest(
            token: token.value, environment: APNsEnvironment(token.environment),
            topic: (device.bundleID ?? bundleID).topic, priority: APNsRequest.Priority(push.priority),
            expiration: push.expiration(of: card), id: newID(), body: body)
    }
}

extension PushResult {
    /// - Parameter token: the one that was pushed to.
    init(_ result: APNsResult, token: String) {
        switch result {
        case .accepted(let id): self = .accepted(id: id)
        case .refused(let refusal) where refusal.remedy == .fixConfiguration: self = .halted(reason: refusal.name)
        case .refused(let refusal):
            self.init(
                status: refusal.status, reason: refusal.name,
                retryAfter: refusal.retryAfter.map { $0 / .seconds(1) }, since: refusal.since, token: token)
        case .notSent(let cause) where cause.isOfKey: self = .halted(reason: cause.description)
        case .notSent(let cause) where cause.isMistake: self = .mistake(cause.description)
        case .notSent(let cause): self = .notSent(cause.description)
        case .unknown(let cause): self = .unknown(cause.description)
        }
    }
}

extension APNsRefusal {
    /// The refusal's reason, and without one its status, such as `status-302`.
    fileprivate var name: String { reason.name.isEmpty ? "status-\(status)" : reason.name }
}

extension APNsNotSentCause {
    /// Whether nothing can be sent with the key that is configured.
    fileprivate var isOfKey: Bool { if case .noProviderToken = self { true } else { false } }

    /// Whether the same request would not be sent another time either.
    fileprivate var isMistake: Bool {
        switch self {
        case .invalidRequest, .bodyTooLarge: true
        case .noProviderToken, .noConnection, .queueFull, .timedOut, .cancelled, .shuttingDown, .streamRefused,
            .connectionClosing:
            false
        }
    }
}

extension APNsEnvironment {
    init(_ environment: PushTokenBody.Environment) {
        switch environment {
        case .production: self = .production
        case .sandbox: self = .sandbox
        }
    }
}

extension APNsRequest.Priority {
    init(_ priority: Decision.Priority) {
        switch priority {
        case .high: self = .immediate
        case .low: self = .opportunistic
        }
    }
}
