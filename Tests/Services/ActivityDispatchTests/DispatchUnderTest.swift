import BackgroundWork
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
import Synchronization
import TestSupport

@testable import ActivityDispatch

/// What a process knows of Apple's refusals.
typealias Circuits = @Sendable (PushCircuits.Key) -> CustomerPhoneBody.Circuit?

/// The secrets that devices of a test keep.
final class DeviceSecrets: Sendable {
    private let kept = Mutex<[DeviceID: String]>([:])

    subscript(device: DeviceID) -> String? {
        get { kept.withLock { $0[device] } }
        set { kept.withLock { $0[device] = newValue } }
    }
}

/// The service on a schema of the test's own, with a clock that stands still and no broker.
struct DispatchUnderTest: Sendable {
    static let mira = CustomerID(rawValue: "mira")!
    static let noor = CustomerID(rawValue: "noor")!
    static let phone = DeviceID(rawValue: "phone")!

    let pool: PostgresPool
    let clock = ManualClock(noon)
    let hub: StreamHub
    let wakeSignals = WakeSignalGroup()
    let transports: Transports
    /// What devices keep of their registrations.
    let secrets = DeviceSecrets()

    var fanOut: WantedStateFanOut { WantedStateFanOut(transports: transports, newID: { UUID() }) }
    var intentBatcher: IntentBatcher {
        let applyIntent = applyIntent
        return IntentBatcher { try await applyIntent($0) }
    }

    /// The time of leases and time-outs where a test passes no other: on a slow machine none of them ends by itself.
    static let standstill = ContinuousClock.now

    /// Leaves what is to be reconciled due, for ``reconcile()``.
    var applyIntent: ApplyIntent { applyIntent(by: nil) }
    /// - Parameter dispatcher: reconciles in the same transaction.
    func applyIntent(by dispatcher: Dispatcher?) -> ApplyIntent {
        ApplyIntent(
            pool: pool, clock: clock.domain, fanOut: fanOut, wakeSignals: wakeSignals, logger: .silent,
            reconcile: dispatcher?.reconcile)
    }
    var registerDevice: RegisterDevice {
        RegisterDevice(
            pool: pool, clock: clock.domain, fanOut: fanOut, hub: hub, wakeSignals: wakeSignals, outbox: UnreadOutbox())
    }
    var applyReports: ApplyReports {
        ApplyReports(
            pool: pool, clock: clock.domain, fanOut: fanOut, wakeSignals: wakeSignals, outbox: UnreadOutbox())
    }
    var overrideCards: OverrideCards { OverrideCards(pool: pool, clock: clock.domain, wakeSignals: wakeSignals) }
    var showWanted: ShowWanted { ShowWanted(pool: pool, clock: clock.domain, transports: transports) }
    var showActivity: ShowActivity { ShowActivity(pool: pool) }
    var makeCardReport: MakeCardReport { MakeCardReport(pool: pool, clock: clock.domain) }
    func showPhones(circuit: @escaping Circuits = { _ in nil }) -> ShowPhones {
        ShowPhones(pool: pool, clock: clock.domain, transports: transports, circuit: circuit)
    }
    /// A replica.
    func dispatcher(
        _ configuration: DispatchConfiguration = .init(),
        elapsed: @escaping @Sendable () -> ContinuousClock.Instant = { Self.standstill },
        random: @escaping @Sendable () -> Double = { 0 }, logger: Logger = .silent
    ) -> Dispatcher {
        Dispatcher(
            ReconcileDevices(
                pool: pool, clock: clock.domain, transports: transports, configuration: configuration, hub: hub,
                queue: PushQueue(configuration: configuration, clock: clock.domain, wall: { clock.now }),
                wakeSignals: wakeSignals, outbox: UnreadOutbox(), wall: { clock.now }, elapsed: elapsed),
            logger: logger, random: random)
    }

    /// Runs the body on fresh tables.
    ///
    /// - Parameter elapsed: the time by which streams beat and end.
    static func run(
        apns: (any Transport)? = nil, elapsed: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ body: (DispatchUnderTest) async throws -> Void
    ) async throws {
        let configuration = TestPostgres.current
        let pool = PostgresPool(configuration, logger: .silent)
        let service = DispatchUnderTest(
            pool: pool, hub: StreamHub(pool: pool, logger: .silent, elapsed: elapsed),
            transports: Transports(stream: StreamTransport(limits: .stream), apns: apns))
        // Streams end with their readers' tokens.
        let beats = Task { try await service.hub.streams.run() }
        defer { beats.cancel() }
        try await withTeardown({ await pool.shutDown() }) {
            try await migrate(ActivityDispatch.process.migrations, schema: configuration.schema ?? "", on: pool)
            try await body(service)
        }
    }

    // MARK: What happens to it

    static func activity(_ delivery: DeliveryID) -> ActivityID { ActivityID(delivery, episode: 1) }

    @discardableResult
    func apply(
        _ step: (String) -> ActivityStep, of delivery: DeliveryID, at store: String? = nil,
        for customer: CustomerID = mira
    ) async throws -> Bool {
        try await applyIntent(Self.intent(step, of: delivery, at: store, for: customer))
    }

    static func intent(
        _ step: (String) -> ActivityStep, of delivery: DeliveryID, at store: String? = nil,
        for customer: CustomerID = mira
    ) -> Intent {
        let id = activity(delivery)
        return Intent(
            activity: id, customer: customer, delivery: delivery, store: store.flatMap(StoreID.init), writer: .orders,
            step: step(id.rawValue))
    }

    func show(
        _ version: Int, _ step: Int = 0, of delivery: DeliveryID, at store: String? = nil,
        phase: LiveActivity.Phase = .picking,
        alert: String? = nil, startAt: Int = 0, for customer: CustomerID = mira
    ) async throws {
        try await apply(
            {
                .shows(
                    version, step, activity: $0, phase: phase, startAt: startAt, staleAt: 2_000_000_000, alert: alert)
            },
            of: delivery, at: store, for: customer)
    }

    func end(_ version: Int, of delivery: DeliveryID) async throws {
        try await apply({ .ends(version, activity: $0, at: clock.now) }, of: delivery)
    }

    @discardableResult
    func register(
        _ device: DeviceID = phone, for customer: CustomerID = mira, transport: String = "stream",
        isEnabled: Bool = true, store: String? = nil, bundleID: String? = nil
    ) async throws -> StoredDevice {
        // Each phone's own.
        let startToken = "abcdabcdabcdabcd" + (device == Self.phone ? "" : Self.hex(of: device))
        let registration = try await registerDevice(
            device,
            RegisterDeviceBody(
                transport: transport, activitiesEnabled: isEnabled, bundleID: bundleID,
                pushToStartToken: transport == "apns" ? .set(PushTokenBody(value: startToken)) : nil,
                secret: secrets[device]), for: customer,
            within: TokenScope(store: store.flatMap(StoreID.init)))
        if let secret = registration.newSecret { secrets[device] = secret.text }
        return registration.stored
    }

    private static func hex(of device: DeviceID) -> String {
        device.rawValue.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Has the phone's app report a delivery's card, with the token that updates it.
    func reportStarted(_ delivery: DeliveryID, token: String) async throws {
        let report = try DeviceReport(
            ReportBody(
                activity: Self.activity(delivery).rawValue, kind: .started, updateToken: PushTokenBody(value: token)),
            at: "reports[0]", now: noon, wall: noon)
        _ = try await applyReports([report], from: Self.phone, of: Self.mira)
    }

    func reconcile() async throws {
        let dispatcher = dispatcher()
        repeat { try await dispatcher.reconcileDueDevices() } while await dispatcher.sendQueued() > 0
    }

    /// Registers the phone, has the first version of a delivery's activity shown, and reconciles.
    func showOnPhone(_ delivery: DeliveryID, transport: String = "stream") async throws {
        try await register(transport: transport)
        try await show(1, of: delivery)
        try await reconcile()
    }

    // MARK: What a device receives

    /// Every event that a reader is sent who has received the stream up to an id.
    func events(
        after id: Int = 0, on device: DeviceID = phone, of customer: CustomerID = mira
    ) async throws -> [ReceivedEvent]? {
        // Of another process, so that it replaces no stream of this one.
        let elsewhere = StreamHub(pool: pool, logger: .silent)
        guard let slot = elsewhere.open(device, of: customer, lastEventID: 0) else { return nil }
        let stream = DeviceStream(
            device: device, customer: customer, lastEventID: id, pool: pool, slot: slot, now: { clock.now })
        return try await stream.page(after: id)?.events.map(ReceivedEvent.init)
    }

    struct ReceivedEvent: Sendable {
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
        return try await showActivity(stored, isForOperator: true).cards
    }

    /// The messages about cards' health in the outbox, oldest first.
    func health() async throws -> [CardHealthChanged] {
        try await pool.query("SELECT payload FROM outbox ORDER BY created_at").flatMap { row in
            try MessageBatch.elements(of: try row.decode("payload")).map {
                try JSONDecoder().decode(CardHealthChanged.self, from: Data($0))
            }
        }
    }
}

extension ApplyIntent {
    /// Applies an intent that came without a trace.
    @discardableResult
    func callAsFunction(_ intent: Intent) async throws -> Bool { try await callAsFunction([intent]) }

    @discardableResult
    func callAsFunction(_ intents: [Intent]) async throws -> Bool {
        try await callAsFunction(intents.map { (intent: $0, traceparent: nil) })
    }
}

extension IntentBatcher {
    /// Applies an intent in the running task's trace.
    func callAsFunction(_ intent: Intent) async throws {
        for outcome in await self([(intent: intent, traceparent: TraceContext.current?.traceparent)]) {
            try outcome.get()
        }
    }
}
