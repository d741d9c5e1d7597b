import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import Testing

@testable import ServiceRuntime

private typealias Events = AsyncThrowingStream<ServerSentEvent, any Error>

@Suite("Streams and draining", .timeLimit(.minutes(10)))
struct StreamTests {
    @Test("Events are written in order, after how soon to connect again, with id, name and every line of data")
    func events() async throws {
        let service = makeService(tokens: try await TestTokens()) { router in
            router.get("/stream") { _, _ in
                sseResponse(
                    Events { continuation in
                        continuation.yield(ServerSentEvent(id: "1", event: "push", data: "{}"))
                        continuation.yield(ServerSentEvent(data: "two\r\nlines"))
                        continuation.finish()
                    }, heartbeat: .seconds(3_600))
            }
        }
        try await service.application.test(.router) { client in
            let response = try await client.execute(uri: "/stream", method: .get)
            #expect(response.headers[.contentType] == "text/event-stream")
            #expect(
                String(buffer: response.body)
                    == "retry: 2000\n\nid: 1\nevent: push\ndata: {}\n\ndata: two\ndata: lines\n\n")
        }
    }

    @Test("A stream ends at the end of its lifetime")
    func lifetime() async throws {
        let (never, continuation) = Events.makeStream()
        let service = makeService(tokens: try await TestTokens()) { router in
            router.get("/stream") { _, _ in
                sseResponse(never, lifetime: .milliseconds(1), heartbeat: .seconds(3_600))
            }
        }
        try await service.application.test(.router) { client in
            let response = try await client.execute(uri: "/stream", method: .get)
            #expect(response.status == .ok && String(buffer: response.body) == "retry: 2000\n\n")
        }
        continuation.finish()
    }

    @Test("A stream ends before what comes after its token was revoked")
    func revoked() async throws {
        let isRevoked = Mutex(false)
        let asked = Mutex(0)
        let events = Events {
            let count = asked.withLock { count in
                count += 1
                return count
            }
            if count == 2 { isRevoked.withLock { $0 = true } }
            return ServerSentEvent(data: "event \(count)")
        }
        let service = makeService(tokens: try await TestTokens()) { router in
            router.get("/stream") { _, _ in
                sseResponse(events, heartbeat: .seconds(3_600)) { !isRevoked.withLock { $0 } }
            }
        }
        try await service.application.test(.router) { client in
            let response = try await client.execute(uri: "/stream", method: .get)
            #expect(!String(buffer: response.body).contains("event 2"))
        }
    }

    @Test("While nothing happens a heartbeat is due, and it never outlives the stream")
    func heartbeats() async throws {
        let beating = Heartbeats(every: .milliseconds(1), for: nil).makeAsyncIterator()
        for _ in 1...3 { #expect(try await beating.next() == .heartbeat) }
        let ending = Heartbeats(every: .seconds(3_600), for: .milliseconds(1)).makeAsyncIterator()
        #expect(try await ending.next() == .end)
    }

    @Test("When the process is asked to stop, running requests are answered and streams end whole")
    func drain() async throws {
        var configuration = HTTPConfiguration()
        configuration.port = 0
        let gate = Gate()
        let (entered, enter) = AsyncStream.makeStream(of: String.self)
        let asked = Mutex(0)
        // The second event is asked for once the first has been written, and never comes.
        let events = Events {
            let count = asked.withLock { count in
                count += 1
                return count
            }
            if count == 1 { return ServerSentEvent(data: "first") }
            enter.yield("stream")
            try await Task.sleep(for: .seconds(3_600))
            return nil
        }
        let service = makeService(tokens: try await TestTokens(), configuration: configuration) { router in
            router.get("/slow") { _, _ in
                enter.yield("slow")
                await gate.pass()
                return "answered"
            }
            router.get("/stream") { _, _ in sseResponse(events, heartbeat: .seconds(3_600)) }
        }
        let group = ServiceGroup(services: [service], logger: LogRecorder().logger())
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let port = try #require(await service.listeningPort.first { _ in true })
            async let slow = get("/slow", port: port)
            async let stream = get("/stream", port: port)
            var waiting: Set = ["slow", "stream"]
            for await name in entered {
                waiting.remove(name)
                if waiting.isEmpty { break }
            }
            await group.triggerGracefulShutdown()
            #expect(try await stream == "retry: 2000\n\ndata: first\n\n")
            #expect(service.drain.isDraining)
            gate.open()
            #expect(try await slow == "answered")
            try await tasks.waitForAll()
        }
    }

    @Test("What still runs at the end of the drain timeout is cancelled")
    func drainTimeout() async throws {
        var configuration = HTTPConfiguration()
        configuration.port = 0
        configuration.drainTimeout = .milliseconds(10)
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let service = makeService(tokens: try await TestTokens(), configuration: configuration) { router in
            router.get("/stuck") { _, _ in
                enter.finish()
                try await Task.sleep(for: .seconds(3_600))
                return HTTPResponse.Status.ok
            }
        }
        let group = ServiceGroup(services: [service], logger: LogRecorder().logger())
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let port = try #require(await service.listeningPort.first { _ in true })
            tasks.addTask { _ = try? await get("/stuck", port: port) }
            for await _ in entered {}
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}

private func get(_ path: String, port: Int) async throws -> String {
    let client = TestClient(
        host: "127.0.0.1", port: port, configuration: .init(timeout: .seconds(50)),
        eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton))
    client.connect()
    let response = try await client.get(path)
    try await client.shutdown()
    return response.body.map { String(buffer: $0) } ?? ""
}
