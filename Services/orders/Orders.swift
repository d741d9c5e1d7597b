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

/// Owns orders, deliveries and statuses, deep links and what they do, and the board that operators list.
@main
struct Orders {
    static let process = ServiceProcess(
        name: "orders", schema: "orders",
        migrations: [
            Migration(number: 1, name: "outbox", sql: ReliableMessagingMigration.sql),
            Migration(
                number: 2, name: "orders", sql: String(decoding: PackageResources._002_orders_sql, as: UTF8.self)),
            Migration(
                number: 3, name: "miss_probability",
                sql: String(decoding: PackageResources._003_miss_probability_sql, as: UTF8.self)),
            Migration(
                number: 4, name: "courier_owner",
                sql: String(decoding: PackageResources._004_courier_owner_sql, as: UTF8.self)),
            Migration(
                number: 5, name: "drop_off",
                sql: String(decoding: PackageResources._005_drop_off_sql, as: UTF8.self)),
            Migration(
                number: 6, name: "search_and_risk",
                sql: String(decoding: PackageResources._006_search_and_risk_sql, as: UTF8.self)),
            Migration(
                number: 7, name: "outbox_without_oldest_index", sql: ReliableMessagingMigration.withoutOldestIndex),
            Migration(
                number: 8, name: "retention", sql: String(decoding: PackageResources._008_retention_sql, as: UTF8.self)),
            Migration(number: 9, name: "resync_rounds", sql: ReliableMessagingMigration.resyncRounds),
            Migration(
                number: 10, name: "resync_slices",
                sql: String(decoding: PackageResources._010_resync_slices_sql, as: UTF8.self)),
            Migration(
                number: 11, name: "view_links",
                sql: String(decoding: PackageResources._011_view_links_sql, as: UTF8.self)),
            Migration(number: 12, name: "lz4", sql: ReliableMessagingMigration.lz4),
            Migration(
                number: 13, name: "reference_attempts",
                sql: String(decoding: PackageResources._013_reference_attempts_sql, as: UTF8.self)),
            Migration(
                number: 14, name: "courier_pages",
                sql: String(decoding: PackageResources._014_courier_pages_sql, as: UTF8.self)),
            Migration(
                number: 15, name: "reports", sql: String(decoding: PackageResources._015_reports_sql, as: UTF8.self)),
            Migration(
                number: 16, name: "reference_guesses",
                sql: String(decoding: PackageResources._016_reference_guesses_sql, as: UTF8.self)),
            Migration(
                number: 17, name: "reversals",
                sql: String(decoding: PackageResources._017_reversals_sql, as: UTF8.self)),
            Migration(
                number: 18, name: "couriers_in_use",
                sql: String(decoding: PackageResources._018_couriers_in_use_sql, as: UTF8.self)),
        ],
        defaults: ["http.port": "8081"])

    static func main() async {
        await process.run { try await makeServices(reading: $0, telemetry: $1) }
    }

    /// Builds the whole process and starts nothing.
    ///
    /// Order is dependency order: each service may use those before it, and shutdown runs the other way.
    /// - Throws: a configuration error that names the key; nothing has connected yet.
    static func makeServices(reading settings: ConfigReader, telemetry: Telemetry) async throws -> [any Service] {
        let foundation = try await ServiceFoundation(process, reading: settings, telemetry: telemetry)
        let (postgres, clock, relay) = (foundation.postgres, foundation.clock, foundation.relay)
        let links = try LinkSigner(reading: settings)
        let signer = try await TokenSigner(
            kid: try settings.text("tokens.kid") ?? "orders",
            privateKeyPEM: try settings.requiredSecret("tokens.key.file"))

        let deliveryMessages = DeliveryMessages(
            signer: links, intents: OrderIntents(dismissal: try DismissalPolicy(reading: settings)))
        let change = ChangeDelivery(pool: postgres, clock: clock, messages: deliveryMessages, relay: relay)
        let timers = foundation.timers(TimerHandlers(change: change).handlers)
        let republisher = foundation.republisher(
            of: "deliveries", rows: SnapshotRepublisher(clock: clock, messages: deliveryMessages))

        let messages = OrdersMessages(change: change, updateBoard: UpdateBoard(pool: postgres))
        let milestones = foundation.consumer(.ordersMilestones, of: MilestoneReached.self) { message, context in
            try await messages.handle(message, on: context.message.subject)
        }
        let estimates = foundation.consumer(.ordersEstimates, of: EstimateChanged.self) { message, context in
            try await messages.handle(message, on: context.message.subject)
        }
        let cardHealth = foundation.consumer(.ordersCardHealth, of: CardHealthChanged.self) { message, context in
            try await messages.handle(message, on: context.message.subject)
        }

        let reports = foundation.consumer(.ordersReports, of: ProviderReported.self) { message, context in
            try await messages.handle(message, on: context.message.subject)
        }

        let pressLink = PressLink(signer: links, change: change, clock: clock)
        let pages = PageHub(
            nats: foundation.nats, pool: postgres, asker: WantedCardsAsker(foundation.nats), clock: clock,
            logger: foundation.logger)

        let showPage = ShowPage(pressLink: pressLink, hub: pages)

        let brokerCheck = foundation.brokerCheck(.orders, republisher)
        let routes = OrdersHTTP(
            placeOrder: PlaceOrder(
                pool: postgres, clock: clock, messages: deliveryMessages, relay: relay, makeUUID: { UUID() },
                limits: try OrderLimits(reading: settings)),
            readOrders: ReadOrders(pool: postgres), listOrders: ListOrders(pool: postgres, clock: clock),
            listDeliveries: ListDeliveries(pool: postgres, clock: clock),
            change: change, pressLink: pressLink,
            pages: LinkPages(
                show: showPage, prove: ProveOrder(pool: postgres, signer: links, clock: clock),
                setAlerts: SetAlerts(
                    show: showPage, subscriber: AlertSubscriber(foundation.nats), logger: foundation.logger),
                hub: pages),
            courierPages: CourierPages(
                share: ShareCourierPage(pool: postgres, signer: links), show: ShowStops(pool: postgres, clock: clock),
                press: PressStop(change: change), positionsOrigin: try CourierPages.positionsOrigin(reading: settings),
                makeUUID: { UUID() }),
            shareDelivery: ShareDelivery(pool: postgres, signer: links),
            issueToken: IssueToken(signer: signer, wallNow: { Date() }, makeUUID: { UUID() }),
            operatorRoutes: foundation.operatorRoutes { try await republisher.republishAll() },
            customerPacer: try CustomerPacer(reading: settings))
        return foundation.services(
            [
                timers, republisher, milestones, estimates, cardHealth, reports, brokerCheck, pages,
                foundation.digestResponder(on: Subject.ordersEstimates) {
                    try await OrderRepository.lackingEstimates($0, on: postgres)
                },
                foundation.digestResponder(on: Subject.ordersReports) {
                    try await OrderRepository.lackingReports($0, on: postgres)
                },
                foundation.digestResponder(on: Subject.ordersCardHealth) {
                    try await OrderRepository.lackingCardHealth($0, on: postgres)
                },
                RequestResponder(
                    foundation.nats, subject: Subject.deliveryVersions, logger: foundation.logger, waitingMax: 32,
                    answer: ShowVersions(pool: postgres).callAsFunction),
                Retention(pool: postgres, clock: clock, logger: foundation.logger),
                LiveDeliveriesSampler(
                    pool: postgres, clock: clock, metrics: foundation.metrics, logger: foundation.logger),
            ],
            http: foundation.http(
                openAPI: PackageResources.openapi_yaml, publicOrigin: links.origin, brokerCheck: brokerCheck,
                addRoutes: routes.addRoutes))
    }
}

extension OrderLimits {
    /// Reads what an order may be.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `deliveries.customerMax` | whole number; live deliveries of one customer | 60 | no |
    /// | `deliveries.reachMetresMax` | whole number; metres from a store to a door, as the crow flies | 100,000 | no |
    /// | `deliveries.promiseGraceSeconds` | whole number; domain seconds since the end of a promise | 7,200 | no |
    init(reading settings: ConfigReader) throws {
        customerDeliveriesMax = try settings.integer(
            "deliveries.customerMax", in: 10...100_000, default: customerDeliveriesMax)
        reachMetresMax = try settings.integer(
            "deliveries.reachMetresMax", in: 100...20_100_000, default: reachMetresMax)
        promiseGraceSeconds = try settings.integer(
            "deliveries.promiseGraceSeconds", in: 0...31_622_400, default: promiseGraceSeconds)
    }
}

extension CourierPages {
    /// Reads where couriers' pages send positions.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `couriers.origin` | where browsers reach courier-eta, such as `https://couriers.example.com`; without it pages share no positions | – | no |
    static func positionsOrigin(reading settings: ConfigReader) throws -> String? {
        try settings.origin("couriers.origin", example: "https://couriers.example.com")
    }
}

extension LinkSigner {
    /// Reads the origin of links and the keys that sign them.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `links.origin` | what comes before `/l/` in a link | required | no |
    /// | `links.keys.file` | path of lines `id:hex`, 32 bytes or more each; the highest id signs | required | its content |
    init(reading settings: ConfigReader) throws {
        let origin = try settings.requiredText("links.origin", example: "https://go.nordhavn.example")
        let keys = try settings.numberedKeys("links.keys.file")
        do {
            try self.init(origin: origin, keys: keys)
        } catch {
            throw ConfigurationError(error)
        }
    }
}

extension ConfigurationError {
    fileprivate init(_ error: LinkKeyError) {
        switch error {
        case .noKeys:
            self.init(key: "links.keys.file", problem: "holds no key", fix: "add a line id:hex with 32 random bytes")
        case .tooShort(let id):
            self.init(
                key: "links.keys.file", problem: "has key \(id) with fewer than 32 bytes", fix: "make a longer one")
        case .originTooLong(let origin):
            self.init(key: "links.origin", problem: "is too long (\(origin))", fix: "use at most 42 characters")
        }
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
