import APNsClient
import BackgroundWork
import Configuration
import DomainTime
import Foundation
import InterfaceTexts
import Logging
import Messages
import NatsClient
import PostgresClient
import ReliableMessaging
import ServiceLifecycle
import ServiceRuntime
import WebPushClient

/// Devices, activities, cards and pushes: the wanted states of customers' cards, and their delivery to devices.
@main
struct ActivityDispatch {
    static let process = ServiceProcess(
        name: "activity-dispatch", schema: "activity_dispatch",
        migrations: [
            Migration(number: 1, name: "outbox", sql: ReliableMessagingMigration.sql),
            Migration(2, "activity_dispatch", PackageResources._002_activity_dispatch_sql),
            Migration(3, "store_scope", PackageResources._003_store_scope_sql),
            Migration(4, "device_secret", PackageResources._004_device_secret_sql),
            Migration(5, "device_connections", PackageResources._005_device_connections_sql),
            Migration(6, "device_search", PackageResources._006_device_search_sql),
            Migration(7, "traces", PackageResources._007_traces_sql),
            Migration(8, "cards_on_phones", PackageResources._008_cards_on_phones_sql),
            Migration(9, "what_phones_were_told", PackageResources._009_what_phones_were_told_sql),
            Migration(10, "tokens_and_results", PackageResources._010_tokens_and_results_sql),
            Migration(11, "what_phones_saw", PackageResources._011_what_phones_saw_sql),
            Migration(12, "repeated_ends", PackageResources._012_repeated_ends_sql),
            Migration(13, "updates_in_place", PackageResources._013_updates_in_place_sql),
            Migration(14, "failures_by_reason", PackageResources._014_failures_by_reason_sql),
            Migration(number: 15, name: "resync_rounds", sql: ReliableMessagingMigration.resyncRounds),
            Migration(16, "resync_slices", PackageResources._016_resync_slices_sql),
            Migration(number: 17, name: "lz4", sql: ReliableMessagingMigration.lz4),
            Migration(18, "alert_subscriptions", PackageResources._018_alert_subscriptions_sql),
            Migration(19, "alert_proofs", PackageResources._019_alert_proofs_sql),
            Migration(21, "customers_without_data", PackageResources._021_customers_without_data_sql),
            Migration(22, "updates_by_apps", PackageResources._022_updates_by_apps_sql),
            Migration(23, "scheduled_cards", PackageResources._023_scheduled_cards_sql),
            Migration(number: 24, name: "erasure_parts", sql: ErasureParts.migration),
            Migration(25, "card_totals", PackageResources._025_card_totals_sql),
            Migration(number: 29, name: "personal_reads", sql: PersonalReadLog.migration),
            Migration(30, "cards_removed_by_switch", PackageResources._030_cards_removed_by_switch_sql),
            Migration(31, "events_without_end", PackageResources._031_events_without_end_sql),
            Migration(32, "devices_by_start_token", PackageResources._032_devices_by_start_token_sql),
        ],
        defaults: ["http.port": "8083"])

    /// Received messages with intents that are not yet applied: those of a hot customer leave room for others'.
    static let intentMessagesInFlightMax = 128

    static func main() async {
        await process.run { try await makeServices(reading: $0, telemetry: $1) }
    }

    /// Builds the whole process and starts nothing.
    ///
    /// Order is dependency order: each service may use those before it, and shutdown runs in reverse.
    /// - Throws: a configuration error that names the key; nothing has connected yet.
    static func makeServices(
        reading settings: ConfigReader, telemetry: Telemetry, schema: String = process.schema
    ) async throws -> [any Service] {
        let foundation = try await ServiceFoundation(process, reading: settings, telemetry: telemetry, schema: schema)
        let (postgres, clock, logger) = (foundation.postgres, foundation.clock, foundation.logger)
        let retention = try RetentionTimes(reading: settings)
        let pins = try pinBox(reading: settings)
        let apple = try apple(reading: settings, pins: pins, logger: logger)
        let browsers = try WebPushSettings(reading: settings)
        let transports = Transports(
            stream: StreamTransport(limits: try Limits(reading: settings)), apns: apple?.transport)
        let (wakeSignals, raisedAlerts) = (WakeSignalGroup(), RaisedAlerts())
        let hub = StreamHub(pool: postgres, logger: logger)
        let fanOut = WantedStateFanOut(transports: transports, newID: { UUID() })
        let reconcile = ReconcileDevices(
            pool: postgres, clock: clock, transports: transports, hub: hub,
            queue: PushQueue(clock: clock, app: apple?.transport.bundleID), wakeSignals: wakeSignals,
            outbox: foundation.relay)
        let applyIntent = ApplyIntent(
            pool: postgres, clock: clock, fanOut: fanOut, wakeSignals: wakeSignals, logger: logger,
            reconcile: reconcile, raisedAlerts: browsers == nil ? nil : raisedAlerts)
        let republisher = foundation.republisher(of: "cards", rows: SnapshotRepublisher(clock: clock))
        let brokerCheck = foundation.brokerCheck(.activityDispatch, republisher)
        let routes = try routes(
            on: foundation, reconcile, fanOut, republisher, pins: pins, retention: retention,
            devicesPerCustomerMax: try RegisterDevice.devicesPerCustomerMax(reading: settings))
        let texts = try InstallationTexts(reading: settings, logger: logger)
        let messaging =
            [intents(applyIntent, on: foundation, linkOrigin: try linkOrigin(reading: settings))]
            + answers(
                on: foundation, wakeSignals, alertKey: browsers?.client.key.applicationServerKey, retention: retention)
        return foundation.services(
            [apple?.client].compactMap(\.self)
                + (try browsers.map { try alerts(to: $0, raisedAlerts, in: texts, on: foundation) } ?? []) + [
                    foundation.timers(
                        [WantedStateFanOut.summaryTimer: applyIntent.summaryIsDue],
                        afterCommit: { wakeSignals.wake() }),
                    republisher,
                    foundation.republisher(
                        of: "devices", afterCommit: { wakeSignals.wake() }, rows: DevicesToReconcile(clock: clock)),
                    Dispatcher(reconcile, logger: logger), hub.streams,
                    StreamNotices(nats: foundation.nats, hub: hub, logger: logger),
                    DeviceConnections(pool: postgres, clock: clock, hub: hub, logger: logger),
                    brokerCheck,
                ] + messaging + [
                    Retention(pool: postgres, clock: clock, times: retention, logger: logger),
                    BehindCardsSampler(pool: postgres, clock: clock, logger: logger),
                    CardCounter(
                        countCards: CountCards(pool: postgres, clock: clock, process: UUID()),
                        measureCards: MeasureCards(pool: postgres, clock: clock), clock: clock, logger: logger),
                ],
            http: foundation.http(
                openAPI: PackageResources.openapi_yaml, queryParameters: DispatchHTTP.queryParameters,
                brokerCheck: brokerCheck, addRoutes: routes.addRoutes))
    }

    /// Apple's push service; nil where it is not set up.
    private static func apple(
        reading settings: ConfigReader, pins: PINBox?, logger: Logger
    ) throws -> (client: APNsClient, transport: APNsTransport)? {
        guard let apns = try APNsSettings(reading: settings) else { return nil }
        let client = try checked { try APNsClient(apns.client, logger: logger) }
        let limits = try Limits.apns(reading: settings)
        return (client, APNsTransport(client: client, bundleID: apns.bundleID, limits: limits, pins: pins))
    }

    /// Consumes intents.
    private static func intents(
        _ applyIntent: ApplyIntent, on foundation: ServiceFoundation, linkOrigin: String?
    ) -> some Service {
        let messages = DispatchMessages(intents: IntentBatcher { try await applyIntent($0) }, linkOrigin: linkOrigin)
        return foundation.consumer(
            .activityDispatchIntents, of: Intent.self, inFlightMessagesMax: intentMessagesInFlightMax,
            handle: { await messages.handle($0) })
    }

    /// Answers other services' requests over the broker.
    private static func answers(
        on foundation: ServiceFoundation, _ wakeSignals: WakeSignalGroup, alertKey: String?,
        retention: RetentionTimes
    ) -> [any Service] {
        let (postgres, clock) = (foundation.postgres, foundation.clock)
        return [
            foundation.digestResponder(on: Subject.activityDispatchIntents) {
                try await ActivityRepository.lacking($0, at: clock.now, on: postgres)
            },
            RequestResponder(
                foundation.nats, subject: Subject.cardsWanted, logger: foundation.logger, waitingMax: 32,
                answer: ShowWantedCards(pool: postgres, alertKey: alertKey).callAsFunction),
            ErasureResponder(
                foundation.nats, .activityDispatch, keptDays: retention.activitiesDays, logger: foundation.logger,
                erase: ErasePerson(pool: postgres, clock: clock, wakeSignals: wakeSignals).callAsFunction,
                eraseCourier: EraseCourier(pool: postgres, clock: clock).callAsFunction),
            ExportResponder(
                foundation.nats, .activityDispatch, logger: foundation.logger,
                export: ExportPerson(ExportRecords.sources(on: postgres))),
        ]
    }

    private static func routes(
        on foundation: ServiceFoundation, _ reconcile: ReconcileDevices, _ fanOut: WantedStateFanOut,
        _ republisher: Republisher, pins: PINBox?, retention: RetentionTimes, devicesPerCustomerMax: Int
    ) throws -> DispatchHTTP {
        let (postgres, clock) = (foundation.postgres, foundation.clock)
        let (hub, transports, wakeSignals) = (reconcile.hub, reconcile.transports, reconcile.wakeSignals)
        let resync = ResyncCards(pool: postgres, clock: clock, republisher: republisher, wakeSignals: wakeSignals)
        return DispatchHTTP(
            clock: clock,
            registerDevice: RegisterDevice(
                pool: postgres, clock: clock, fanOut: fanOut, hub: hub, wakeSignals: wakeSignals,
                outbox: reconcile.outbox, devicesPerCustomerMax: devicesPerCustomerMax,
                devicesDays: retention.devicesDays),
            applyReports: ApplyReports(
                pool: postgres, clock: clock, fanOut: fanOut, wakeSignals: wakeSignals, outbox: reconcile.outbox),
            showActivity: ShowActivity(pool: postgres),
            showPhones: ShowPhones(
                pool: postgres, clock: clock, transports: transports, circuit: reconcile.queue.circuit),
            showWanted: ShowWanted(pool: postgres, clock: clock, transports: transports, pins: pins),
            overrideCards: OverrideCards(pool: postgres, clock: clock, wakeSignals: wakeSignals),
            findDevices: FindDevices(pool: postgres),
            makeCardReport: MakeCardReport(pool: postgres, clock: clock, daysMax: retention.totalsDays),
            followCards: FollowCards(pool: postgres, clock: clock, hub: hub, pins: pins),
            operatorRoutes: foundation.operatorRoutes(endsKeptDays: retention.activitiesDays) { try await resync() },
            wall: { Date() })
    }
}

extension ActivityDispatch {
    /// The services that notify browsers.
    private static func alerts(
        to browsers: WebPushSettings, _ raised: RaisedAlerts, in texts: InstallationTexts,
        on foundation: ServiceFoundation
    ) throws -> [any Service] {
        let client = try checked { try WebPushClient(browsers.client) }
        let subscribe = SubscribeToAlerts(
            pool: foundation.postgres, clock: foundation.clock, hosts: browsers.hosts,
            wakeSender: { raised.signal.wake() })
        return [
            client,
            AlertSender(
                pool: foundation.postgres, clock: foundation.clock, hosts: browsers.hosts, raised: raised,
                texts: texts, logger: foundation.logger, send: { await client.send($0, to: $1) }),
            RequestResponder(
                foundation.nats, subject: Subject.alertSubscriptions, logger: foundation.logger, waitingMax: 32,
                answer: subscribe.callAsFunction),
        ]
    }
}
