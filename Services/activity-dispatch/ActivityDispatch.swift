import APNsClient
import BackgroundWork
import Configuration
import DomainTime
import FlowControl
import Foundation
import Messages
import NatsClient
import PostgresClient
import ProcessSettings
import ReliableMessaging
import ServiceLifecycle
import ServiceRuntime
import WebPushClient

/// Devices, activities, cards and pushes: what customers should see, and making their devices show it.
@main
struct ActivityDispatch {
    static let process = ServiceProcess(
        name: "activity-dispatch", schema: "activity_dispatch",
        migrations: [
            Migration(number: 1, name: "outbox", sql: ReliableMessagingMigration.sql),
            Migration(
                number: 2, name: "activity_dispatch",
                sql: String(decoding: PackageResources._002_activity_dispatch_sql, as: UTF8.self)),
            Migration(
                number: 3, name: "store_scope",
                sql: String(decoding: PackageResources._003_store_scope_sql, as: UTF8.self)),
            Migration(
                number: 4, name: "device_secret",
                sql: String(decoding: PackageResources._004_device_secret_sql, as: UTF8.self)),
            Migration(
                number: 5, name: "device_connections",
                sql: String(decoding: PackageResources._005_device_connections_sql, as: UTF8.self)),
            Migration(
                number: 6, name: "device_search",
                sql: String(decoding: PackageResources._006_device_search_sql, as: UTF8.self)),
            Migration(
                number: 7, name: "traces", sql: String(decoding: PackageResources._007_traces_sql, as: UTF8.self)),
            Migration(
                number: 8, name: "cards_on_phones",
                sql: String(decoding: PackageResources._008_cards_on_phones_sql, as: UTF8.self)),
            Migration(
                number: 9, name: "what_phones_were_told",
                sql: String(decoding: PackageResources._009_what_phones_were_told_sql, as: UTF8.self)),
            Migration(
                number: 10, name: "tokens_and_results",
                sql: String(decoding: PackageResources._010_tokens_and_results_sql, as: UTF8.self)),
            Migration(
                number: 11, name: "what_phones_saw",
                sql: String(decoding: PackageResources._011_what_phones_saw_sql, as: UTF8.self)),
            Migration(
                number: 12, name: "repeated_ends",
                sql: String(decoding: PackageResources._012_repeated_ends_sql, as: UTF8.self)),
            Migration(
                number: 13, name: "updates_in_place",
                sql: String(decoding: PackageResources._013_updates_in_place_sql, as: UTF8.self)),
            Migration(
                number: 14, name: "failures_by_reason",
                sql: String(decoding: PackageResources._014_failures_by_reason_sql, as: UTF8.self)),
            Migration(number: 15, name: "resync_rounds", sql: ReliableMessagingMigration.resyncRounds),
            Migration(
                number: 16, name: "resync_slices",
                sql: String(decoding: PackageResources._016_resync_slices_sql, as: UTF8.self)),
            Migration(number: 17, name: "lz4", sql: ReliableMessagingMigration.lz4),
            Migration(
                number: 18, name: "alert_subscriptions",
                sql: String(decoding: PackageResources._018_alert_subscriptions_sql, as: UTF8.self)),
            Migration(
                number: 19, name: "alert_proofs",
                sql: String(decoding: PackageResources._019_alert_proofs_sql, as: UTF8.self)),
            Migration(
                number: 21, name: "customers_without_data",
                sql: String(decoding: PackageResources._021_customers_without_data_sql, as: UTF8.self)),
            Migration(
                number: 22, name: "updates_by_apps",
                sql: String(decoding: PackageResources._022_updates_by_apps_sql, as: UTF8.self)),
        ],
        defaults: ["http.port": "8083"])

    /// Intents that are taken and not applied: those that a crowded customer's wait for leave room for others'.
    static let intentsInFlightMax = 512

    static func main() async {
        await process.run { try await makeServices(reading: $0, telemetry: $1) }
    }

    /// Builds the whole process and starts nothing.
    ///
    /// Order is dependency order: each service may use those before it, and shutdown runs the other way.
    /// - Throws: a configuration error that names the key; nothing has connected yet.
    static func makeServices(
        reading settings: ConfigReader, telemetry: Telemetry, schema: String = process.schema
    ) async throws -> [any Service] {
        let foundation = try await ServiceFoundation(process, reading: settings, telemetry: telemetry, schema: schema)
        let (postgres, clock, logger) = (foundation.postgres, foundation.clock, foundation.logger)
        let apns = try APNsSettings(reading: settings)
        let apnsClient = try apns.map { apns in
            try APNsSettings.checked { try APNsClient(apns.client, logger: logger) }
        }
        let transports = Transports(
            stream: StreamTransport(limits: try Limits(reading: settings)),
            apns: try apnsClient.flatMap { client in
                try apns.map { APNsTransport(client, bundleID: $0.bundleID, limits: try .apns(reading: settings)) }
            })

        let webPush = try WebPushSettings(reading: settings)
        let raisedAlerts = RaisedAlerts()

        let wakeSignals = WakeSignalGroup()
        let hub = StreamHub(pool: postgres, logger: logger)
        let fanOut = WantedStateFanOut(transports: transports, newID: { UUID() })
        let dispatcher = Dispatcher(
            pool: postgres, clock: clock, transports: transports, hub: hub, wakeSignals: wakeSignals,
            outbox: foundation.relay, logger: logger)
        let applyIntent = ApplyIntent(
            pool: postgres, clock: clock, fanOut: fanOut, wakeSignals: wakeSignals, dispatcher: dispatcher,
            raisedAlerts: webPush == nil ? nil : raisedAlerts)
        let timers = foundation.timers(
            [WantedStateFanOut.summaryTimer: applyIntent.summaryIsDue], afterCommit: { wakeSignals.wake() })
        let republisher = foundation.republisher(
            of: "cards",
            rows: SnapshotRepublisher(clock: clock))

        let lackingDevices = foundation.republisher(
            of: "devices", afterCommit: { wakeSignals.wake() }, rows: LackingDevices(clock: clock))

        let messages = DispatchMessages(
            intents: IntentBatcher { try await applyIntent($0) }, linkOrigin: try linkOrigin(reading: settings))
        let intents = foundation.consumer(
            .activityDispatchIntents, of: Intent.self, inFlightMessagesMax: intentsInFlightMax,
            handle: { try await messages.handle($0, $1) })

        let resync = ResyncCards(pool: postgres, clock: clock, republisher: republisher, wakeSignals: wakeSignals)
        let brokerCheck = foundation.brokerCheck(.activityDispatch, republisher)
        let routes = DispatchHTTP(
            pool: postgres, clock: clock,
            registerDevice: RegisterDevice(
                pool: postgres, clock: clock, fanOut: fanOut, hub: hub, wakeSignals: wakeSignals,
                devicesPerCustomerMax: try RegisterDevice.devicesPerCustomerMax(reading: settings)),
            applyReports: ApplyReports(pool: postgres, clock: clock, fanOut: fanOut, wakeSignals: wakeSignals),
            showActivity: ShowActivity(pool: postgres),
            showPhones: ShowPhones(
                pool: postgres, clock: clock, transports: transports, circuit: { dispatcher.circuit($0) }),
            showWanted: ShowWanted(pool: postgres, clock: clock, transports: transports),
            overrideCards: OverrideCards(pool: postgres, clock: clock, wakeSignals: wakeSignals), hub: hub,
            operatorRoutes: foundation.operatorRoutes { try await resync() }, wall: { Date() })
        let browserAlerts = try webPush.map { try alerts(to: $0, raisedAlerts, on: foundation) } ?? []
        return foundation.services(
            (apnsClient.map { [$0] } ?? []) + browserAlerts + [
                timers, republisher, lackingDevices, dispatcher, hub,
                StreamNotices(nats: foundation.nats, hub: hub, logger: logger),
                DeviceConnections(pool: postgres, clock: clock, hub: hub, logger: logger), intents, brokerCheck,
                foundation.digestResponder(on: Subject.activityDispatchIntents) {
                    try await ActivityRepository.lacking($0, at: clock.now, on: postgres)
                },
                RequestResponder(
                    foundation.nats, subject: Subject.cardsWanted, logger: logger, waitingMax: 32,
                    answer: ShowWantedCards(
                        pool: postgres, alertKey: webPush?.client.key.applicationServerKey
                    ).callAsFunction),
                Retention(pool: postgres, clock: clock, logger: logger),
                BehindCardsSampler(pool: postgres, clock: clock, logger: logger),
            ],
            http: foundation.http(
                openAPI: PackageResources.openapi_yaml, brokerCheck: brokerCheck, addRoutes: routes.addRoutes))
    }
}

extension ActivityDispatch {
    /// What notifies browsers.
    private static func alerts(
        to browsers: WebPushSettings, _ raised: RaisedAlerts, on foundation: ServiceFoundation
    ) throws -> [any Service] {
        let client = try WebPushSettings.checked { try WebPushClient(browsers.client) }
        let subscribe = SubscribeToAlerts(
            pool: foundation.postgres, clock: foundation.clock, hosts: browsers.hosts,
            wakeSender: { raised.signal.wake() })
        return [
            client,
            AlertSender(
                pool: foundation.postgres, clock: foundation.clock, hosts: browsers.hosts, raised: raised,
                logger: foundation.logger, send: { await client.send($0, to: $1) }),
            RequestResponder(
                foundation.nats, subject: Subject.alertSubscriptions, logger: foundation.logger, waitingMax: 32,
                answer: subscribe.callAsFunction),
        ]
    }

    /// The origin of the links that cards may carry.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `links.origin` | as of `orders`; a button with another link is left out | none: links are not checked | no |
    static func linkOrigin(reading settings: ConfigReader) throws -> String? { try settings.text("links.origin") }
}

extension RegisterDevice {
    /// How many devices a customer may have.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `devices.customerMax` | whole number; devices of one customer | 20 | no |
    static func devicesPerCustomerMax(reading settings: ConfigReader) throws -> Int {
        try settings.integer("devices.customerMax", in: 1...1000, default: 20)
    }
}

extension Limits {
    /// The limits of the device stream.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `cards.deviceMax` | whole number; cards of ours on one device | 5 | no |
    init(reading settings: ConfigReader) throws {
        self = .stream
        cardsPerDeviceMax = try settings.integer("cards.deviceMax", in: 1...50, default: cardsPerDeviceMax)
    }

    /// The limits of pushes through Apple.
    ///
    /// Apple publishes no budgets: these are what apps meet in the field.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `cards.deviceMax` | whole number; cards of ours on one device | 5 | no |
    /// | `budgets.cardHour` | whole number; pushes of priority 10 to one card in an hour | 15 | no |
    /// | `budgets.cardHourInfrequent` | the same with frequent updates switched off | 4 | no |
    /// | `budgets.deviceHour` | whole number; pushes of priority 10 to one device in an hour | 30 | no |
    /// | `budgets.deviceHourInfrequent` | the same with frequent updates switched off | 6 | no |
    /// | `budgets.starts` | whole number; starts on one device at once | 8 | no |
    /// | `budgets.startInterval` | whole number; seconds until one more start | 1800 | no |
    static func apns(reading settings: ConfigReader) throws -> Limits {
        func hourly(_ key: String, default count: Int) throws -> TokenBucket.Size {
            let count = try settings.integer(key, in: 1...3600, default: count)
            return TokenBucket.Size(capacity: Double(count), secondsPerToken: 3600 / Double(count))
        }
        var limits = Limits.apns
        limits.cardsPerDeviceMax = try settings.integer(
            "cards.deviceMax", in: 1...50, default: limits.cardsPerDeviceMax)
        limits.urgentPushes = try hourly("budgets.cardHour", default: 15)
        limits.infrequentUrgentPushes = try hourly("budgets.cardHourInfrequent", default: 4)
        limits.deviceUrgentPushes = try hourly("budgets.deviceHour", default: 30)
        limits.infrequentDeviceUrgentPushes = try hourly("budgets.deviceHourInfrequent", default: 6)
        limits.starts = TokenBucket.Size(
            capacity: Double(try settings.integer("budgets.starts", in: 1...100, default: 8)),
            secondsPerToken: Double(try settings.integer("budgets.startInterval", in: 1...86_400, default: 1800)))
        return limits
    }
}
