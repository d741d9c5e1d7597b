import Foundation
import NIOHTTP1
import ScriptedPeers
import Synchronization
import TestSupport
import Testing

@testable import WebhookSender

@Suite("Sending webhooks", .timeLimit(.minutes(5)))
struct WebhookSenderTests {
    private func sender(
        allowsPrivate: Bool = true, timeout: Duration = .seconds(600), excerptTimeout: Duration = .seconds(1),
        resolve: @escaping WebhookSender.Resolve = { _ in [EgressAddress("127.0.0.1")!] }
    ) -> WebhookSender {
        var configuration = WebhookSender.Configuration()
        configuration.allowsPrivate = allowsPrivate
        configuration.timeout = timeout
        configuration.excerptTimeout = excerptTimeout
        return WebhookSender(configuration, resolve: resolve)
    }

    /// The result of an empty object that is posted to a receiver.
    private func post(
        by sender: WebhookSender, to receiver: ScriptedHTTPServer, host: String = "receiver.invalid"
    ) async throws -> WebhookResult {
        await sender.post(Data("{}".utf8), headers: [], to: try url(receiver.port, host: host))
    }

    private func url(_ port: Int, host: String = "receiver.invalid") throws -> WebhookURL {
        try WebhookURL("http://\(host):\(port)/hook", allowsPlain: true)
    }

    @Test(
        "The body arrives as it is with its headers, at the address that was looked up, and the answer is kept in part")
    func delivered() async throws {
        let receiver = try await ScriptedHTTPServer.start { _ in
            .answer(429, headers: ["retry-after": "30"], body: String(repeating: "é", count: 5_000))
        }
        let result = await sender(excerptTimeout: .seconds(600)).post(
            Data(#"{"a":"ü"}"#.utf8), headers: [("webhook-id", "msg_1"), ("content-type", "application/json")],
            to: try url(receiver.port))
        guard case .answered(429, let excerpt, let wait) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(excerpt.utf8.count == 1_024 && wait == .seconds(30))
        let received = try await receiver.request()
        #expect(received.body == Array(#"{"a":"ü"}"#.utf8) && received.value("webhook-id") == "msg_1")
        #expect(received.head.uri == "/hook")
    }

    @Test("A name in capital letters is held to the address that was checked, as any other")
    func capitals() async throws {
        let receiver = try await ScriptedHTTPServer.start { _ in .answer(200) }
        // A name that nobody but the test looks up successfully.
        let result = try await post(by: sender(), to: receiver, host: "Receiver.INVALID")
        #expect(result == .answered(status: 200, excerpt: "", retryAfter: nil))
        #expect(receiver.requestCount == 1)
    }

    @Test("No redirect is followed")
    func redirect() async throws {
        let receiver = try await ScriptedHTTPServer.start { _ in .answer(302, headers: ["location": "/elsewhere"]) }
        let result = try await post(by: sender(), to: receiver)
        #expect(result.status == 302)
        #expect(try await receiver.request().head.uri == "/hook")
        #expect(receiver.requestCount == 1)
    }

    @Test("A receiver that is slow, one that closes, and one that is not there are each told apart")
    func failures() async throws {
        let slow = try await ScriptedHTTPServer.start()
        #expect(try await post(by: sender(timeout: .milliseconds(200)), to: slow) == .failed(.timedOut))
        #expect(slow.requestCount <= 1)
        let closing = try await ScriptedHTTPServer.start { _ in .close }
        #expect(try await post(by: sender(), to: closing) == .failed(.connectionLost))
        let result = await sender().post(Data("{}".utf8), headers: [], to: try url(try freePort()))
        guard case .failed(.notConnected) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test("A name with any address that is not public is refused before anything is sent")
    func refused() async throws {
        let receiver = try await ScriptedHTTPServer.start { _ in .answer(200) }
        for addresses in [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::1"], ["169.254.169.254"]] {
            let guarded = sender(allowsPrivate: false) { _ in addresses.compactMap(EgressAddress.init) }
            let result = try await post(by: guarded, to: receiver)
            #expect(result == .failed(.addressRefused(addresses.last ?? "")))
        }
        #expect(receiver.requestCount == 0)
    }

    @Test("A name that stands for another address at the second look is looked up once, and the first address is used")
    func rebound() async throws {
        let receiver = try await ScriptedHTTPServer.start { _ in .answer(200) }
        let lookups = Mutex(0)
        let rebinding = sender { _ in
            let count = lookups.withLock { count -> Int in
                count += 1
                return count
            }
            return [EgressAddress(count == 1 ? "127.0.0.1" : "127.0.0.9")].compactMap(\.self)
        }
        let result = try await post(by: rebinding, to: receiver)
        #expect(result.status == 200)
        #expect(lookups.withLock { $0 } == 1 && receiver.requestCount == 1)
    }

    @Test(
        "The system's own names of this machine are refused, however they are written",
        arguments: ["localhost", "127.0.0.1", "127.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"])
    func loopback(host: String) async throws {
        var configuration = WebhookSender.Configuration()
        configuration.timeout = .seconds(60)
        let result = await WebhookSender(configuration).post(
            Data("{}".utf8), headers: [], to: try WebhookURL("https://\(host)/"))
        guard case .failed(.addressRefused) = result else {
            Issue.record("\(host): \(result)")
            return
        }
    }

    @Test("A status is the answer, though its body never ends")
    func endless() async throws {
        let receiver = try await ScriptedHTTPServer.start { _ in .answerWithoutEnd(200) }
        let result = try await post(by: sender(timeout: .seconds(3_600)), to: receiver)
        #expect(result == .answered(status: 200, excerpt: "", retryAfter: nil))
    }

    @Test("A cancelled attempt ends at once, as one of which nothing is known")
    func cancelled() async throws {
        let receiver = try await ScriptedHTTPServer.start()
        let attempt = Task { try await post(by: sender(), to: receiver) }
        _ = try await receiver.request()
        attempt.cancel()
        #expect(try await attempt.value == .failed(.shuttingDown))
    }

    @Test("Shutting down waits for an attempt on its way")
    func drain() async throws {
        let receiver = try await ScriptedHTTPServer.start()
        let sender = sender()
        async let result = post(by: sender, to: receiver)
        let request = try await receiver.request()
        try await RunningService.run(sender) { stop in
            await stop()
            request.react(.answer(200))
        }
        #expect(try await result.status == 200)
    }

    @Test("Once it is shut down it sends nothing")
    func shutDown() async throws {
        let sender = sender()
        try await RunningService.run(sender) { stop in await stop() }
        let result = await sender.post(Data("{}".utf8), headers: [], to: try url(9))
        #expect(result == .failed(.shuttingDown))
    }
}

extension WebhookResult {
    /// The status of the receiver's answer; nil where there was none.
    fileprivate var status: Int? { if case .answered(let status, _, _) = self { status } else { nil } }
}
