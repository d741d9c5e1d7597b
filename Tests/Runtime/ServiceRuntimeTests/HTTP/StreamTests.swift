import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import Testing

@testable import ServiceRuntime

/// Answers what each call of a function does, by the number of the call.
private struct Events: ServerSentEventSource {
    private var calls = 0
    private let page: @Sendable (Int) async throws -> [ServerSentEvent]?

    init(_ page: @escaping @Sendable (Int) async throws -> [ServerSentEvent]?) { self.page = page }

    mutating func next() async throws -> [ServerSentEvent]? {
        calls += 1
        return try await page(calls)
    }
}

/// The response of a stream to its end.
///
/// - Parameter page: answers what each call of the source does, by the number of the call and with the stream's signal.
private func streamed(
    isAllowed: @escaping @Sendable () -> Bool = { true },
    by page: @escaping @Sendable (Int, StreamSignal) async throws -> [ServerSentEvent]?
) async throws -> TestResponse {
    let service = makeService(tokens: try await TestTokens()) { router in
        router.get("/stream") { _, context in
            let signal = StreamSignal()
            return sseResponse(
                Events { call in try await page(call, signal) }, on: signal, in: context, isAllowed: isAllowed)
        }
    }
    return try await service.application.test(.router) { client in
        try await client.execute(uri: "/stream", method: .get)
    }
}

/// What a stream holds until it ends.
private final class HeldUntilEnd: Sendable {
    private let leave: @Sendable () -> Void

    init(leave: @escaping @Sendable () -> Void) { self.leave = leave }

    deinit { leave() }
}

@Suite("Streams and draining", .timeLimit(.minutes(10)))
struct StreamTests {
    @Test("Events are written in order, after how soon to connect again, with id, name and every line of data")
    func events() async throws {
        let response = try await streamed { call, signal in
            signal.notify()
            switch call {
            case 1: return [ServerSentEvent(id: "1", event: "push", data: "{}")]
            case 2: return []
            case 3: return [ServerSentEvent(data: "two\r\nlines")]
            default: return nil
            }
        }
        #expect(response.headers[.contentType] == "text/event-stream")
        #expect(
            String(buffer: response.body)
                == "retry: 2000\n\nid: 1\nevent: push\ndata: {}\n\ndata: two\ndata: lines\n\n")
    }

    @Test("A stream that is told to end does, without what would have come next")
    func ended() async throws {
        let response = try await streamed { call, signal in
            signal.notify()
            if call == 2 { signal.end() }
            return [ServerSentEvent(data: "event \(call)")]
        }
        #expect(String(buffer: response.body) == "retry: 2000\n\ndata: event 1\n\ndata: event 2\n\n")
    }

    @Test("A stream that is told to end with an event writes it last, and a second end changes nothing")
    func endedWithEvent() async throws {
        let response = try await streamed { call, signal in
            signal.notify()
            if call == 2 {
                signal.end(with: ServerSentEvent(event: "replaced", data: ""))
                signal.end(with: ServerSentEvent(event: "other", data: ""))
                signal.end()
            }
            return [ServerSentEvent(data: "event \(call)")]
        }
        let events = "data: event 1\n\ndata: event 2\n\nevent: replaced\ndata: \n\n"
        #expect(String(buffer: response.body) == "retry: 2000\n\n" + events)
    }

    @Test("A stream ends before what comes after its token was revoked")
    func revoked() async throws {
        let isRevoked = Mutex(false)
        let response = try await streamed(isAllowed: { !isRevoked.withLock { $0 } }) { call, signal in
            signal.notify()
            if call == 2 { isRevoked.withLock { $0 = true } }
            return [ServerSentEvent(data: "event \(call)")]
        }
        #expect(String(buffer: response.body) == "retry: 2000\n\ndata: event 1\n\n")
    }

    @Test("Of the events of one poll none is written after the token was revoked")
    func revokedMeanwhile() async throws {
        let questions = Mutex(0)
        let isAllowed = { @Sendable () -> Bool in
            questions.withLock { questions in
                questions += 1
                // The first is before the poll.
                return questions <= 3
            }
        }
        let response = try await streamed(isAllowed: isAllowed) { _, signal in
            signal.notify()
            return (1...3).map { ServerSentEvent(data: "event \($0)") }
        }
        #expect(String(buffer: response.body) == "retry: 2000\n\ndata: event 1\n\ndata: event 2\n\n")
    }

    @Test("Many events of one poll are all written, in their order")
    func many() async throws {
        let data = (0..<5).map { String(repeating: "\($0)", count: 10_000) }
        let response = try await streamed { call, signal in
            signal.notify()
            return call == 1 ? data.map { ServerSentEvent(data: $0) } : nil
        }
        #expect(String(buffer: response.body) == "retry: 2000\n\n" + data.map { "data: \($0)\n\n" }.joined())
    }

    @Test(
        "Each line of data has a name, and no return is written",
        arguments: [
            ("", "data: \n\n"), ("a\rb", "data: ab\n\n"), ("a\n", "data: a\ndata: \n\n"),
            ("\r\n", "data: \ndata: \n\n"), ("é\r\nü", "data: é\ndata: ü\n\n"),
        ])
    func lines(data: String, text: String) {
        var buffer = ByteBuffer()
        ServerSentEvent(data: data).write(into: &buffer)
        #expect(String(buffer: buffer) == text)
    }

    @Test("A heartbeat is a comment, is left out where events show as much, and comes where there were none after all")
    func heartbeats() async throws {
        let response = try await streamed { call, signal in
            guard call < 4 else { return nil }
            signal.heartbeat()
            if call < 3 { signal.notify() }
            guard call == 3 else { return call == 1 ? [] : [ServerSentEvent(data: "event \(call)")] }
            Task {
                // Once the heartbeat was taken, and not before.
                while signal.isHeartbeatDue { await Task.yield() }
                signal.notify()
            }
            return []
        }
        #expect(String(buffer: response.body) == "retry: 2000\n\n:\n\ndata: event 2\n\n:\n\n")
    }

    @Test(
        "A request for events is answered in a task of its own, so that the stream's keeps no memory of it",
        arguments: [("text/event-stream", "another task"), ("text/html", "the same task")])
    func ownTask(_ accepted: String, _ expected: String) async throws {
        let service = makeService(tokens: try await TestTokens()) { router in
            router.get("/page") { _, _ in
                let answering = currentTask()
                return Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        let text = currentTask() == answering ? "the same task" : "another task"
                        try await writer.write(ByteBuffer(string: text))
                        try await writer.finish(nil)
                    })
            }
        }
        try await service.application.test(.router) { client in
            let response = try await client.execute(uri: "/page", method: .get, headers: [.accept: accepted])
            #expect(String(buffer: response.body) == expected)
        }
    }

    @Test("A stream polls its source in tasks that are not its own, and keeps what the source has become")
    func polls() async throws {
        let polling = Mutex<[Int?]>([])
        let writing = Mutex<Int?>(nil)
        let isAllowed = { @Sendable () -> Bool in
            writing.withLock { $0 = currentTask() }
            return true
        }
        let response = try await streamed(isAllowed: isAllowed) { call, signal in
            polling.withLock { $0.append(currentTask()) }
            signal.notify()
            return call < 3 ? [ServerSentEvent(data: "event \(call)")] : nil
        }
        #expect(String(buffer: response.body) == "retry: 2000\n\ndata: event 1\n\ndata: event 2\n\n")
        let (writer, polls) = (writing.withLock { $0 }, polling.withLock { $0 })
        #expect(writer != nil && polls.count == 3)
        #expect(!polls.contains(nil) && !polls.contains(writer))
    }

    @Test("When the process is asked to stop, running requests are answered and streams end whole")
    func drain() async throws {
        let configuration = makeConfiguration(drainTimeout: anHour)
        let gate = Gate()
        let (entered, enter) = AsyncStream.makeStream(of: String.self)
        let signal = StreamSignal()
        // The second call comes once the first event has been written, and has nothing.
        let events = Events { call in
            guard call > 1 else {
                signal.notify()
                return [ServerSentEvent(data: "first")]
            }
            enter.yield("stream")
            return []
        }
        let service = makeService(tokens: try await TestTokens(), configuration: configuration) { router in
            router.get("/slow") { _, _ in
                enter.yield("slow")
                await gate.pass()
                return "answered"
            }
            router.get("/stream") { _, context in sseResponse(events, on: signal, in: context) }
        }
        let group = ServiceGroup(services: [service], logger: LogRecorder().logger())
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let port = try #require(await service.listeningPort.first { _ in true })
            async let slow = get("/slow", port: port)
            async let stream = get("/stream", port: port)
            // Where the stream fails, nothing else lets the other request end.
            defer { gate.open() }
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

    @Test(
        "A stream ends with its caller's end of the connection, without anything to write",
        arguments: [RawConnection.finish, RawConnection.close])
    func callerCloses(_ close: @Sendable (RawConnection) -> () -> Void) async throws {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let service = makeService(tokens: try await TestTokens()) { router in
            router.get("/stream") { _, context in
                let held = HeldUntilEnd(leave: { end.finish() })
                return sseResponse(
                    Events { _ in withExtendedLifetime(held) { [] } }, on: StreamSignal(), in: context)
            }
        }
        try await service.application.test(.live) { client in
            let connection = try RawConnection(port: try #require(client.port))
            connection.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await connection.read(endingWith: "retry: 2000\n\n\r\n").hasPrefix("HTTP/1.1 200"))
            close(connection)()
            for await _ in ended {}
        }
    }

    @Test("What still runs at the end of the drain timeout is cancelled")
    func drainTimeout() async throws {
        let configuration = makeConfiguration(drainTimeout: .milliseconds(10))
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

/// Longer than any test may take: tests that compute keep every thread for more than a minute on a busy machine, and
/// what waits meanwhile must not run into a limit that it is not about.
private let anHour = Duration.seconds(3_600)

/// Any port that is free, and idle connections that stay.
private func makeConfiguration(drainTimeout: Duration) -> HTTPConfiguration {
    var configuration = HTTPConfiguration()
    configuration.port = 0
    configuration.idleTimeout = anHour
    configuration.drainTimeout = drainTimeout
    return configuration
}

/// What tells a running task from any other that lives.
private func currentTask() -> Int? { withUnsafeCurrentTask { $0?.hashValue } }

private func get(_ path: String, port: Int) async throws -> String {
    let client = TestClient(
        host: "127.0.0.1", port: port, configuration: .init(timeout: anHour),
        eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton))
    client.connect()
    let response = try await client.get(path)
    try await client.shutdown()
    return response.body.map { String(buffer: $0) } ?? ""
}
