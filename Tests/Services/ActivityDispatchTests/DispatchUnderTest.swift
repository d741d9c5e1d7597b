import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Logging
import Messages
import OrderDomain
import PhoneRules
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport

@testable import ActivityDispatch

extension Logger {
    /// Says nothing.
    static var silent: Logger { Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() } }
}

/// The service on a schema of the test's own, with a clock that stands still and no broker.
struct Bench: Sendable {
    static let mira = CustomerID(rawValue: "mira")!
    static let noor = CustomerID(rawValue: "noor")!
    static let phone = DeviceID(rawValue: "phone")!

    let pool: PostgresPool
    let clock = ManualClock(noon)
    let hub: StreamHub
    let wakeUp = Wake()
    let transports: Transports

    var change: WantedChange { WantedChange(transports: transports, newID: { UUID() }) }
    var takeIntent: TakeIntent { TakeIntent(pool: pool, clock: clock.domain, change: change, wakeUp: wakeUp) }
    var registerDevice: RegisterDevice {
        RegisterDevice(pool: pool, clock: clock.domain, change: change, hub: hub, wakeUp: wakeUp)
    }
    var takeReports: TakeReports { TakeReports(pool: pool, clock: clock.domain, change: change, wakeUp: wakeUp) }
    var overrideCards: OverrideCards { OverrideCards(pool: pool, clock: clock.domain, wakeUp: wakeUp) }
    var showActivity: ShowActivity { ShowActivity(pool: pool) }
    /// A replica; each has a look of its own.
    func dispatcher() -> Dispatcher {
        Dispatcher(
            pool: pool, clock: clock.domain, transports: transports, hub: hub, wakeUp: wakeUp, relay: {},
            logger: .silent, wall: { clock.now })
    }

    /// Runs the body on fresh tables.
    static func run(apns: (any Transport)? = nil, _ body: (Bench) async throws -> Void) async throws {
        let configuration = TestPostgres.current
        let pool = PostgresPool(configuration, logger: .silent)
        let bench = Bench(
            pool: pool, hub: StreamHub(pool: pool, logger: .silent),
            transports: Transports(stream: StreamTransport(limits: .stream), apns: apns))
        do {
            try await migrate(ActivityDispatch.process.migrations, schema: configuration.schema ?? "", on: pool)
            try await body(bench)
            await pool.shutDown()
        } catch {
            await pool.shutDown()
            throw error
        }
    }

    // MARK: What happens

    static func activity(_ delivery: DeliveryID) -> ActivityID { ActivityID(delivery, episode: 1) }

    @discardableResult
    func want(_ step: (String) -> ActivityStep, of delivery: DeliveryID, for customer: CustomerID = mira) async throws
        -> Bool
    {
        let id = Self.activity(delivery)
        return try await takeIntent(
            Intent(
                activity: id, customer: customer, delivery: delivery, writer: .orders, step: step(id.rawValue)))
    }

    func show(
        _ version: Int, _ step: Int = 0, of delivery: DeliveryID, phase: LiveActivity.Phase = .picking,
        alert: String? = nil, startAt: Int = 0, for customer: CustomerID = mira
    ) async throws {
        try await want(
            {
                .shows(
                    version, step, activity: $0, phase: phase, startAt: startAt, staleAt: 2_000_000_000, alert: alert)
            },
            of: delivery, for: customer)
    }

    func end(_ version: Int, of delivery: DeliveryID) async throws {
        try await want({ .ends(version, activity: $0, at: clock.now) }, of: delivery)
    }

    @discardableResult
    func register(
        _ device: DeviceID = phone, for customer: CustomerID = mira, transport: String = "stream",
        isEnabled: Bool = true
    ) async throws -> StoredDevice {
        try await registerDevice(
            device,
            RegisterDeviceBody(
                transport: transport, activitiesEnabled: isEnabled,
                pushToStartToken: transport == "apns" ? "abcd" : nil), for: customer)
    }

    func dispatch() async throws {
        try await dispatcher().dispatchDue()
    }

    // MARK: What a device sees

    /// Everything that a reader gets who has seen the stream up to an id.
    func events(
        after id: Int = 0, on device: DeviceID = phone, of customer: CustomerID = mira
    ) async throws -> [Seen]? {
        guard let seat = hub.join(device, of: customer, lastSequence: 0) else { return nil }
        let stream = DeviceStream(
            device: device, customer: customer, lastEventID: id, pool: pool, seat: seat, now: { clock.now })
        return try await stream.page(after: id)?.events.map(Seen.init)
    }

    struct Seen: Sendable {
        let id: Int
        let body: DeviceEventBody
        var event: PushPayload.Event { body.payload.aps.event }
        var revision: Revision { body.payload.aps.contentState.revision }

        init(_ event: ServerSentEvent) throws {
            id = Int(event.id ?? "") ?? 0
            body = try JSONDecoder().decode(DeviceEventBody.self, from: Data(event.data.utf8))
        }
    }

    func cards(of delivery: DeliveryID) async throws -> [CardBody] {
        guard let stored = try await ActivityRepository.activity(Self.activity(delivery), on: pool) else { return [] }
        return try await showActivity(stored, withTimeline: true).cards
    }

    /// What was told of cards' health, oldest first.
    func health() async throws -> [CardHealthChanged] {
        try await pool.query("SELECT payload FROM outbox ORDER BY created_at").map { row in
            try JSONDecoder().decode(
                CardHealthChanged.self, from: Data(try row.decode("payload", as: [UInt8].self)))
        }
    }
}
