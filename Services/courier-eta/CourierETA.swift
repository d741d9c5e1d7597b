import ArrivalEstimate
import Configuration
import DomainTime
import Foundation
import LiveActivity
import Messages
import NatsClient
import PostgresClient
import ProcessSettings
import ReliableMessaging
import ServiceLifecycle
import ServiceRuntime

/// Couriers, their fixes, and when each delivery arrives; writes its activity from pickup to the door.
@main
struct CourierETA {
    static let process = ServiceProcess(
        name: "courier-eta", schema: "courier_eta",
        migrations: [
            Migration(number: 1, name: "outbox", sql: ReliableMessagingMigration.sql),
            Migration(
                number: 2, name: "courier_eta",
                sql: String(decoding: PackageResources._002_courier_eta_sql, as: UTF8.self)),
            Migration(
                number: 3, name: "phones", sql: String(decoding: PackageResources._003_phones_sql, as: UTF8.self)),
            Migration(
                number: 4, name: "estimate_models",
                sql: String(decoding: PackageResources._004_estimate_models_sql, as: UTF8.self)),
            Migration(
                number: 5, name: "finished_ways",
                sql: String(decoding: PackageResources._005_finished_ways_sql, as: UTF8.self)),
            Migration(
                number: 6, name: "field_terms",
                sql: String(decoding: PackageResources._006_field_terms_sql, as: UTF8.self)),
            Migration(
                number: 7, name: "outbox_without_oldest_index", sql: ReliableMessagingMigration.withoutOldestIndex),
            Migration(number: 8, name: "resync_rounds", sql: ReliableMessagingMigration.resyncRounds),
            Migration(
                number: 9, name: "resync_slices",
                sql: String(decoding: PackageResources._009_resync_slices_sql, as: UTF8.self)),
            Migration(number: 10, name: "lz4", sql: ReliableMessagingMigration.lz4),
            Migration(
                number: 11, name: "malformed_positions",
                sql: String(decoding: PackageResources._011_malformed_positions_sql, as: UTF8.self)),
        ],
        defaults: ["http.port": "8082"])

    /// What `/openapi.yaml` answers.
    static let openAPI = PackageResources.openapi_yaml

    static func main() async {
        await process.run { try await makeServices(reading: $0, telemetry: $1) }
    }

    /// Builds the whole process and starts nothing.
    ///
    /// Order is dependency order: each service may use those before it, and shutdown runs the other way.
    /// - Throws: a configuration error that names the key; nothing has connected yet.
    static func makeServices(reading settings: ConfigReader, telemetry: Telemetry) async throws -> [any Service] {
        let foundation = try await ServiceFoundation(process, reading: settings, telemetry: telemetry)
        let (postgres, clock) = (foundation.postgres, foundation.clock)
        let (metrics, logger) = (foundation.metrics, foundation.logger)
        let partitions = FixPartitions(pool: postgres, clock: clock, logger: logger)
        let models = EstimateModelLoader(pool: postgres, logger: logger)
        let usualRoads = UsualRoads { models.estimator.model.detours }
        let routedRoads = try RoadSettings(reading: settings).engine.map { engine in
            RoutedRoads(
                engine: HTTPRoadEngine(settings: engine), usual: usualRoads, timeout: engine.timeout,
                metrics: metrics, logger: logger)
        }
        let parts = Parts(
            pool: postgres, clock: clock, partitions: partitions, outbox: foundation.relay,
            estimator: { models.estimator }, roads: routedRoads ?? usualRoads,
            dismissal: try DismissalPolicy(reading: settings),
            observeErrors: { EstimateMetrics.record($0, in: metrics) })
        let timers = foundation.timers([DetectSilence.kind: { try await parts.detectSilence($0, in: $1) }])
        let republisher = foundation.republisher(
            of: "deliveries", rows: parts.snapshotRepublisher)

        let ingestFixes = IngestFixes.groupCommit { try await parts.ingestFixes($0) }
        let messages = CourierETAMessages(
            applyDeliveryChange: parts.applyDeliveryChange,
            ingestPosition: IngestPosition(pool: postgres, clock: clock, ingest: ingestFixes))
        let deliveries = foundation.consumer(
            .courierETADeliveries, of: DeliveryChanged.self, handleBatch: { try await messages.handle($0) })
        let positions = foundation.consumer(.courierETAPositions, of: ProviderPosition.self) { message, context in
            try await messages.handle(message, on: context.message.subject)
        }

        let authenticator = IngestAuthenticator(
            pool: postgres, clock: clock, tokens: foundation.stack.tokens, metrics: metrics, logger: logger)
        let ingest = IngestHTTP(
            clock: clock, authenticator: authenticator,
            ingest: ingestFixes, metrics: metrics,
            pagesOrigin: try IngestHTTP.pagesOrigin(reading: settings))
        let routes = CourierETAHTTP(
            pool: postgres, clock: clock,
            operatorRoutes: foundation.operatorRoutes { try await republisher.republishAll() })
        let phones = CourierPhonesHTTP(pool: postgres, clock: clock, authenticator: authenticator)
        let couriers = CourierListHTTP(
            pool: postgres, clock: clock,
            listPositions: ListCourierPositions(pool: postgres, clock: clock, cache: parts.ingestFixes.cache))
        let brokerCheck = foundation.brokerCheck(.courierETA, republisher)
        let http = foundation.http(
            openAPI: openAPI, brokerCheck: brokerCheck, addOwnCredentialRoutes: ingest.addRoutes,
            addRoutes: { router in
                routes.addRoutes(to: router)
                phones.addRoutes(to: router)
                couriers.addRoutes(to: router)
            })
        let own: [any Service] = [
            timers, republisher, deliveries, positions, brokerCheck, partitions,
            foundation.digestResponder(on: Subject.courierETADeliveries) {
                try await DeliveryRepository.lacking($0, on: postgres)
            },
            Retention(pool: postgres, clock: clock, logger: logger), models,
            SummarizeCompletedLegs(pool: postgres, clock: clock, metrics: metrics, logger: logger), authenticator,
        ]
        return foundation.services(own + (routedRoads.map { [$0] } ?? []), http: http)
    }

    /// The use cases over one database and one clock.
    struct Parts: Sendable {
        let ingestFixes: IngestFixes
        let applyDeliveryChange: ApplyDeliveryChange
        let detectSilence: DetectSilence
        let snapshotRepublisher: SnapshotRepublisher

        init(
            pool: PostgresPool, clock: DomainClock, partitions: FixPartitions,
            outbox: any Outbox,
            estimator: @escaping @Sendable () -> ArrivalEstimator = { ArrivalEstimator() },
            roads: any RoadDistance = UsualRoads(), dismissal: DismissalPolicy = .standard,
            observeErrors: @escaping @Sendable ([EstimateError]) -> Void = { _ in }
        ) {
            let tracker = DeliveryTracker(estimator: estimator, roads: roads)
            let trackingMessages = TrackingMessages(intents: ActivityIntents(dismissal: dismissal))
            ingestFixes = IngestFixes(
                pool: pool, clock: clock, partitions: partitions, tracker: tracker, trackingMessages: trackingMessages,
                outbox: outbox)
            applyDeliveryChange = ApplyDeliveryChange(
                pool: pool, clock: clock, tracker: tracker, trackingMessages: trackingMessages, outbox: outbox,
                observeErrors: observeErrors)
            detectSilence = DetectSilence(clock: clock, tracker: tracker, trackingMessages: trackingMessages)
            snapshotRepublisher = SnapshotRepublisher(clock: clock, trackingMessages: trackingMessages)
        }
    }
}

extension IngestHTTP {
    /// Reads the origin of couriers' pages.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `links.origin` | what comes before `/c/` in a link to a courier's page; without it none sends positions | – | no |
    static func pagesOrigin(reading settings: ConfigReader) throws -> String? {
        try settings.origin("links.origin", example: "https://go.nordhavn.example")
    }
}

extension DismissalPolicy {
    /// Reads how long ended cards stay on the Lock Screen; `orders` and `courier-eta` need the same.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `cards.dismissal` | `timed` or `default` | `timed` | no |
    init(reading settings: ConfigReader) throws {
        switch try settings.text("cards.dismissal") ?? "timed" {
        case "timed": self = .standard
        case "default": self = .system
        case let other:
            throw ConfigurationError(
                key: "cards.dismissal", problem: "is \(other)",
                fix: "set it to timed, or to default for the system's four hours")
        }
    }
}
