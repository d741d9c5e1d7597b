internal import AsyncHTTPClient
internal import FlowControl
public import Foundation
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
public import ServiceLifecycle

/// Posts webhooks to untrusted addresses, without letting one lead into the private network.
///
/// The sender resolves the name, checks each address with ``EgressAddress/isPublic``, and connects to a checked
/// address: a later change of the name's DNS records has no effect. It follows no redirect. Run it as a service, so
/// that shutdown lets attempts in flight finish.
public final class WebhookSender: Service, Sendable {
    public struct Configuration: Sendable {
        /// The time-out from the beginning of an attempt to the end of its answer.
        ///
        /// - Source: Standard Webhooks, "Timeouts", asks for 15 to 30 s.
        public var timeout = Duration.seconds(15)
        /// Bytes of an answer's body that are kept.
        public var excerptBytesMax = 1_024
        /// The time-out of the excerpt's bytes; half of the rest of `timeout` where that is less.
        public var excerptTimeout = Duration.seconds(1)
        /// Whether addresses that are not public will do; for tests and a developer's own machine.
        public var allowsPrivate = false
        /// The most addresses with open connections; more exist only while all of them are in use.
        public var addressesMax = 1_024

        public init() {}
    }

    /// The addresses of a name.
    typealias Resolve = @Sendable (String) async throws -> [EgressAddress]

    private let configuration: Configuration
    private let now: @Sendable () -> Date
    private let resolve: Resolve
    private let clients: PinnedClients

    public convenience init(_ configuration: Configuration) {
        self.init(configuration, resolve: { try await NameResolver.system.addresses(of: $0) })
    }

    /// - Parameter now: wall time, which receivers' dates are held against.
    init(
        _ configuration: Configuration, now: @escaping @Sendable () -> Date = { Date() }, resolve: @escaping Resolve
    ) {
        self.configuration = configuration
        self.now = now
        self.resolve = resolve
        clients = PinnedClients(clientsMax: configuration.addressesMax)
    }

    /// Waits for graceful shutdown, which lets attempts in flight finish.
    /// - Throws: never; cancellation begins the shutdown too.
    public func run() async throws {
        // Cancellation ends the wait too.
        try? await gracefulShutdown()
        await clients.shutDown()
    }

    /// Posts a body once, and waits for the answer.
    ///
    /// Cancellation ends the wait at once, as ``WebhookFailure/shuttingDown``: whether anything arrived is not known then.
    public func post(_ body: Data, headers: [(String, String)], to url: WebhookURL) async -> WebhookResult {
        let deadline = ContinuousClock.now + configuration.timeout
        do {
            let result = try await withTimeLimit(configuration.timeout) {
                try await self.attempt(body, headers, url, until: deadline)
            }
            return result ?? .failed(.timedOut)
        } catch {
            if Task.isCancelled { return .failed(.shuttingDown) }
            return .failed(error as? WebhookFailure ?? .connectionLost)
        }
    }

    private func attempt(
        _ body: Data, _ headers: [(String, String)], _ url: WebhookURL, until deadline: ContinuousClock.Instant
    ) async throws -> WebhookResult {
        let addresses = try await resolve(url.host)
        if !configuration.allowsPrivate, let refused = addresses.first(where: { !$0.isPublic }) {
            throw WebhookFailure.addressRefused(refused.description)
        }
        var failure = WebhookFailure.notResolved
        // One that has no way to the first address may have one to the next, which is often of the other version.
        for address in addresses.prefix(Self.addressesTried) {
            do {
                return try await post(body, headers, url, at: address, until: deadline)
            } catch let notConnected as WebhookFailure {
                guard case .notConnected = notConnected else { throw notConnected }
                failure = notConnected
            }
        }
        throw failure
    }

    private static let addressesTried = 3

    private func post(
        _ body: Data, _ headers: [(String, String)], _ url: WebhookURL, at address: EgressAddress,
        until deadline: ContinuousClock.Instant
    ) async throws -> WebhookResult {
        guard let client = clients.checkOut(host: url.host, address: address) else { throw WebhookFailure.shuttingDown }
        defer { clients.checkIn(client) }
        var request = HTTPClientRequest(url: url.text)
        request.method = .POST
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        let remaining = max(deadline - ContinuousClock.now, .zero)
        do {
            let response = try await client.http.execute(request, timeout: TimeAmount(remaining))
            let wait = response.headers.first(name: "retry-after").flatMap {
                RetryAfter.wait($0, date: response.headers.first(name: "date"), now: now())
            }
            // The status is the answer; the body may be slow or endless.
            let patience = min(configuration.excerptTimeout, (deadline - ContinuousClock.now) / 2)
            let excerpt = await excerpt(of: response.body, within: patience)
            return .answered(status: Int(response.status.code), excerpt: excerpt, retryAfter: wait)
        } catch {
            throw WebhookFailure(error)
        }
    }

    /// The beginning of a body; empty where it does not come in time.
    private func excerpt(of body: HTTPClientResponse.Body, within patience: Duration) async -> String {
        // The work throws nothing; a cancelled task waits no longer.
        (try? await withTimeLimit(patience) { await self.excerpt(of: body) }) ?? ""
    }

    /// The beginning of a body; a broken or endless body is no error.
    private func excerpt(of body: HTTPClientResponse.Body) async -> String {
        var bytes: [UInt8] = []
        var parts = body.makeAsyncIterator()
        // A body that breaks off ends the excerpt; the status alone decides about the attempt.
        while bytes.count < configuration.excerptBytesMax, let part = try? await parts.next() {
            bytes += part.readableBytesView.prefix(configuration.excerptBytesMax - bytes.count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension WebhookFailure {
    fileprivate init(_ error: any Error) {
        switch error {
        case is CancellationError: self = .timedOut
        case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout: self = .timedOut
        case let error as HTTPClientError
        where [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout].contains(error):
            self = .notConnected("it took too long")
        case let error as HTTPClientError where error == .cancelled: self = .timedOut
        case let error as NIOConnectionError:
            self = .notConnected(error.connectionErrors.first.map { "\($0.error)" } ?? "refused")
        case let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode):
            self = .notConnected("\(error)")
        default: self = .connectionLost
        }
    }
}
