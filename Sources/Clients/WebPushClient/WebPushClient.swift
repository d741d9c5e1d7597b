internal import AsyncHTTPClient
public import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
public import ServiceLifecycle

/// Sends messages to browsers' push services and returns each one's result.
///
/// Run it as a service, so that shutdown lets messages in flight finish. It connects on the first message. It never
/// repeats a message, not even after a broken connection: the caller decides by
/// ``WebPushUnavailableCause/mayHaveBeenTaken``.
public final class WebPushClient: Service, Sendable {
    /// Bytes of an answer's body that are read, so that its connection can be used again; none is kept.
    private static let answerBytesMax = 16_384

    private let requestTimeout: Duration
    private let tokens: VAPIDTokens
    private let now: @Sendable () -> Date
    private let http: HTTPClient
    private let gate: SendGate
    private let counters = MessageCounters()

    /// A client that connects to nothing until there is something to send.
    /// - Parameter now: wall time, which tokens carry.
    /// - Throws: `WebPushConfigurationError` that names the setting.
    public init(
        _ configuration: WebPushConfiguration, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(WebPushConfigurationError) {
        try configuration.checkRanges()
        requestTimeout = configuration.requestTimeout
        self.now = now
        tokens = VAPIDTokens(configuration.key, now: now)
        gate = SendGate(inFlightMax: configuration.requestsInFlightMax)
        http = HTTPClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: try Self.http(configuration))
    }

    /// A client that never ran has connections too.
    deinit { http.shutdown { _ in } }

    /// Waits for graceful shutdown, which lets messages in flight finish: each has its time-out.
    /// - Throws: the HTTP client's error where it cannot shut down.
    public func run() async throws {
        // Cancellation ends the wait too.
        try? await gracefulShutdown()
        await gate.close()
        try await http.shutdown()
    }

    /// Encrypts a message for one browser, hands it to the push service, and waits for the answer.
    ///
    /// Cancellation ends the wait at once.
    public func send(_ message: WebPushMessage, to subscription: WebPushSubscription) async -> WebPushResult {
        let result = await attempt(message, subscription)
        counters.count(result)
        return result
    }

    private func attempt(_ message: WebPushMessage, _ subscription: WebPushSubscription) async -> WebPushResult {
        if let cause = gate.enter() { return .unavailable(cause) }
        defer { gate.leave() }
        let request: HTTPClientRequest
        do {
            request = try self.request(message, subscription)
        } catch {
            return .unavailable(.notPrepared("\(error)"))
        }
        let start = ContinuousClock.now
        do {
            defer { counters.time(ContinuousClock.now - start) }
            // Its deadline ends with the head of the answer.
            let response = try await http.execute(request, timeout: TimeAmount(requestTimeout))
            let result = WebPushResult(status: response.status, headers: response.headers, now: now())
            await discard(response.body, until: start + requestTimeout)
            return result
        } catch {
            return .unavailable(WebPushUnavailableCause(error))
        }
    }

    /// - Source: RFC 8030, section 5; RFC 8291, section 4; RFC 8292, section 3.
    private func request(
        _ message: WebPushMessage, _ subscription: WebPushSubscription
    ) throws -> HTTPClientRequest {
        var request = HTTPClientRequest(url: subscription.endpoint)
        request.method = .POST
        request.headers = [
            "authorization": try tokens.authorization(for: subscription.address.origin),
            "content-encoding": ContentEncoding.name, "content-type": "application/octet-stream",
            "ttl": "\(message.timeToLive.components.seconds)", "urgency": message.urgency.rawValue,
        ]
        if let topic = message.topic { request.headers.add(name: "topic", value: topic) }
        request.body = .bytes(
            ByteBuffer(bytes: try MessageEncryption.encrypt(message.plaintext, for: subscription)))
        return request
    }

    /// Reads the body after the status, which alone decides.
    private func discard(_ body: HTTPClientResponse.Body, until deadline: ContinuousClock.Instant) async {
        await withTaskGroup { group in
            group.addTask {
                var bytes = 0
                var parts = body.makeAsyncIterator()
                // A body that breaks off changes nothing.
                while bytes < Self.answerBytesMax, let part = try? await parts.next() { bytes += part.readableBytes }
            }
            // Cancellation ends the sleep once the body is read.
            group.addTask { try? await Task.sleep(until: deadline) }
            await group.next()
            group.cancelAll()
        }
    }

    private static func http(
        _ configuration: WebPushConfiguration
    ) throws(WebPushConfigurationError) -> HTTPClient.Configuration {
        var http = HTTPClient.Configuration(tlsConfiguration: try configuration.tls())
        // A redirect would lead past the checks of a subscription.
        http.redirectConfiguration = .disallow
        http.decompression = .disabled
        http.timeout.connect = TimeAmount(configuration.connectTimeout)
        http.connectionPool.idleTimeout = TimeAmount(configuration.idleTimeout)
        http.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.connectionsPerHostMax
        // A repeat by the caller opens the next connection.
        http.connectionPool.retryConnectionEstablishment = false
        // A span would have the endpoint in it, which is a secret.
        http.tracing.tracer = nil
        let unacknowledgedMax = configuration.requestTimeout
        http.http1_1ConnectionDebugInitializer = { $0.dropWhenUnacknowledged(for: unacknowledgedMax) }
        http.http2ConnectionDebugInitializer = { $0.dropWhenUnacknowledged(for: unacknowledgedMax) }
        return http
    }
}

extension Channel {
    /// Sets TCP_USER_TIMEOUT: the kernel ends a connection whose data stays unacknowledged for `duration`.
    ///
    /// The HTTP client sends no PING: over a silently lost connection, the client would send messages while the kernel
    /// retransmits, a quarter of an hour.
    fileprivate func dropWhenUnacknowledged(for duration: Duration) -> EventLoopFuture<Void> {
        #if os(Linux)
            let milliseconds = CInt(clamping: TimeAmount(duration).nanoseconds / 1_000_000)
            let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: TCP_USER_TIMEOUT))
            // A connection without the option works the same until a network fails.
            return setOption(option, value: Int(milliseconds)).recover { _ in }
        #else
            return eventLoop.makeSucceededVoidFuture()
        #endif
    }
}
