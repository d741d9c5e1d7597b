import APNsClient
import BackgroundWork
import DomainTime
import EmulatorAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import PostgresClient
import SeededRandom
import ServiceRuntime
import Synchronization
import TestSupport
import WireCoding

@testable import APNsEmulator
@testable import ActivityDispatch

/// The path from an intent to the screens of phones: the service on Postgres, `APNsClient` over TLS, and the stand-in
/// for Apple's service with the phones behind it, on one clock that the test moves.
actor Scenario {
    /// 2026-11-21T12:00:00Z, where every scenario begins.
    static let start = Date(timeIntervalSince1970: 1_795_262_400)

    let clock: ManualClock
    let service: ScenarioService
    private let transport: InterruptedTransport
    private let database: PostgresConfiguration
    let apple: PushService
    let phones: ScenarioPhones
    /// Drawn from the seed alone.
    var random: SeededGenerator
    var orders: [ScenarioOrder] = []
    var screens: [String: ScreenHistory] = [:]
    private(set) var customers: [String: CustomerID] = [:]
    /// The process that works now; another takes its place when it is killed.
    private(set) var dispatcher: Dispatcher
    private var killed = Killed.no
    /// Phones that something was done to, beside pushes.
    var touched: Set<String> = []
    /// Cards whose update tokens Apple's service called gone.
    private var unreachable: Set<UUID> = []
    /// When time alone changes a phone next, epoch seconds.
    private var changesAt: [String: Int] = [:]

    /// What the process does not live to do.
    enum Killed: Sendable {
        case no
        /// What it leases now it never sends.
        case beforeSending
        /// What it sends now it never records.
        case beforeRecording
    }

    private init(
        seed: UInt64, clock: ManualClock, service: ScenarioService, transport: InterruptedTransport, apple: PushService,
        phones: ScenarioPhones, database: PostgresConfiguration
    ) {
        self.transport = transport
        self.database = database
        self.clock = clock
        self.service = service
        self.apple = apple
        self.phones = phones
        random = SeededGenerator(seed: seed)
        dispatcher = service.dispatcher()
    }

    var fleet: PhoneFleet { phones.fleet }

    // MARK: - Running

    /// Runs a scenario on fresh tables, and prints its seed where it fails.
    static func run(seed: UInt64 = 1, _ body: @escaping @Sendable (Scenario) async throws -> Void) async throws {
        let clock = ManualClock(start)
        let folder = FileManager.default.temporaryDirectory.appending(path: "phone-scenario-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = EmulatorFiles(directory: folder)
        try files.make(names: ["localhost"], keyID: "EMULATORK1", teamID: "EMULATORT1")
        let emulator = try Emulator(
            files: files, clock: EmulatorClock(wall: { clock.now.timeIntervalSince1970 }), logger: .silent)
        try await RunningService.run(emulator.provider) { _ in
            for await ports in emulator.provider.listening {
                let client = try client(of: files, port: ports.production, clock)
                try await RunningService.run(client) { _ in
                    try await run(seed: seed, clock, client, emulator, body)
                }
                break
            }
        }
    }

    private static func run(
        seed: UInt64, _ clock: ManualClock, _ client: APNsClient, _ emulator: Emulator,
        _ body: (Scenario) async throws -> Void
    ) async throws {
        var database = TestPostgres.current
        database.applicationName = "scenario-\(UUID().uuidString.prefix(8))"
        try await withPool(database) { pool in
            try await migrate(ActivityDispatch.process.migrations, schema: database.schema ?? "", on: pool)
            let ids = Mutex(SeededGenerator(seed: ~seed))
            let transport = InterruptedTransport(
                APNsTransport(
                    client: client, bundleID: try BundleID("shop.nordhavn.app"), limits: .apns,
                    newID: { ids.withLock { $0.uuid() } }))
            let service = ScenarioService(
                pool: pool, clock: clock,
                transports: Transports(stream: StreamTransport(limits: .stream), apns: transport),
                hub: StreamHub(pool: pool, logger: .silent), newID: { ids.withLock { $0.uuid() } },
                random: { ids.withLock { Double.random(in: 0...1, using: &$0) } })
            try await body(
                Scenario(
                    seed: seed, clock: clock, service: service, transport: transport, apple: emulator.service,
                    phones: ScenarioPhones(fleet: emulator.fleet), database: database))
        }
    }

    private static func client(of files: EmulatorFiles, port: Int, _ clock: ManualClock) throws -> APNsClient {
        var configuration = APNsConfiguration(
            key: try ProviderKey(
                pem: String(decoding: try files.read(files.providerKey("EMULATORK1")), as: UTF8.self),
                source: "the emulator's key", keyID: "EMULATORK1", teamID: "EMULATORT1"))
        configuration.productionURL = "https://localhost:\(port)"
        configuration.trustRootsFile = files.caCertificate.path()
        // Wall time, which passes apart from the scenario's.
        configuration.requestTimeout = .milliseconds(500)
        configuration.reconnectWait = .milliseconds(1)
        configuration.reconnectWaitMax = .milliseconds(20)
        configuration.drainTimeout = .seconds(1)
        return try APNsClient(configuration, now: { clock.now }, logger: .silent)
    }

    // MARK: - Who there is

    func addPhone(
        _ id: String, of customer: String = "mira",
        change: @escaping @Sendable (inout NewEmulatedPhoneBody) -> Void = { _ in }
    ) async throws {
        guard let device = DeviceID(rawValue: id), let owner = CustomerID(rawValue: customer) else { return }
        customers[id] = owner
        touched.insert(id)
        screens[id] = ScreenHistory(phone: id)
        try await phones.add(
            id, exchange: DirectExchange(service: service, device: device, customer: owner), change: change)
        try await work()
    }

    /// Adds phones, each of a customer of the same name, who has so many orders.
    func addPhones(_ names: [String], orders: Int = 0) async throws {
        for name in names {
            try await addPhone(name, of: name)
            for _ in 0..<orders { try await place(for: name) }
        }
    }

    func add(_ order: ScenarioOrder) { orders.append(order) }

    /// Places an order that goes on only when the test says so.
    ///
    /// - Returns: its number.
    @discardableResult
    func place(for customer: String = "mira", _ phase: LiveActivity.Phase = .picking) async throws -> Int {
        guard let owner = CustomerID(rawValue: customer) else { return 0 }
        orders.append(ScenarioOrder(DeliveryID(random.uuid()), of: owner, arrival: clock.now + 3600))
        try await advance(.phase(phase, isAlert: false), of: orders.count - 1)
        return orders.count - 1
    }

    /// Writes what happens to an order, and does what follows.
    func advance(_ chapter: ScenarioOrder.Chapter, of order: Int) async throws {
        if let intent = orders[order].write(chapter, at: clock.now) {
            try await service.apply([intent], by: dispatcher)
        }
        try await work()
    }

    // MARK: - Time

    /// Lets domain time pass, from one thing that is due to the next.
    ///
    /// - Parameter stepMin: seconds that pass at least from one look to the next.
    func pass(_ seconds: TimeInterval, stepMin: TimeInterval = 1) async throws {
        let end = clock.now + seconds
        while clock.now < end {
            let due =
                [
                    try await service.nextDue(), orders.compactMap(\.nextAt).min(),
                    changesAt.values.min().map { Date(timeIntervalSince1970: TimeInterval($0)) },
                    clock.now + 60,
                ].compactMap(\.self).min() ?? end
            // A millisecond beyond what is due: a time that Postgres rounds is due while a clock that stands still is not yet there.
            let step = max(stepMin, due.timeIntervalSince(clock.now)) + 0.001
            clock.advance(by: min(end.timeIntervalSince(clock.now), step))
            try await work()
        }
    }

    /// Does everything that is due now, until nothing is.
    func work() async throws {
        fleet.tick()
        var intents: [Intent] = []
        for index in orders.indices where orders[index].nextAt.map({ $0 <= clock.now }) ?? false {
            if let intent = orders[index].write(at: clock.now) { intents.append(intent) }
        }
        try await service.apply(intents, by: dispatcher)
        let time = clock.now.epochSeconds
        var changed = touched.union(changesAt.filter { $0.value <= time }.keys)
        touched = []
        var noticed = try await phones.runApps(changed)
        for _ in 0..<Self.roundsMax {
            try await dispatcher.reconcileDueDevices()
            let sent = try await send()
            let pushed = transport.takeDevices()
            unreachable.formUnion(transport.takeGoneCards())
            changed.formUnion(pushed)
            noticed = try await phones.runApps(noticed > 0 ? changed : pushed)
            if sent == 0, noticed == 0 { return try note(changed) }
        }
        throw Restless()
    }

    /// Rounds in which the service and the apps answer each other at one moment, at most.
    private static let roundsMax = 50

    /// The service and the apps do not come to rest.
    struct Restless: Error {}

    private func send() async throws -> Int {
        switch killed {
        case .no: return await dispatcher.sendQueued()
        case .beforeSending:
            killed = .no
            dispatcher = service.dispatcher()
            return 0
        case .beforeRecording:
            let count = await dispatcher.sendQueued()
            guard dispatcher.reconcile.queue.pushes.isClosed else { return count }
            killed = .no
            dispatcher = service.dispatcher()
            return count
        }
    }

    /// Kills the process in the midst of its next pushes; another goes on.
    func kill(_ moment: Killed) {
        killed = moment
        guard case .beforeRecording = moment else { return }
        let pool = PostgresPool(database, logger: .silent)
        let dying = service.dispatcher(on: pool)
        dispatcher = dying
        transport.interrupt {
            dying.reconcile.queue.pushes.close()
            await pool.shutDown()
        }
    }

    /// Has the service lose every connection to its database while the next push is on its way.
    func loseDatabase() {
        var database = database
        let name = database.applicationName
        database.applicationName = "scenario-administrator"
        database.connectionsMax = 1
        let administrator = database
        transport.interrupt {
            let pool = PostgresPool(administrator, logger: .silent)
            _ = try? await pool.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = \(name)")
            await pool.shutDown()
        }
    }

    func add(_ fault: Fault) { _ = apple.add(fault) }

    /// Ends every fault that Apple's service was given.
    func endFaults() { apple.removeFaults() }

    // MARK: - What the phones show

    private func note(_ changed: Set<String>) throws {
        for id in changed.sorted() {
            let phone = try fleet.phone(id)
            screens[id]?.note(phone, orders: orders, unreachable: unreachable, now: clock.now)
            let next = phone.nextChangeAt
            changesAt[id] =
                screens[id]?.hasDuplicates ?? false
                ? min(next ?? .max, clock.now.epochSeconds + Int(ScreenHistory.noteInterval)) : next
        }
    }

    /// Does something to a phone that its app may notice.
    func change(_ phone: String, _ body: (inout PushedPhone, Int) -> [PhoneEffect]) throws {
        touched.insert(phone)
        try fleet.change(phone, body)
    }

    /// What was seen on any screen that must not be, with what the service knows of the phone.
    var violations: [String] {
        get async throws {
            var found: [String] = []
            for id in screens.keys.sorted() {
                guard let violations = screens[id]?.violations, !violations.isEmpty else { continue }
                found += violations + ["\(id): \(try await service.description(of: id))"]
            }
            return found
        }
    }

    /// Where a screen does not show now what its orders are, and what the service knows of that.
    func untruths() async throws -> [String] {
        var found: [String] = []
        for id in screens.keys.sorted() {
            let phone = try fleet.phone(id)
            let mine = orders.filter { $0.customer == customers[id] }
            let before = found.count
            found += screens[id]?.untruths(on: phone, orders: mine) ?? []
            for card in phone.phone.phone.liveCards where card.attributes.delivery == nil && card.state.isLive {
                guard let summary = ActivityID(rawValue: card.attributes.activity) else { continue }
                let wanted = try await service.wanted(summary)
                if wanted?.isEnd ?? true || wanted?.content.revision != card.content.revision {
                    found.append("\(id): \(summary) shows \(card.content.revision)")
                }
            }
            if found.count > before { found.append("\(id): \(try await service.description(of: id))") }
        }
        return found
    }

    /// How often each outcome of a push was met, on all phones together.
    var outcomes: [String: Int] {
        get throws {
            try screens.keys.reduce(into: [:]) { sums, id in
                for (outcome, count) in try fleet.phone(id).counts { sums[outcome, default: 0] += count }
            }
        }
    }
}

extension Scenario {
    /// A phone as it is now.
    nonisolated func fleetPhone(_ id: String) throws -> FleetPhone { try phones.fleet.phone(id) }
}
