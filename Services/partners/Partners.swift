import Configuration
import DomainTime
import DoorstepAPI
import Foundation
import Logging
import Messages
import PostgresClient
import ProcessSettings
import ReliableMessaging
import ServiceLifecycle
import ServiceRuntime
import TextCoding
import WebhookSender

/// Receives delivery providers' webhooks, and sends webhooks to shops' systems.
@main
struct Partners {
    static let process = ServiceProcess(
        name: "partners", schema: "partners",
        migrations: [
            Migration(number: 1, name: "outbox", sql: ReliableMessagingMigration.sql),
            Migration(2, "partners", PackageResources._002_partners_sql),
            Migration(
                number: 3, name: "outbox_without_oldest_index", sql: ReliableMessagingMigration.withoutOldestIndex),
            Migration(number: 4, name: "resync_rounds", sql: ReliableMessagingMigration.resyncRounds),
            Migration(number: 5, name: "lz4", sql: ReliableMessagingMigration.lz4),
            Migration(6, "contested_references", PackageResources._006_contested_references_sql),
            Migration(7, "listener_streams", PackageResources._007_listener_streams_sql),
            Migration(
                number: 8, name: "erasures",
                sql: ErasureParts.migration + String(decoding: PackageResources._008_erasures_sql, as: UTF8.self)),
            Migration(9, "courier_erasures", PackageResources._009_courier_erasures_sql),
            Migration(number: 12, name: "personal_reads", sql: PersonalReadLog.migration),
            Migration(13, "receipts_of_couriers", PackageResources._013_receipts_of_couriers_sql),
            Migration(14, "receipt_stores", PackageResources._014_receipt_stores_sql),
            Migration(15, "reference_forms", PackageResources._015_reference_forms_sql),
            Migration(16, "shop_references", PackageResources._016_shop_references_sql),
            Migration(17, "kept_references", PackageResources._017_kept_references_sql),
            Migration(18, "counted_attempts", PackageResources._018_counted_attempts_sql),
            Migration(19, "trimmed_references", PackageResources._019_trimmed_references_sql),
            Migration(20, "receipt_indexes", PackageResources._020_receipt_indexes_sql),
        ],
        defaults: ["http.port": "8085"])

    static func main() async {
        await process.run { try await makeServices(reading: $0, telemetry: $1) }
    }

    /// Builds the whole process and starts nothing.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `partners.origin` | this service's public origin, such as `https://partners.example.com`; without it URLs are paths | – | no |
    /// | `webhooks.allowPrivate` | whether webhooks go to private addresses and by plain `http`; refused in production | `false` | no |
    ///
    /// Order is dependency order: each service may use those before it, and shutdown runs in reverse.
    /// - Throws: a configuration error that names the key; nothing has connected yet.
    static func makeServices(reading settings: ConfigReader, telemetry: Telemetry) async throws -> [any Service] {
        let foundation = try await ServiceFoundation(process, reading: settings, telemetry: telemetry)
        let (postgres, clock, logger) = (foundation.postgres, foundation.clock, foundation.logger)
        let box = try SecretBox(reading: settings)
        let retention = try RetentionTimes(reading: settings)
        let allowsPrivate = try allowsPrivate(reading: settings)
        var sending = WebhookSender.Configuration()
        sending.allowsPrivate = allowsPrivate
        let webhooks = WebhookSender(sending)
        let parts = Parts(
            pool: postgres, clock: clock, box: box, outbox: foundation.relay, allowsPrivate: allowsPrivate,
            missedVersions: MissedVersions(foundation.nats, logger: logger), eventsDays: retention.eventsDays,
            logger: logger, post: { await webhooks.post($0, headers: $1, to: $2) })

        let messages = PartnersMessages(applyDeliveryChange: parts.applyDeliveryChange)
        let deliveries = foundation.consumer(
            .partnersDeliveries, of: DeliveryChangedOutline.self, handleBatch: { try await messages.handle($0) })
        let republisher = foundation.republisher(of: "reports", rows: ReportRepublisher(clock: clock))
        let brokerCheck = foundation.brokerCheck(.partners, republisher)

        let sources = SourceCache(pool: postgres, box: box, logger: logger)
        let inbound = InboundHTTP(
            sources: sources, receive: parts.receive, clock: clock, metrics: foundation.metrics, logger: logger)
        let origin = try settings.origin("partners.origin", example: "https://partners.example.com")
        let routes = parts.routes(
            origin: origin ?? "", sources: sources,
            operatorRoutes: foundation.operatorRoutes(endsKeptDays: retention.deliveriesDays) {
                try await republisher.republishAll()
            })
        return foundation.services(
            [
                webhooks, parts.sender, parts.listeners.streams, parts.upkeep, republisher, brokerCheck,
                foundation.digestResponder(on: Subject.partnersDeliveries) {
                    try await DeliveryRepository.lacking($0, on: postgres)
                },
                ErasureResponder(
                    foundation.nats, .partners, keptDays: retention.deliveriesDays, logger: logger,
                    erase: ErasePerson(pool: postgres, clock: clock).callAsFunction,
                    eraseCourier: EraseCourier(
                        pool: postgres, clock: clock, applyDeliveryChange: parts.applyDeliveryChange
                    ).callAsFunction),
                ExportResponder(
                    foundation.nats, .partners, logger: logger,
                    export: ExportPerson(ExportRecords.sources(on: postgres))),
                Retention(pool: postgres, clock: clock, times: retention, logger: logger),
                QueueSampler(pool: postgres, clock: clock, metrics: foundation.metrics, logger: logger), deliveries,
            ],
            http: foundation.http(
                openAPI: PackageResources.openapi_yaml, queryParameters: PartnersHTTP.queryParameters,
                publicOrigin: origin, brokerCheck: brokerCheck,
                addOwnCredentialRoutes: inbound.addRoutes, addRoutes: routes.addRoutes))
    }

    /// The use cases over one database and one clock.
    struct Parts: Sendable {
        let receive: ReceiveWebhook
        let applyWaiting: ApplyWaiting
        let applyDeliveryChange: ApplyDeliveryChange
        let endpoints: ManageEndpoints
        let repeatEvents: RepeatEvents
        let followEvents: FollowEvents
        let listeners: OpenListeners
        let upkeep: ListenerUpkeep
        let sender: EventSender
        private let pool: PostgresPool
        private let clock: DomainClock
        private let box: SecretBox

        init(
            pool: PostgresPool, clock: DomainClock, box: SecretBox, outbox: any Outbox, allowsPrivate: Bool,
            missedVersions: MissedVersions, eventsDays: Int = RetentionTimes().eventsDays, logger: Logger,
            configuration: EventSender.Configuration = .init(),
            elapsed: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, post: @escaping EventSender.Post
        ) {
            let settle = SettleAttempts(
                pool: pool, clock: clock,
                disabled: { endpoint in
                    logger.warning(
                        "A webhook endpoint is disabled; no events are sent to it",
                        metadata: [
                            "endpoint_id": "\(endpoint.id)", "reason": "\(endpoint.health.disabled?.rawValue ?? "")",
                        ])
                })
            let sender = EventSender(
                pool: pool, clock: clock, configuration: configuration, box: box, settle: settle,
                allowsPlain: allowsPrivate, version: Version.current, logger: logger, elapsed: elapsed,
                post: post)
            let listeners = OpenListeners(logger: logger)
            let wake: @Sendable () -> Void = {
                sender.wake()
                listeners.streams.notifyAll()
            }
            applyWaiting = ApplyWaiting(pool: pool, outbox: outbox)
            receive = ReceiveWebhook(pool: pool, outbox: outbox, applyWaiting: applyWaiting)
            let subscriptions = SubscriptionCache(pool: pool)
            applyDeliveryChange = ApplyDeliveryChange(
                pool: pool, clock: clock, applyWaiting: applyWaiting, subscriptions: subscriptions,
                missedVersions: missedVersions, eventsDays: eventsDays, wake: wake)
            endpoints = ManageEndpoints(
                pool: pool, clock: clock, box: box, allowsPrivate: allowsPrivate, subscriptions: subscriptions,
                makeUUID: { UUID() }, wake: wake)
            repeatEvents = RepeatEvents(pool: pool, clock: clock, makeUUID: { UUID() }, wake: wake)
            followEvents = FollowEvents(pool: pool, endpoints: endpoints, listeners: listeners)
            upkeep = ListenerUpkeep(listeners: listeners, pool: pool, clock: clock, logger: logger)
            (self.sender, self.listeners) = (sender, listeners)
            (self.pool, self.clock, self.box) = (pool, clock, box)
        }

        /// The routes of shops and operators.
        ///
        /// - Parameters:
        ///   - origin: where providers reach this service; empty for paths.
        ///   - sources: the cache of the routes that providers call.
        func routes(origin: String, sources: SourceCache, operatorRoutes: OperatorRoutes) -> PartnersHTTP {
            PartnersHTTP(
                origin: origin,
                sources: ManageSources(
                    pool: pool, clock: clock, box: box, cache: sources, makeUUID: { UUID() }),
                setReference: SetProviderReference(pool: pool, clock: clock, applyWaiting: applyWaiting),
                readReceipts: ReadReceipts(pool: pool), dismissReceipt: DismissReceipt(pool: pool, clock: clock),
                endpoints: endpoints, readEventLog: ReadEventLog(pool: pool), repeatEvents: repeatEvents,
                followEvents: followEvents, operatorRoutes: operatorRoutes, wallNow: { Date() })
        }
    }
}
