import ArrivalEstimate
import Configuration
import DomainTime
import Foundation
import Hummingbird
import LiveActivity
import Messages
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
            Migration(2, "courier_eta", PackageResources._002_courier_eta_sql),
            Migration(3, "phones", PackageResources._003_phones_sql),
            Migration(4, "estimate_models", PackageResources._004_estimate_models_sql),
            Migration(5, "finished_ways", PackageResources._005_finished_ways_sql),
            Migration(6, "field_terms", PackageResources._006_field_terms_sql),
            Migration(
                number: 7, name: "outbox_without_oldest_index", sql: ReliableMessagingMigration.withoutOldestIndex),
            Migration(number: 8, name: "resync_rounds", sql: ReliableMessagingMigration.resyncRounds),
            Migration(9, "resync_slices", PackageResources._009_resync_slices_sql),
            Migration(number: 10, name: "lz4", sql: ReliableMessagingMigration.lz4),
            Migration(11, "malformed_positions", PackageResources._011_malformed_positions_sql),
            Migration(12, "couriers_on_maps", PackageResources._012_couriers_on_maps_sql),
            Migration(number: 13, name: "erasure_parts", sql: ErasureParts.migration),
            Migration(14, "legs_of_couriers", PackageResources._014_legs_of_couriers_sql),
            Migration(number: 17, name: "personal_reads", sql: PersonalReadLog.migration),
            Migration(18, "fix_partitions", PackageResources._018_fix_partitions_sql),
            Migration(19, "store_couriers", PackageResources._019_store_couriers_sql),
        ],
        defaults: ["http.port": "8082"])

    /// The answer of `/openapi.yaml`.
    static let openAPI = PackageResources.openapi_yaml

    static func main() async {
        await process.run { try await makeServices(reading: $0, telemetry: $1) }
    }

    /// Builds the whole process and starts nothing.
    ///
    /// Order is dependency order: each service may use those before it, and shutdown runs in reverse.
    /// - Throws: a configuration error that names the key; nothing has connected yet.
    static func makeServices(reading settings: ConfigReader, telemetry: Telemetry) async throws -> [any Service] {
        let foundation = try await ServiceFoundation(process, reading: settings, telemetry: telemetry)
        let (postgres, clock) = (foundation.postgres, foundation.clock)
        let (metrics, logger) = (foundation.metrics, foundation.logger)
        let retention = try RetentionTimes(reading: settings)
        let models = EstimateModelLoader(pool: postgres, logger: logger)
        let detourFactorDistance = DetourFactorDistance { models.estimator.model.detours }
        let routedRoads = try routedRoads(reading: settings, usual: detourFactorDistance, on: foundation)
        let partitions = FixPartitions(pool: postgres)
        let exemptions = MapExemptions(pool: postgres, logger: logger)
        let distanceOnCards = DistanceOnCards(
            stores: try .distanceOnCards(reading: settings), isExempt: exemptions.includes)
        let parts = Parts(
            pool: postgres, clock: clock, partitions: partitions, outbox: foundation.relay,
            estimator: { models.estimator }, roads: routedRoads ?? detourFactorDistance,
            distanceOnCards: distanceOnCards,
            dismissal: DismissalPolicy(try settings.choice("cards.dismissal", default: .timed)),
            observeErrors: { CourierETAMetrics.record($0, in: metrics) })
        let ingestFixes = IngestFixes.groupCommit { try await parts.ingestFixes($0) }
        let phones = PhoneCache(pool: postgres, clock: clock, logger: logger)
        let republisher = foundation.republisher(of: "deliveries", rows: parts.snapshotRepublisher)
        let brokerCheck = foundation.brokerCheck(.courierETA, republisher)
        let own: [[any Service]] = [
            [foundation.timers(parts.timerHandlers), republisher],
            consumers(parts.applyDeliveryChange, ingestFixes, on: foundation),
            [
                brokerCheck, FixPartitionCreation(partitions: partitions, clock: clock, logger: logger),
                foundation.digestResponder(on: Subject.courierETADeliveries) {
                    try await DeliveryRepository.lacking($0, on: postgres)
                },
                RequestResponder(
                    foundation.nats, subject: Subject.placesWanted, logger: logger, waitingMax: 32,
                    answer: ShowCourierPlaces(pool: postgres, clock: clock).callAsFunction),
                ErasureResponder(
                    foundation.nats, .courierETA, keptDays: retention.estimatesDays,
                    courierDays: retention.phonesDays, logger: logger,
                    erase: parts.erasePerson.callAsFunction, eraseCourier: parts.eraseCourier(phones).callAsFunction),
                ExportResponder(
                    foundation.nats, .courierETA, logger: logger,
                    export: ExportPerson(ExportRecords.sources(on: postgres))),
                Retention(pool: postgres, clock: clock, times: retention, logger: logger), models,
                SummarizeCompletedLegs(pool: postgres, clock: clock, metrics: metrics, logger: logger),
                PhoneRefresh(phones: phones, logger: logger),
            ],
            routedRoads.map { [$0] } ?? [],
            distanceOnCards.isUsed ? [exemptions] : [],
        ]
        let ingest = IngestHTTP(
            clock: clock,
            authenticator: IngestAuthenticator(phones: phones, tokens: foundation.stack.tokens, metrics: metrics),
            ingest: ingestFixes, metrics: metrics, pagesOrigin: try IngestHTTP.pagesOrigin(reading: settings))
        let operatorRoutes = foundation.operatorRoutes(endsKeptDays: retention.estimatesDays) {
            try await republisher.republishAll()
        }
        let http = foundation.http(
            openAPI: openAPI, queryParameters: CourierETAHTTP.queryParameters, brokerCheck: brokerCheck,
            addOwnCredentialRoutes: ingest.addRoutes,
            addRoutes: { parts.addRoutes(to: $0, phones: phones, operatorRoutes: operatorRoutes) })
        return foundation.services(own.flatMap(\.self), http: http)
    }

    /// Distances of the road engine that the settings name; nil where they name none.
    private static func routedRoads(
        reading settings: ConfigReader, usual: DetourFactorDistance, on foundation: ServiceFoundation
    ) throws -> RoutedRoads? {
        try RoadSettings(reading: settings).engine.map { engine in
            RoutedRoads(
                engine: HTTPRoadEngine(settings: engine), usual: usual, timeout: engine.timeout,
                metrics: foundation.metrics, logger: foundation.logger)
        }
    }

    /// The consumers of other services' messages: changes of deliveries, and providers' positions of couriers.
    private static func consumers(
        _ applyDeliveryChange: ApplyDeliveryChange, _ ingestFixes: IngestFixes.GroupCommit,
        on foundation: ServiceFoundation
    ) -> [any Service] {
        let messages = CourierETAMessages(
            applyDeliveryChange: applyDeliveryChange,
            ingestPosition: IngestPosition(pool: foundation.postgres, clock: foundation.clock, ingest: ingestFixes))
        return [
            foundation.consumer(
                .courierETADeliveries, of: DeliveryChanged.self, handleBatch: { try await messages.handle($0) }),
            foundation.consumer(
                .courierETAPositions, of: ProviderPosition.self, handle: { await messages.handle($0.map(\.message)) }),
        ]
    }

    /// The use cases over one database and one clock, and the routes to them.
    struct Parts: Sendable {
        private let pool: PostgresPool
        private let clock: DomainClock
        let ingestFixes: IngestFixes
        let applyDeliveryChange: ApplyDeliveryChange
        private let detectSilence: DetectSilence
        private let estimateTrip: EstimateTrip
        let snapshotRepublisher: SnapshotRepublisher
        let erasePerson: ErasePerson
        private let tracker: DeliveryTracker
        private let previewTrip: PreviewTrip

        init(
            pool: PostgresPool, clock: DomainClock, partitions: FixPartitions,
            outbox: any Outbox,
            estimator: @escaping @Sendable () -> ArrivalEstimator = { ArrivalEstimator() },
            roads: any RoadDistance = DetourFactorDistance(), distanceOnCards: DistanceOnCards = DistanceOnCards(),
            dismissal: DismissalPolicy = .standard,
            observeErrors: @escaping @Sendable ([EstimateError]) -> Void = { _ in }
        ) {
            self.pool = pool
            self.clock = clock
            let tracker = DeliveryTracker(
                estimator: estimator, roads: roads, distanceOnCards: distanceOnCards)
            let trackingMessages = TrackingMessages(intents: ActivityIntents(dismissal: dismissal))
            ingestFixes = IngestFixes(
                pool: pool, clock: clock, partitions: partitions, tracker: tracker, trackingMessages: trackingMessages,
                outbox: outbox)
            applyDeliveryChange = ApplyDeliveryChange(
                pool: pool, clock: clock, tracker: tracker, trackingMessages: trackingMessages, outbox: outbox,
                observeErrors: observeErrors)
            detectSilence = DetectSilence(clock: clock, tracker: tracker, trackingMessages: trackingMessages)
            estimateTrip = EstimateTrip(clock: clock, tracker: tracker, trackingMessages: trackingMessages)
            erasePerson = ErasePerson(pool: pool, tracker: tracker)
            self.tracker = tracker
            previewTrip = PreviewTrip(pool: pool, clock: clock, tracker: tracker)
            snapshotRepublisher = SnapshotRepublisher(clock: clock, trackingMessages: trackingMessages)
        }

        /// - Parameter phones: the process's cache of sending phones.
        func eraseCourier(_ phones: PhoneCache) -> EraseCourier {
            EraseCourier(pool: pool, clock: clock, tracker: tracker, phones: phones)
        }

        /// The handler of each kind of timer.
        var timerHandlers: [String: TimerRunner.Handler] {
            [
                DetectSilence.kind: { try await detectSilence($0, in: $1) },
                EstimateTrip.kind: { try await estimateTrip($0, in: $1) },
            ]
        }

        /// Adds the routes of callers with a token.
        func addRoutes(to router: Router<AppContext>, phones: PhoneCache, operatorRoutes: OperatorRoutes) {
            operatorRoutes.record(CourierETAHTTP.personalReads, on: router)
            CourierETAHTTP(readTracking: ReadTracking(pool: pool), operatorRoutes: operatorRoutes)
                .addRoutes(to: router)
            CourierPhonesHTTP(
                phones: ManagePhones(pool: pool, clock: clock, cache: phones),
                duty: ManageDuty(pool: pool, clock: clock)
            ).addRoutes(to: router)
            CourierMapHTTP(exempt: ExemptFromMap(pool: pool, clock: clock)).addRoutes(to: router)
            CourierListHTTP(
                listCouriers: ListCouriers(pool: pool, clock: clock),
                listPositions: ListCourierPositions(pool: pool, clock: clock, cache: ingestFixes.cache),
                previewTrip: previewTrip
            ).addRoutes(to: router)
        }
    }
}
