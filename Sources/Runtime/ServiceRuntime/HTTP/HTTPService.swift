internal import BackgroundWork
package import Foundation
internal import HTTPTypes
package import Hummingbird
package import Logging
internal import NIOCore
internal import ServiceLifecycle

/// A service's HTTP port: its routes, and the middleware that all services share.
///
/// Adds `GET /health/live`, `/health/ready`, `/metrics` and `/openapi.yaml`, which need no token and are never refused
/// for load. Every other request passes, in this order: trace, log and metrics, address, problems, query parameters, bad
/// tokens, body size, token, rate, the wait for its body, and a slot. Routes that authenticate by other credentials, and bound their bodies and
/// rates themselves, leave the chain after bad tokens, and acquire a slot when they have work to do.
///
/// On graceful shutdown readiness turns false, the port accepts no connections, running requests finish within
/// `drainTimeout`, and event streams are ended; requests that still run after that are cancelled.
package final class HTTPService: Service, CustomStringConvertible {
    /// The server, not started; tests run requests against it.
    package let application: Application<StreamsInOwnTasks<RouterResponder<AppContext>>>
    /// Every route as `GET /v1/orders/{id}`, sorted, for the check against the OpenAPI document.
    package let routes: [String]
    /// The query parameters that the routes read, for the check against the OpenAPI document.
    package let queryParameters: QueryParameters
    /// The port that is listened on, once it is; for one reader.
    package let listeningPort: AsyncStream<Int>
    let drain = DrainState()
    private let readiness: SharedReadiness
    private let configuration: HTTPConfiguration
    private let name: String
    private let logger: Logger

    /// Builds the port without listening yet.
    ///
    /// - Parameters:
    ///   - openAPI: the content of `/openapi.yaml`.
    ///   - queryParameters: the query parameters of the routes; a request with any other is refused.
    ///   - publicOrigin: the service's public origin, such as `https://desk.example.com`; with `https` the answers
    ///     restrict browsers to TLS for the host.
    ///   - tracer: of the requests' spans; records nothing by default.
    ///   - wall: the wall clock for the expiry of tokens.
    ///   - addOwnCredentialRoutes: adds routes that authenticate their callers themselves.
    ///   - addRoutes: adds the service's own routes.
    package init(
        configuration: HTTPConfiguration, name: String, openAPI: [UInt8], queryParameters: QueryParameters,
        publicOrigin: String? = nil,
        readiness: [ReadinessCheck],
        metrics: MetricsRegistry, tracer: SpanTracer = SpanTracer(), tokens: TokenVerifier, logger: Logger,
        wall: @escaping @Sendable () -> Date = { Date() },
        addOwnCredentialRoutes: (Router<AppContext>) -> Void = { _ in },
        addRoutes: (Router<AppContext>) throws -> Void
    ) rethrows {
        self.configuration = configuration
        self.name = name
        self.queryParameters = queryParameters
        self.logger = logger
        let sharedReadiness = SharedReadiness(readiness, metrics: metrics)
        self.readiness = sharedReadiness
        let (listeningPort, listening) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        self.listeningPort = listeningPort
        let routeTable = RouteTable()
        let router = Router(context: AppContext.self, options: .autoGenerateHeadEndpoints)

        router.add(middleware: TraceMiddleware(tracer: tracer))
        router.add(
            middleware: ObserveMiddleware(metrics: metrics, loggedPerSecond: configuration.loggedRequestsPerSecond))
        router.add(middleware: ClientAddressMiddleware(proxies: configuration.trustedProxies))
        if publicOrigin?.hasPrefix("https:") == true { router.add(middleware: TransportSecurityMiddleware()) }
        router.add(middleware: ProblemMiddleware(routes: routeTable))
        router.add(middleware: QueryParametersMiddleware(parameters: queryParameters))
        addStandardRoutes(
            to: router, name: name, openAPI: openAPI, readiness: sharedReadiness, metrics: metrics, drain: drain)

        router.add(middleware: ExpectContinueMiddleware())
        router.add(middleware: BadTokenMiddleware(configuration: configuration, metrics: metrics))
        router.add(
            middleware: SlotsMiddleware(
                slots: RequestSlots(configuration: configuration, metrics: metrics),
                memory: BodyMemory(configuration: configuration, metrics: metrics),
                pacer: BodyPacer(configuration: configuration, metrics: metrics)))
        addOwnCredentialRoutes(router)
        router.add(middleware: BodySizeMiddleware(bodyBytesMax: configuration.bodyBytesMax))
        router.add(middleware: TokenMiddleware(tokens: tokens, wall: wall))
        router.add(middleware: RateMiddleware(configuration: configuration, metrics: metrics))
        router.add(middleware: BodyMiddleware(bodyBytesMax: configuration.bodyBytesMax))
        try addRoutes(router)

        let all = router.routes.map { RouteTable.Route(method: $0.method.rawValue, path: $0.path.description) }
        routeTable.set(all)
        routes = all.map { "\($0.method) \($0.path)" }.sorted()
        let connections = Connections(configuration: configuration, metrics: metrics)
        application = Application(
            responder: StreamsInOwnTasks(responder: router.buildResponder()),
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [
                        ConnectionLimits(
                            connections: connections, bodyTimeout: TimeAmount(configuration.bodyTimeout))
                    ], idleTimeout: TimeAmount(configuration.idleTimeout))),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: nil),
            onServerRunning: { channel in
                do {
                    try await DeadPeerDetection.enable(on: channel)
                } catch {
                    logger.warning(
                        "vanished peers will be detected late", metadata: ["reason": "\(error)"])
                }
                if let port = channel.localAddress?.port { listening.yield(port) }
                listening.finish()
            },
            logger: logger)
    }

    package var description: String { "\(name) http" }

    /// Reports readiness every 15 s, so that its metric is right where no prober asks.
    var readinessSampling: PeriodicTask {
        let (readiness, drain) = (readiness, drain)
        return PeriodicTask("readiness", every: .seconds(15), logger: logger) {
            _ = await readiness.report(isDraining: drain.isDraining)
        }
    }

    /// Serves until the process is asked to stop and running requests have ended, or `drainTimeout` has passed.
    /// - Throws: the error of a port that cannot be bound.
    package func run() async throws {
        // The first service to receive the shutdown: readiness is false before a stream ends or the port closes.
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.application.run() }
                group.addTask {
                    try await gracefulShutdown()
                    try await Task.sleep(for: self.configuration.drainTimeout)
                    self.logger.warning("requests still ran at the end of the drain timeout and are cancelled")
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } onGracefulShutdown: {
            self.drain.begin()
        }
    }
}
