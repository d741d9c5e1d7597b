import BackgroundWork
import Configuration
import CoreMetrics
import DomainTime
import Foundation
import InterfaceTexts
import LiveActivity
import Logging
import Messages
import NatsClient
import PostgresClient
import ProcessSettings
import ReliableMessaging
import ServiceLifecycle
import ServiceRuntime
import TextCoding
import WebPages

/// Owns orders, deliveries and statuses, deep links and their presses, and operators' board.
@main
struct Orders {
    static let process = ServiceProcess(
        name: "orders", schema: "orders",
        migrations: [
            Migration(number: 1, name: "outbox", sql: ReliableMessagingMigration.sql),
            Migration(2, "orders", PackageResources._002_orders_sql),
            Migration(3, "miss_probability", PackageResources._003_miss_probability_sql),
            Migration(4, "courier_owner", PackageResources._004_courier_owner_sql),
            Migration(5, "drop_off", PackageResources._005_drop_off_sql),
            Migration(6, "search_and_risk", PackageResources._006_search_and_risk_sql),
            Migration(
                number: 7, name: "outbox_without_oldest_index", sql: ReliableMessagingMigration.withoutOldestIndex),
            Migration(8, "retention", PackageResources._008_retention_sql),
            Migration(number: 9, name: "resync_rounds", sql: ReliableMessagingMigration.resyncRounds),
            Migration(10, "resync_slices", PackageResources._010_resync_slices_sql),
            Migration(11, "view_links", PackageResources._011_view_links_sql),
            Migration(number: 12, name: "lz4", sql: ReliableMessagingMigration.lz4),
            Migration(13, "reference_attempts", PackageResources._013_reference_attempts_sql),
            Migration(14, "courier_pages", PackageResources._014_courier_pages_sql),
            Migration(15, "reports", PackageResources._015_reports_sql),
            Migration(16, "reference_guesses", PackageResources._016_reference_guesses_sql),
            Migration(17, "reversals", PackageResources._017_reversals_sql),
            Migration(18, "couriers_in_use", PackageResources._018_couriers_in_use_sql),
            Migration(21, "press_groups", PackageResources._021_press_groups_sql),
            Migration(22, "day_in_numbers", PackageResources._022_day_in_numbers_sql),
            Migration(23, "disputed_ends", PackageResources._023_disputed_ends_sql),
            Migration(24, "estimate_errors", PackageResources._024_estimate_errors_sql),
            Migration(25, "corrections", PackageResources._025_corrections_sql),
            Migration(27, "proofs", PackageResources._027_proofs_sql),
            Migration(28, "proof_images", PackageResources._028_proof_images_sql),
            Migration(29, "store_faces", PackageResources._029_store_faces_sql),
            Migration(30, "person_requests", PackageResources._030_person_requests_sql),
            Migration(31, "presses_by_verb", PackageResources._031_presses_by_verb_sql),
            Migration(32, "courier_erasures", PackageResources._032_courier_erasures_sql),
            Migration(33, "person_exports", PackageResources._033_person_exports_sql),
            Migration(number: 35, name: "personal_reads", sql: PersonalReadLog.migration),
        ],
        defaults: ["http.port": "8081"])

    static func main() async {
        await process.run { try await makeServices(reading: $0, telemetry: $1) }
    }

    /// Builds the whole process and starts nothing.
    ///
    /// Order is dependency order: each service may use those before it, and shutdown runs in reverse.
    /// - Throws: a configuration error that names the key; nothing has connected yet.
    static func makeServices(reading settings: ConfigReader, telemetry: Telemetry) async throws -> [any Service] {
        let foundation = try await ServiceFoundation(process, reading: settings, telemetry: telemetry)
        let (postgres, clock, logger) = (foundation.postgres, foundation.clock, foundation.logger)
        let retention = try RetentionTimes(reading: settings)
        let proofKeys = try proofKeys(reading: settings)
        let links = try LinkSigner(reading: settings)
        let signer = try await TokenSigner(
            kid: try settings.text("tokens.kid") ?? "orders",
            privateKeyPEM: try settings.requiredSecret("tokens.key.file"))
        let parts = Parts(
            pool: postgres, clock: clock, links: links,
            dismissal: DismissalPolicy(try settings.choice("cards.dismissal", default: .timed)),
            relay: foundation.relay, wantedCards: WantedCardsClient(foundation.nats), metrics: foundation.metrics,
            logger: logger, texts: try InstallationTexts(reading: settings, logger: logger),
            proofKeys: proofKeys,
            personalData: try personalData(reading: settings, keys: proofKeys, logger: logger),
            courierVisibility: try CourierVisibility(reading: settings),
            erasureHash: try erasureHash(reading: settings))
        let republisher = foundation.republisher(
            of: "deliveries", rows: SnapshotRepublisher(clock: clock, messages: parts.change.messages))
        let brokerCheck = foundation.brokerCheck(.orders, republisher)
        let imageVisibility = try ImageVisibility(reading: settings)
        let routes = parts.routes(
            limits: try OrderLimits(reading: settings), proofRules: try ProofRules(reading: settings),
            imageVisibility: imageVisibility, mapImages: try mapImages(reading: settings),
            signer: signer,
            alertSubscriber: AlertSubscriber(foundation.nats), erasureClient: ErasureClient(foundation.nats),
            positionsOrigin: try CourierPages.positionsOrigin(reading: settings),
            operatorRoutes: foundation.operatorRoutes(endsKeptDays: nil) { try await republisher.republishAll() },
            customerPacer: try CustomerPacer(reading: settings), retention: retention)
        let own: [[any Service]] = [
            [foundation.timers(TimerHandlers(change: parts.change).handlers), republisher],
            consumers(of: parts.change, on: foundation),
            [
                brokerCheck, parts.pages.streams,
                PageIntents(nats: foundation.nats, pages: parts.pages, cards: parts.cards, clock: clock),
                PageComparison(pages: parts.pages, cards: parts.cards, pool: postgres, logger: logger),
                parts.mapUpdates(by: CourierPlacesClient(foundation.nats)),
            ],
            responders(on: foundation),
            [
                parts.erasures(by: parts.continueErasures(asking: ErasureClient(foundation.nats))),
                parts.exports(
                    by: parts.continueExports(
                        asking: ExportClient(foundation.nats), imageVisibility: imageVisibility)),
                Retention(pool: postgres, clock: clock, times: retention, logger: logger),
                SealPersonalData(
                    pool: postgres, clock: clock, box: parts.change.personalData, metrics: foundation.metrics,
                    logger: logger),
                LiveDeliveriesSampler(pool: postgres, clock: clock, metrics: foundation.metrics, logger: logger),
            ],
        ]
        return foundation.services(
            own.flatMap(\.self),
            http: foundation.http(
                openAPI: PackageResources.openapi_yaml, queryParameters: OrdersHTTP.queryParameters,
                publicOrigin: links.origin, brokerCheck: brokerCheck,
                addRoutes: routes.addRoutes))
    }

    /// The consumers of other services' messages: milestones, estimates, card health and providers' reports.
    private static func consumers(of change: ChangeDelivery, on foundation: ServiceFoundation) -> [any Service] {
        let messages = OrdersMessages(change: change, updateBoard: UpdateBoard(pool: foundation.postgres))
        return [
            foundation.consumer(.ordersMilestones, of: MilestoneReached.self, handle: { await messages.handle($0) }),
            foundation.consumer(
                .ordersEstimates, of: EstimateChanged.self,
                handleBatch: { try await messages.handle($0.map(\.message)) }),
            foundation.consumer(
                .ordersCardHealth, of: CardHealthChanged.self,
                handleBatch: { try await messages.handle($0.map(\.message)) }),
            foundation.consumer(.ordersReports, of: ProviderReported.self, handle: { await messages.handle($0) }),
        ]
    }

    /// The responders to other services: their messages that this service lacks, and the versions that one of them
    /// lacks.
    private static func responders(on foundation: ServiceFoundation) -> [any Service] {
        let postgres = foundation.postgres
        return [
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
        ]
    }

    /// The use cases over one database and one clock, and the routes to them.
    struct Parts: Sendable {
        let change: ChangeDelivery
        let pressLink: PressLink
        let pages: OpenPages
        let cards: PageCards
        let maps: PageMaps
        let faces: StoreFaces
        private let counters: DeliveryCounters
        private let relay: OutboxRelay
        private let images: ProofImageBox?
        private let erasureHash: KeyedHash?
        private let archives: ArchiveBox?
        private let erasures = WakeSignal()
        private let exports = WakeSignal()
        private let logger: Logger

        init(
            pool: PostgresPool, clock: DomainClock, links: LinkSigner, dismissal: DismissalPolicy, relay: OutboxRelay,
            wantedCards: WantedCardsClient, metrics: any MetricsFactory, logger: Logger,
            texts: InstallationTexts = .builtIn, proofKeys: SecretBox? = nil, personalData: PersonalDataBox = .readable,
            courierVisibility: CourierVisibility = CourierVisibility(), facesAgeMax: Duration = StoreFaces.ageMax,
            erasureHash: KeyedHash? = nil
        ) {
            let messages = DeliveryMessages(
                signer: links, intents: OrderIntents(dismissal: dismissal), pins: proofKeys.map(PINBox.init))
            images = proofKeys.map(ProofImageBox.init)
            archives = proofKeys.map(ArchiveBox.init)
            self.erasureHash = erasureHash
            counters = DeliveryCounters(in: metrics)
            change = ChangeDelivery(
                pool: pool, clock: clock, messages: messages, counters: counters, relay: relay,
                personalData: personalData)
            faces = StoreFaces(pool: pool, texts: texts, ageMax: facesAgeMax)
            pressLink = PressLink(signer: links, change: change, clock: clock, faces: faces)
            pages = OpenPages(logger: logger)
            cards = PageCards(pages: pages, client: wantedCards)
            maps = PageMaps(visibility: courierVisibility)
            self.relay = relay
            self.logger = logger
        }

        func mapUpdates(by client: CourierPlacesClient) -> PageMapUpdates {
            PageMapUpdates(
                pages: pages, maps: maps, client: client, pool: change.pool, clock: change.clock, logger: logger)
        }

        /// The work on requests to erase persons.
        func continueErasures(asking client: ErasureClient) -> ContinueErasures {
            ContinueErasures(
                pool: change.pool, clock: change.clock, ask: client,
                courierErasure: ContinueCourierErasure(
                    pool: change.pool, clock: change.clock, messages: change.messages,
                    personalData: change.personalData, wakeRelay: { [change] in change.wake() }),
                logger: logger, makeUUID: { UUID() })
        }

        func erasures(by work: ContinueErasures) -> PersonRequests {
            PersonRequests(work: work.callAsFunction, signal: erasures, logger: logger)
        }

        /// The work on requests to export persons' data.
        func continueExports(
            asking client: ExportClient, imageVisibility: ImageVisibility = ImageVisibility()
        ) -> ContinueExports {
            let sources = ExportRecords.sources(
                on: change.pool, personalData: change.personalData, images: images, visibility: imageVisibility)
            return ContinueExports(
                pool: change.pool, clock: change.clock, ask: client, own: ExportPerson(sources), box: archives,
                logger: logger, makeUUID: { UUID() })
        }

        func exports(by work: ContinueExports) -> PersonRequests {
            PersonRequests(work: work.callAsFunction, signal: exports, logger: logger)
        }

        func routes(
            limits: OrderLimits, proofRules: ProofRules = ProofRules(),
            imageVisibility: ImageVisibility = ImageVisibility(), mapImages: MapImages = MapImages(),
            signer: TokenSigner,
            alertSubscriber: AlertSubscriber, erasureClient: ErasureClient, positionsOrigin: String?,
            operatorRoutes: OperatorRoutes, customerPacer: CustomerPacer, retention: RetentionTimes = RetentionTimes()
        ) -> OrdersHTTP {
            let (pool, clock, links) = (change.pool, change.clock, pressLink.signer)
            let personalData = change.personalData
            let show = ShowPage(
                pressLink: pressLink, pages: pages, cards: cards, faces: faces, maps: maps, visibility: imageVisibility)
            let showImage = ShowImage(pool: pool, clock: clock, box: images, visibility: imageVisibility)
            let giveProof = GiveProof(change: change, pins: change.messages.pins)
            let giveImage = GiveImage(change: change, box: images, imagesDays: retention.imagesDays)
            return OrdersHTTP(
                placeOrder: PlaceOrder(
                    pool: pool, clock: clock, messages: change.messages, counters: counters, relay: relay, faces: faces,
                    personalData: personalData,
                    makeUUID: { UUID() }, limits: limits, proofRules: proofRules),
                readOrders: ReadOrders(pool: pool, personalData: personalData),
                readContacts: ReadContacts(pool: pool, clock: clock, personalData: personalData),
                listOrders: ListOrders(pool: pool, clock: clock, personalData: personalData),
                listDeliveries: ListDeliveries(pool: pool, clock: clock, personalData: personalData),
                listTimeline: ListTimeline(pool: pool, clock: clock, personalData: personalData),
                makeDayReport: MakeDayReport(pool: pool, clock: clock, daysMax: retention.timelineDays), change: change,
                giveProof: giveProof,
                giveImage: giveImage, showImage: showImage, pressLink: pressLink,
                pages: LinkPages(
                    show: show, prove: ProveOrder(pool: pool, signer: links, clock: clock),
                    setAlerts: SetAlerts(show: show, subscriber: alertSubscriber, logger: logger),
                    correctFromPage: CorrectFromPage(change: change), showImage: showImage, openPages: pages,
                    customerPacer: customerPacer, texts: faces.texts, mapImages: mapImages),
                courierPages: CourierPages(
                    share: ShareCourierPage(pool: pool, signer: links),
                    show: ShowStops(pool: pool, clock: clock, faces: faces, personalData: personalData),
                    press: PressStop(change: change), giveProof: giveProof, giveImage: giveImage,
                    positionsOrigin: positionsOrigin, texts: faces.texts, makeUUID: { UUID() }),
                shareDelivery: ShareDelivery(pool: pool, signer: links),
                faces: FaceHTTP(
                    setFace: SetFace(pool: pool, clock: clock), faces: faces, origin: links.origin),
                issueToken: IssueToken(signer: signer, wallNow: { Date() }, makeUUID: { UUID() }),
                requestErasure: RequestErasure(
                    pool: pool, clock: clock, change: change, hash: erasureHash, signal: erasures,
                    ordersDays: retention.ordersDays, makeUUID: { UUID() }),
                requestCourierErasure: RequestCourierErasure(
                    pool: pool, clock: clock, change: change, hash: erasureHash, ask: erasureClient, signal: erasures,
                    makeUUID: { UUID() }),
                requestExport: RequestExport(
                    pool: pool, clock: clock, box: archives, hash: erasureHash, signal: exports, makeUUID: { UUID() }),
                readArchive: ReadArchive(pool: pool, box: archives),
                operatorRoutes: operatorRoutes, customerPacer: customerPacer)
        }
    }
}
