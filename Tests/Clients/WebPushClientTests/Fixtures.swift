import Crypto
import ScriptedPeers
import TestSupport
import WebPushTesting

@testable import WebPushClient

enum Fixture {
    static func configuration() throws -> WebPushConfiguration {
        WebPushConfiguration(
            key: try VAPIDKey(
                pem: P256.Signing.PrivateKey().pemRepresentation, source: "test.pem",
                contact: "mailto:push@shop.example"))
    }

    static func client(
        time: WallTime = WallTime(), adjust: (inout WebPushConfiguration) -> Void = { _ in }
    ) throws -> WebPushClient {
        var configuration = try configuration()
        adjust(&configuration)
        return try WebPushClient(configuration, now: { time.now })
    }

    static func message(_ text: String = "ready") throws -> WebPushMessage {
        try WebPushMessage(plaintext: Array(text.utf8), timeToLive: .seconds(60))
    }
}

extension WebPushClient {
    /// Sends one message for a new browser.
    func send(_ text: String = "ready", to service: ScriptedHTTPServer) async throws -> WebPushResult {
        await send(try Fixture.message(text), to: try SubscribedBrowser().subscription(at: service.endpoint))
    }
}

extension WebPushResult {
    /// The name of the cause of an unavailable push service, without what it says.
    var unavailableCause: String? {
        guard case .unavailable(let cause) = self else { return nil }
        return "\(cause)".split(separator: ":").first.map { String($0) }
    }

    var mayHaveBeenAccepted: Bool? {
        guard case .unavailable(let cause) = self else { return nil }
        return cause.mayHaveBeenAccepted
    }
}

extension SubscribedBrowser {
    /// - Parameter endpoint: on loopback, or a public one.
    func subscription(
        at endpoint: String, reach: WebPushEndpoint.Reach = .loopback
    ) throws(WebPushSubscriptionError) -> WebPushSubscription {
        try WebPushSubscription(endpoint: endpoint, p256dh: p256dhText, auth: authText, reach: reach)
    }
}
