import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import WebhookSender

@Suite("Sending webhooks", .timeLimit(.minutes(5)))
struct WebhookSenderTests {
    private func sender(
        allowsPrivate: Bool = true, timeout: Duration = .seconds(600),
        resolve: @escaping WebhookSender.Resolve = { _ in [EgressAddress("127.0.0.1")!] }
    ) -> WebhookSender {
        var configuration = WebhookSender.Configuration()
        configuration.allowsPrivate = allowsPrivate
        configuration.timeout = timeout
        return WebhookSender(configuration, resolve: resolve)
    }

    private func url(_ port: Int, host: String = "receiver.invalid") throws -> WebhookURL {
        try WebhookURL("http://\(host):\(port)/hook", allowsPlain: true)
    }

    @Test(
        "The body arrives as it is with its headers, at the address that was looked up, and the answer is kept in part")
    func delivered() async throws {
        try await Receiver.run { _ in
            Response(
                status: .tooManyRequests, headers: [.retryAfter: "30"],
                body: .init(byteBuffer: .init(string: String(repeating: "é", count: 5_000))))
        } _: { receiver in
            let result = await sender().post(
                Data(#"{"a":"ü"}"#.utf8), headers: [("webhook-id", "msg_1"), ("content-type", "application/json")],
                to: try url(receiver.port))
            guard case .answered(429, let excerpt, let wait) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(excerpt.utf8.count == 1_024 && wait == .seconds(30))
            let received = try #require(receiver.received.first)
            #expect(received.body == #"{"a":"ü"}"# && received.headers["webhook-id"] == "msg_1")
            #expect(received.path == "/hook")
        }
    }

    @Test("A name in capital letters is held to the address that was checked, as any other")
    func capitals() async throws {
        try await Receiver.run { _ in
            Response(status: .ok)
        } _: { receiver in
            // A name that nobody but the test looks up successfully.
            let result = await sender().post(
                Data("{}".utf8), headers: [], to: try url(receiver.port, host: "Receiver.INVALID"))
            #expect(result == .answered(status: 200, excerpt: "", retryAfter: nil))
            #expect(receiver.received.count == 1)
        }
    }

    @Test("No redirect is followed")
    func redirect() async throws {
        try await Receiver.run { _ in
            Response(status: .found, headers: [.location: "/elsewhere"])
        } _: { receiver in
            let result = await sender().post(Data("{}".utf8), headers: [], to: try url(receiver.port))
            guard case .answered(302, _, _) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(receiver.received.map(\.path) == ["/hook"])
        }
    }

    @Test("A receiver that is slow, one that closes, and one that is not there are each told apart")
    func failures() async throws {
        try await Receiver.run { _ in
            try await Task.sleep(for: .seconds(600))
            return Response(status: .ok)
        } _: { receiver in
            let slow = sender(timeout: .milliseconds(200))
            let url = try url(receiver.port)
            #expect(await slow.post(Data("{}".utf8), headers: [], to: url) == .failed(.timedOut))
            #expect(receiver.received.count <= 1)
        }
        try await Receiver.closing { port in
            let result = await sender().post(Data("{}".utf8), headers: [], to: try url(port))
            #expect(result == .failed(.connectionLost))
        }
        // A port that was free a moment ago.
        let free = Mutex(0)
        try await Receiver.closing { port in free.withLock { $0 = port } }
        let result = await sender().post(Data("{}".utf8), headers: [], to: try url(free.withLock { $0 }))
        guard case .failed(.notConnected) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test("A name with any address that is not public is refused before anything is sent")
    func refused() async throws {
        try await Receiver.run { _ in
            Response(status: .ok)
        } _: { receiver in
            for addresses in [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::1"], ["169.254.169.254"]] {
                let guarded = sender(allowsPrivate: false) { _ in addresses.compactMap(EgressAddress.init) }
                let result = await guarded.post(Data("{}".utf8), headers: [], to: try url(receiver.port))
                #expect(result == .failed(.addressRefused(addresses.last ?? "")))
            }
            #expect(receiver.received.isEmpty)
        }
    }

    @Test("A name that stands for another address at the second look is looked up once, and the first address is used")
    func rebound() async throws {
        try await Receiver.run { _ in
            Response(status: .ok)
        } _: { receiver in
            let lookups = Mutex(0)
            let rebinding = sender { _ in
                let count = lookups.withLock { count -> Int in
                    count += 1
                    return count
                }
                return [EgressAddress(count == 1 ? "127.0.0.1" : "127.0.0.9")].compactMap(\.self)
            }
            let result = await rebinding.post(Data("{}".utf8), headers: [], to: try url(receiver.port))
            guard case .answered(200, _, _) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(lookups.withLock { $0 } == 1 && receiver.received.count == 1)
        }
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
        try await Receiver.run { _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: "be"))
                    try await Task.sleep(for: .seconds(600))
                    try await writer.finish(nil)
                })
        } _: { receiver in
            let result = await sender(timeout: .seconds(3_600)).post(
                Data("{}".utf8), headers: [], to: try url(receiver.port))
            #expect(result == .answered(status: 200, excerpt: "", retryAfter: nil))
        }
    }

    @Test("A cancelled attempt ends at once, as one of which nothing is known")
    func cancelled() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        try await Receiver.run { _ in
            arrived.yield()
            try await Task.sleep(for: .seconds(600))
            return Response(status: .ok)
        } _: { receiver in
            let url = try url(receiver.port)
            let attempt = Task { await sender().post(Data("{}".utf8), headers: [], to: url) }
            for await _ in arrivals { break }
            attempt.cancel()
            #expect(await attempt.value == .failed(.shuttingDown))
        }
    }

    @Test("Shutting down waits for an attempt on its way")
    func drain() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        try await Receiver.run { _ in
            arrived.yield()
            for await _ in answers { break }
            return Response(status: .ok)
        } _: { receiver in
            let (sender, url) = (sender(), try url(receiver.port))
            let group = ServiceGroup(
                configuration: .init(services: [.init(service: sender)], logger: .init(label: "test")))
            async let result = sender.post(Data("{}".utf8), headers: [], to: url)
            for await _ in arrivals { break }
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                await group.triggerGracefulShutdown()
                answer.yield()
                try await tasks.waitForAll()
            }
            guard case .answered(200, _, _) = await result else {
                Issue.record("the attempt was cut off")
                return
            }
        }
    }

    @Test("Once it is shut down it sends nothing")
    func shutDown() async throws {
        let sender = sender()
        let group = ServiceGroup(
            configuration: .init(services: [.init(service: sender)], logger: .init(label: "test")))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        let result = await sender.post(Data("{}".utf8), headers: [], to: try url(9))
        #expect(result == .failed(.shuttingDown))
    }
}
