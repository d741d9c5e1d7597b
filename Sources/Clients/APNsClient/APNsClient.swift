public import Foundation
public import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
public import ServiceLifecycle

/// Sends notifications to Apple's push service and returns each one's result.
///
/// Run it as a service, so that shutdown lets requests in flight finish. It connects on the first request, keeps
/// connections for as long as APNs does, and reconnects after every loss. It never repeats a request, except after an
/// expired provider token: it replaces the token and sends the request once more.
public final class APNsClient: Service, Sendable {
    private let configuration: APNsConfiguration
    private let tokens: ProviderTokens
    private let production: Submissions
    private let sandbox: Submissions
    private let productionCounters = RequestCounters(.production)
    private let sandboxCounters = RequestCounters(.sandbox)

    /// A client that connects to nothing until there is something to send.
    /// - Parameter now: wall time, which provider tokens carry.
    /// - Throws: `APNsConfigurationError` that names the setting.
    public init(
        _ configuration: APNsConfiguration, now: @escaping @Sendable () -> Date = { Date() }, logger: Logger
    ) throws(APNsConfigurationError) {
        try configuration.checkRanges()
        self.configuration = configuration
        tokens = ProviderTokens(
            configuration.key, refreshAfter: configuration.tokenRefresh, now: now, logger: logger)
        let tls = try Self.tls(trusting: configuration.trustRootsFile)
        func submissions(
            _ environment: APNsEnvironment, _ url: String, _ counters: RequestCounters
        ) throws(APNsConfigurationError) -> Submissions {
            let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
            let pool = ConnectionPool(
                environment, endpoint: try APNsEndpoint(url, setting: "apns.\(environment.rawValue).url"), tls: tls,
                configuration: configuration, counters: counters, eventLoop: eventLoop, logger: logger)
            return Submissions(pool, eventLoop: eventLoop)
        }
        production = try submissions(.production, configuration.productionURL, productionCounters)
        sandbox = try submissions(.sandbox, configuration.sandboxURL, sandboxCounters)
    }

    /// Signs a provider token, and waits for graceful shutdown, which lets requests in flight finish.
    /// - Throws: when no token can be signed.
    public func run() async throws {
        _ = try tokens.current()
        // Cancellation ends the wait too.
        try? await gracefulShutdown()
        async let production: Void = production.shutDown()
        async let sandbox: Void = sandbox.shutDown()
        _ = await (production, sandbox)
    }

    /// Sends a request and waits for APNs' answer.
    ///
    /// Cancellation ends the wait at once, and resets the stream if there is one.
    /// - Parameter timeout: for all of it; the configuration's where it is nil.
    public func send(_ request: APNsRequest, timeout: Duration? = nil) async -> APNsResult {
        if let fault = request.fault { return refuse(request, fault) }
        let deadline = NIODeadline.now() + TimeAmount(timeout ?? configuration.requestTimeout)
        do {
            let token = try tokens.current()
            let result = await attempt(PendingPush(request, token: token, deadline: deadline))
            guard case .refused(let refusal) = result,
                let replacement = try tokens.replacement(for: token, refusedWith: refusal)
            else { return result }
            let second = await attempt(PendingPush(request, token: replacement, deadline: deadline))
            if case .refused(let refusal) = second {
                // No third attempt; the state keeps the answer's verdict on the token.
                _ = try? tokens.replacement(for: replacement, refusedWith: refusal)
            }
            return second
        } catch {
            return refuse(request, .noProviderToken("\(error)"))
        }
    }

    private func attempt(_ push: PendingPush) async -> APNsResult {
        let submissions = push.request.environment == .production ? production : sandbox
        let result: APNsResult = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                push.wait(in: continuation)
                submissions.add(.send(push))
            }
        } onCancel: {
            submissions.add(.cancel(push))
        }
        if case .accepted = result { tokens.noteAccepted() }
        return result
    }

    private func refuse(_ request: APNsRequest, _ cause: APNsNotSentCause) -> APNsResult {
        let result = APNsResult.notSent(cause)
        (request.environment == .production ? productionCounters : sandboxCounters).count(result)
        return result
    }

    private static func tls(trusting file: String?) throws(APNsConfigurationError) -> NIOSSLContext {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["h2"]
        if let file { tls.trustRoots = .file(file) }
        do {
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw APNsConfigurationError(
                setting: "apns.trust.roots.file",
                problem: file.map { "the certificates in \($0) cannot be read" } ?? "TLS cannot be set up: \(error)",
                advice: "Give the path of a PEM file with the certificates to trust, or leave it out.")
        }
    }
}
