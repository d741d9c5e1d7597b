package import Configuration
package import DomainTime
package import Hummingbird
package import Logging
package import NatsClient
package import PostgresClient
internal import ProcessSettings
package import ServiceLifecycle

/// The foundation of a process with a database, a broker and a port: settings, pool, connection, readiness and HTTP.
///
/// Nothing connects or starts before the result of ``services(_:http:)`` runs.
package struct ProcessFoundation: Sendable {
    package let stack: StackSettings
    package let logger: Logger
    package let metrics: MetricsRegistry
    package let postgres: PostgresPool
    package let nats: NatsClient
    /// The recorder of reads of personal data.
    package let reads: PersonalReadRecorder
    private let process: ServiceProcess
    private let tracer: SpanTracer
    private let exporter: SpanExporter?

    /// Reads the settings that all services share.
    ///
    /// | Key | Type | Unit | Default | Secret |
    /// |---|---|---|---|---|
    /// | `retention.readsDays` | whole number, 31 to 3,650 | days | 365 | no |
    ///
    /// - Parameter schema: the service's schema in Postgres, where it is not the process's own.
    /// - Throws: ``ConfigurationError`` for the first key with a fault.
    package init(
        _ process: ServiceProcess, reading settings: ConfigReader, telemetry: Telemetry, schema: String? = nil
    ) async throws {
        stack = try await StackSettings(reading: settings, schema: schema ?? process.schema)
        logger = telemetry.logger
        metrics = telemetry.metrics
        tracer = telemetry.tracer
        exporter = telemetry.exporter
        postgres = PostgresPool(stack.postgres, logger: logger)
        nats = NatsClient(stack.nats, logger: logger)
        reads = PersonalReadRecorder(
            pool: postgres, clock: stack.clock,
            keptDays: try settings.integer(
                "retention.readsDays", in: PersonalReadLog.readsDaysRange, default: PersonalReadLog.readsDays),
            logger: logger)
        self.process = process
    }

    /// The domain clock of the stack.
    package var clock: DomainClock { stack.clock }

    /// The HTTP port, ready when the database and its schema are; it answers requests even without the broker.
    ///
    /// - Parameters: as of ``HTTPService``; `checks` are added to the detail of readiness.
    package func http(
        openAPI: [UInt8], queryParameters: QueryParameters, publicOrigin: String? = nil,
        checks: [ReadinessCheck] = [],
        addOwnCredentialRoutes: (Router<AppContext>) -> Void = { _ in },
        addRoutes: (Router<AppContext>) throws -> Void
    ) rethrows -> HTTPService {
        let (postgres, nats) = (postgres, nats)
        return try HTTPService(
            configuration: stack.http, name: process.name, openAPI: openAPI, queryParameters: queryParameters,
            publicOrigin: publicOrigin,
            readiness: [
                ReadinessCheck(name: "postgres") { try await postgres.check() },
                process.schemaCheck(on: postgres),
                ReadinessCheck(name: "nats", isRequired: false) { try await nats.check() },
            ] + checks,
            metrics: metrics, tracer: tracer, tokens: stack.tokens, logger: logger,
            addOwnCredentialRoutes: addOwnCredentialRoutes,
            addRoutes: addRoutes)
    }

    /// All services in dependency order: each may use those before it, and shutdown runs in reverse, so that the
    /// exporter sends the spans of all others' last work.
    ///
    /// - Parameter own: the process's own services, between the connections and the port.
    package func services(_ own: [any Service], http: HTTPService) -> [any Service] {
        let first: [any Service] = exporter.map { [$0] } ?? []
        return first + [
            freeMemoryReturn(logger: logger), stack.tokens.reloading(logger: logger), postgres, nats, reads,
        ]
            + own + [http.readinessSampling, http]
    }
}
