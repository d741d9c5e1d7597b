import BackgroundWork
import DomainTime
import Foundation
import LiveActivity
import Messages
import NIOHTTP1
import OrderDomain
import PostgresClient
import TestSupport
import WireCoding

@testable import APNsEmulator
@testable import ActivityDispatch

/// `activity-dispatch` on a schema of the test's own, on a clock that the test moves.
struct ScenarioService: Sendable {
    let pool: PostgresPool
    let clock: ManualClock
    let transports: Transports
    let hub: StreamHub
    let wakeSignals = WakeSignalGroup()
    let newID: @Sendable () -> UUID
    let random: @Sendable () -> Double

    private var fanOut: WantedStateFanOut { WantedStateFanOut(transports: transports, newID: newID) }

    private var wall: @Sendable () -> Date {
        let clock = clock
        return { clock.now }
    }

    /// A replica.
    ///
    /// - Parameter pool: where it is another than the service's.
    func dispatcher(on pool: PostgresPool? = nil) -> Dispatcher {
        var configuration = DispatchConfiguration()
        configuration.outagePause = .milliseconds(5)
        configuration.lastRecordAttemptsMax = 1
        return Dispatcher(
            ReconcileDevices(
                pool: pool ?? self.pool, clock: clock.domain, transports: transports, configuration: configuration,
                hub: hub, queue: PushQueue(configuration: configuration, clock: clock.domain, wall: wall),
                wakeSignals: wakeSignals, outbox: UnreadOutbox(), newID: newID, wall: wall),
            logger: .silent, random: random)
    }

    /// Applies intents as the replica of a dispatcher does.
    func apply(_ intents: [Intent], by dispatcher: Dispatcher) async throws {
        guard !intents.isEmpty else { return }
        let apply = ApplyIntent(
            pool: pool, clock: clock.domain, fanOut: fanOut, wakeSignals: wakeSignals, logger: .silent,
            reconcile: dispatcher.reconcile)
        try await apply(intents.map { (intent: $0, traceparent: nil) })
    }

    fileprivate func register(
        _ device: DeviceID, _ body: RegisterDeviceBody, for customer: CustomerID
    ) async throws -> String? {
        let register = RegisterDevice(
            pool: pool, clock: clock.domain, fanOut: fanOut, hub: hub, wakeSignals: wakeSignals, outbox: UnreadOutbox(),
            wall: wall)
        return try await register(device, body, for: customer).newSecret?.text
    }

    fileprivate func report(
        _ body: ReportsBody, from device: DeviceID, of customer: CustomerID
    ) async throws -> ReportsTakenBody? {
        let now = clock.now
        let reports = try body.reports.enumerated().map {
            try DeviceReport($1, at: "reports[\($0)]", now: now, wall: now)
        }
        let apply = ApplyReports(
            pool: pool, clock: clock.domain, fanOut: fanOut, wakeSignals: wakeSignals, outbox: UnreadOutbox())
        return try await apply(reports, from: device, of: customer)
    }

    /// What a device should show.
    fileprivate func wanted(on device: DeviceID, of customer: CustomerID) async throws -> WantedBody? {
        try await ShowWanted(pool: pool, clock: clock.domain, transports: transports)(device, of: customer)
    }

    /// When a device is next due.
    func nextDue() async throws -> Date? { try await ActivityRepository.nextDue(on: pool) }

    /// What the service knows of a device's cards, and what became of their pushes, oldest first.
    func description(of device: String) async throws -> String {
        let pushes = try await pool.query(
            """
            SELECT card_id, event || ' ' || extract(epoch FROM leased_at - \(Scenario.start))::int || ' s '
                || coalesce(result, '-') AS text
            FROM pushes WHERE device_id = \(device) ORDER BY leased_at
            """
        ).map { (try $0.decode("card_id", as: UUID.self), try $0.decode("text", as: String.self)) }
        guard let id = DeviceID(rawValue: device) else { return "" }
        return try await ActivityRepository.cards(on: id, in: pool).map { stored in
            let card = stored.card
            let results = pushes.filter { $0.0 == card.id }.map(\.1)
            return """
                \(card.activity) is \(card.state) (\(stored.reason ?? "-")), \
                token \(card.updateToken == nil ? "none" : "known"), \(results.suffix(6))
                """
        }.joined(separator: "; ")
    }

    /// What is wanted of every activity of a customer's, or of one.
    func wanted(_ activity: ActivityID) async throws -> ActivityStep? {
        try await ActivityRepository.activity(activity, on: pool)?.activity.wanted
    }
}

/// An app's way to the service without a network between: the bodies are those of the wire.
struct DirectExchange: AppExchange {
    let service: ScenarioService
    let device: DeviceID
    let customer: CustomerID

    /// The service answered as it would with 4xx.
    struct Refused: Error {}

    /// Links are of `orders`, which is not here.
    func press(_ link: String) async throws -> PressOutcome { throw Refused() }

    /// With another try where the database was away, as over HTTP.
    func send(_ method: HTTPMethod, _ path: String, _ body: Data?) async throws -> Data {
        for _ in 1..<HTTPAppExchange.triesMax {
            do {
                return try await sendOnce(method, path, body)
            } catch let refused as Refused {
                throw refused
            } catch {
                continue
            }
        }
        return try await sendOnce(method, path, body)
    }

    private func sendOnce(_ method: HTTPMethod, _ path: String, _ body: Data?) async throws -> Data {
        switch (method, path) {
        case (.GET, "/wanted"):
            guard let wanted = try await service.wanted(on: device, of: customer) else { throw Refused() }
            return try WireJSON.encode(wanted)
        case (.PUT, ""):
            let body = try WireJSON.decode(RegisterDeviceBody.self, from: body ?? Data())
            return try WireJSON.encode(["secret": await service.register(device, body, for: customer)])
        case (.POST, "/reports"):
            let body = try WireJSON.decode(ReportsBody.self, from: body ?? Data())
            guard let taken = try await service.report(body, from: device, of: customer) else { throw Refused() }
            return try WireJSON.encode(taken)
        default: throw Refused()
        }
    }
}
