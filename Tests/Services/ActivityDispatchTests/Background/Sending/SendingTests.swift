import BackgroundWork
import DomainTime
import DoorstepAPI
import FlowControl
import Foundation
import LiveActivity
import Messages
import Metrics
import MetricsTestKit
import OrderDomain
import PostgresClient
import ServiceLifecycle
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import ActivityDispatch

/// A transport that answers when the test lets it, or when its send is cancelled.
private final class GatedTransport: Transport {
    private let sent = Mutex(0)
    private let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    private let cancelled: PushResult
    let limits = Limits.apns
    let isTransactional = false

    init(cancelled: PushResult = .unknown("cancelled")) { self.cancelled = cancelled }

    var count: Int { sent.withLock { $0 } }

    func open() { opening.finish() }

    func send(_ push: Push, to card: Card, on device: Device) async -> PushResult {
        sent.withLock { $0 += 1 }
        for await _ in gate {}
        return Task.isCancelled ? cancelled : .accepted()
    }
}

/// A transport to which something happens while it sends, and that never learns what became of it.
private final class RewritingTransport: Transport {
    private let state = Mutex<(count: Int, onSend: (@Sendable () async throws -> Void)?)>((0, nil))
    let limits = Limits.apns
    let isTransactional = false

    var count: Int { state.withLock { $0.count } }
    var onSend: (@Sendable () async throws -> Void)? {
        get { state.withLock { $0.onSend } }
        set { state.withLock { $0.onSend = newValue } }
    }

    func send(_ push: Push, to card: Card, on device: Device) async -> PushResult {
        state.withLock { $0.count += 1 }
        try? await onSend?()
        return .unknown("reset")
    }
}

@Suite("Sending apart from looking", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct SendingTests {
    static let tablet = DeviceID(rawValue: "tablet")!
    let delivery = DeliveryID(UUID())

    @Test("A silent APNs stops no stream device")
    func silent() async throws {
        let transport = GatedTransport()
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(Self.tablet, transport: "apns")
            try await service.register()
            try await service.show(1, of: delivery)
            let dispatcher = service.dispatcher()
            try await withThrowingTaskGroup { group in
                group.addTask { try await dispatcher.run() }
                while transport.count < 1 { await Task.yield() }
                for version in 2...5 {
                    service.clock.advance(by: 5)
                    try await service.show(version, of: delivery)
                    while try await service.events()?.last?.revision.version != version { await Task.yield() }
                }
                #expect(transport.count == 1)
                group.cancelAll()
            }
        }
    }

    @Test("A start that waits for its turn when the process stops goes back at once, and costs nothing")
    func stopped() async throws {
        let transport = GatedTransport()
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(transport: "apns")
            try await service.show(1, of: delivery)
            let dispatcher = service.dispatcher()
            try await dispatcher.reconcileDueDevices()
            #expect(try await service.cards(of: delivery).map(\.state) == ["starting"])
            dispatcher.reconcile.queue.pushes.close()
            await dispatcher.sendQueued()
            #expect(transport.count == 0)
            #expect(try await service.cards(of: delivery).map(\.state) == ["waiting"])
            let device = try await ActivityRepository.device(DispatchUnderTest.phone, on: service.pool)
            #expect(device?.device.starts.tokens == 8)
        }
    }

    @Test("A start whose process died goes out after its lease, and not a second time from that process")
    func died() async throws {
        let transport = FakeTransport([])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(transport: "apns")
            try await service.show(1, of: delivery)
            let stuck = service.dispatcher()
            try await stuck.reconcileDueDevices()
            try await service.reconcile()
            #expect(transport.pushes.isEmpty)
            service.clock.advance(by: 31)
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.start])
            await stuck.sendQueued()
            #expect(transport.pushes.map(\.event) == [.start])
        }
    }

    @Test(
        "A key that Apple refuses touches no card, and halts the device until the circuit is tried again",
        arguments: [
            (nil, "halted", "error", [1, 0]), ("shop.made-up", "app_refused", "warning", [0, 1]),
        ] as [(String?, String, String, [Double?])])
    func halted(bundleID: String?, why: String, level: String, open: [Double?]) async throws {
        let transport = FakeTransport([.halted(reason: "InvalidProviderToken")])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(transport: "apns", bundleID: bundleID)
            try await service.show(1, of: delivery)
            let (lines, metrics) = (LogLines(), TestMetrics())
            let dispatcher = service.dispatcher(logger: lines.logger)
            func circuitsOpen() throws -> [Double?] {
                try ["doorstep_push_circuits_open", "doorstep_push_circuits_of_other_apps"].map {
                    try metrics.expectGauge($0).lastValue
                }
            }
            func send() async throws {
                try await dispatcher.reconcileDueDevices()
                _ = await withMetricsFactory(metrics) { await dispatcher.sendQueued() }
            }
            for _ in 0..<3 { try await send() }
            #expect(transport.pushes.count == 1)
            let card = try #require(try await service.cards(of: delivery).first)
            #expect(card.state == "waiting" && card.why == why && card.isBehind && card.answered == "halted")
            // A card of an app that a device made up has no age, so that no alert pages for it.
            let behind = try await ActivityRepository.cardsBehind(on: service.pool)
            #expect(behind.count == 1 && (behind.oldestSince == nil) == (bundleID != nil))
            #expect(try circuitsOpen() == open)
            #expect(lines.all.filter { $0.contains("InvalidProviderToken") }.map { $0.hasPrefix(level) } == [true])
            service.clock.advance(by: 30)
            try await send()
            #expect(transport.pushes.count == 2)
            #expect(try await service.cards(of: delivery).map(\.state) == ["starting"])
            #expect(try circuitsOpen() == [0, 0])
        }
    }

    @Test("What waits for its turn when a key is refused is not sent either")
    func haltedInTheQueue() async throws {
        let transport = FakeTransport([.halted(reason: "InvalidProviderToken")])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(transport: "apns")
            try await service.register(Self.tablet, transport: "apns")
            try await service.show(1, of: delivery)
            let dispatcher = service.dispatcher()
            try await dispatcher.reconcileDueDevices()
            #expect(await dispatcher.sendQueued() == 2)
            #expect(transport.pushes.count == 1)
            #expect(try await service.cards(of: delivery).map(\.state) == ["waiting", "waiting"])
        }
    }

    @Test(
        "A send is given up before its lease expires and when the process stops; an unsent start costs nothing",
        arguments: [PushResult.unknown("cancelled"), .notSent("cancelled")], [false, true])
    func givenUp(result: PushResult, atStop: Bool) async throws {
        let transport = GatedTransport(cancelled: result)
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(transport: "apns")
            try await service.show(1, of: delivery)
            var configuration = DispatchConfiguration()
            configuration.drainTimeout = atStop ? .zero : .seconds(3_600)
            if !atStop { configuration.leaseDuration = configuration.recordingTime + 0.05 }
            let services = ServiceGroup(services: [service.dispatcher(configuration)], logger: .silent)
            try await withThrowingTaskGroup { group in
                group.addTask { try await services.run() }
                while transport.count < 1 { await Task.yield() }
                await services.triggerGracefulShutdown()
                try await group.waitForAll()
            }
            #expect(transport.count == 1)
            let card = try #require(try await service.cards(of: delivery).first)
            let device = try await ActivityRepository.device(DispatchUnderTest.phone, on: service.pool)
            let isUnknown = result == .unknown("cancelled")
            #expect(card.state == (isUnknown ? "starting" : "waiting"))
            #expect(card.answered == (isUnknown ? "unknown" : "not_sent"))
            #expect(device?.device.starts.tokens == (isUnknown ? 7 : 8))
        }
    }

    @Test("A start whose turn comes when its time is over is not sent, and costs nothing")
    func late() async throws {
        let transport = FakeTransport([])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(transport: "apns")
            try await service.show(1, of: delivery)
            let time = ElapsedTime()
            let configuration = DispatchConfiguration()
            let dispatcher = service.dispatcher(configuration, elapsed: { time.now })
            try await dispatcher.reconcileDueDevices()
            time.advance(by: .seconds(configuration.leaseDuration - configuration.recordingTime))
            #expect(await dispatcher.sendQueued() == 1)
            #expect(transport.pushes.isEmpty)
            let card = try #require(try await service.cards(of: delivery).first)
            #expect(card.state == "waiting" && card.answered == "not_sent")
            let device = try await ActivityRepository.device(DispatchUnderTest.phone, on: service.pool)
            #expect(device?.device.starts.tokens == 8)
        }
    }

    @Test("On shutdown what is on its way may finish, and what waits for its turn goes back at once")
    func shutdown() async throws {
        let transport = GatedTransport()
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(transport: "apns")
            try await service.register(Self.tablet, transport: "apns")
            try await service.show(1, of: delivery)
            var configuration = DispatchConfiguration()
            configuration.queue.inFlightMax = 1
            // Longer than the test may run.
            configuration.drainTimeout = .seconds(3_600)
            let dispatcher = service.dispatcher(configuration)
            let services = ServiceGroup(services: [dispatcher], logger: .silent)
            try await withThrowingTaskGroup { group in
                group.addTask { try await services.run() }
                while transport.count < 1 { await Task.yield() }
                await services.triggerGracefulShutdown()
                while !dispatcher.reconcile.queue.pushes.isClosed { await Task.yield() }
                transport.open()
                try await group.waitForAll()
            }
            #expect(transport.count == 1)
            let cards = try await service.cards(of: delivery)
            #expect(cards.map(\.state).sorted() == ["starting", "waiting"])
            #expect(cards.compactMap(\.answered).sorted() == ["not_sent", "taken"])
        }
    }

    @Test("What became of a push is not kept once the database's pool has closed, and holds up no shutdown")
    func closedPool() async throws {
        let transport = GatedTransport()
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(transport: "apns")
            try await service.show(1, of: delivery)
            var configuration = DispatchConfiguration()
            // Longer than the test may take.
            configuration.outagePause = .seconds(3_600)
            let dispatcher = service.dispatcher(configuration)
            try await dispatcher.reconcileDueDevices()
            async let sent = dispatcher.sendQueued()
            while transport.count < 1 { await Task.yield() }
            await service.pool.shutDown()
            transport.open()
            #expect(await sent == 1)
        }
    }

    /// Has the phone's app report a start, with the token that updates the card.
    private func confirm(_ environment: PushTokenBody.Environment, on service: DispatchUnderTest) async throws {
        let report = try DeviceReport(
            ReportBody(
                activity: DispatchUnderTest.activity(delivery).rawValue, kind: .started,
                updateToken: PushTokenBody(value: "ef01", environment: environment)),
            at: "reports[0]", now: noon, wall: noon)
        _ = try await service.applyReports([report], from: DispatchUnderTest.phone, of: DispatchUnderTest.mira)
    }

    @Test("An end that its card's environment is refused for is leased once, not again and again")
    func haltedEnd() async throws {
        let transport = FakeTransport([.accepted(), .halted(reason: "BadEnvironmentKeyIdInToken")])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.showOnPhone(delivery, transport: "apns")
            try await confirm(.sandbox, on: service)
            service.clock.advance(by: 60)
            try await service.end(2, of: delivery)
            let dispatcher = service.dispatcher()
            for _ in 1...4 {
                try await dispatcher.reconcileDueDevices()
                await dispatcher.sendQueued()
            }
            #expect(transport.pushes.map(\.event) == [.start, .end])
            let ends = try await service.pool.query("SELECT count(*) AS count FROM pushes WHERE event = 'end'")
            #expect(try ends.first?.decode("count", as: Int.self) == 1)
            #expect(try await service.cards(of: delivery).first?.why == "halted")
            service.clock.advance(by: 31)
            try await dispatcher.reconcileDueDevices()
            await dispatcher.sendQueued()
            #expect(transport.pushes.map(\.event) == [.start, .end, .end])
        }
    }

    @Test("A start that was handed over stays so, whoever writes its card meanwhile, and is not sent twice")
    func handedOverOnce() async throws {
        let transport = RewritingTransport()
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(transport: "apns")
            try await service.show(1, of: delivery)
            let dispatcher = service.dispatcher()
            try await dispatcher.reconcileDueDevices()
            let read = try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool)
            transport.onSend = { try await service.pool.batch(ActivityRepository.save(read)) }
            await dispatcher.sendQueued()
            #expect(transport.count == 1)
            service.clock.advance(by: 60)
            try await service.reconcile()
            #expect(transport.count == 1)
            #expect(try await service.cards(of: delivery).map(\.state) == ["starting"])
        }
    }

    @Test("While as many pushes wait as may, nothing more is leased")
    func noRoom() async throws {
        let transport = FakeTransport([])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(transport: "apns")
            try await service.register(Self.tablet, transport: "apns")
            try await service.show(1, of: delivery)
            var configuration = DispatchConfiguration()
            configuration.devicesPerBatchMax = 1
            configuration.queue.queuedMax = 1
            let dispatcher = service.dispatcher(configuration)
            try await dispatcher.reconcileDueDevices()
            let cards = try await service.cards(of: delivery)
            #expect(cards.map(\.state).sorted() == ["starting", "waiting"])
            #expect(cards.first { $0.state == "waiting" }?.why == "queue_full")
            #expect(try await service.health().allSatisfy { $0.behind == 0 })
            await dispatcher.sendQueued()
            service.clock.advance(by: configuration.fullPause)
            try await dispatcher.reconcileDueDevices()
            await dispatcher.sendQueued()
            #expect(transport.pushes.count == 2)
        }
    }
}
