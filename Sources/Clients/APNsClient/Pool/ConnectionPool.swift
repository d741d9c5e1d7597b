internal import DeclaredMetrics
internal import FlowControl
internal import Logging
internal import Metrics
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// The connections to one environment and the requests that wait for them; all on one event loop.
final class ConnectionPool {
    /// A place for one connection.
    private enum Slot {
        case empty
        case opening(PushConnection)
        case open(PushConnection)
        case backingOff(until: NIODeadline)
    }

    private let eventLoop: any EventLoop
    private let environment: APNsEnvironment
    private let endpoint: APNsEndpoint
    private let tls: NIOSSLContext
    private let configuration: APNsConfiguration
    private let logger: Logger
    private let counters: RequestCounters
    private let openGauge: Gauge
    private let waitingGauge: Gauge
    private let backingOffGauge: Gauge
    private let failedCounter: Counter

    private var slots: [Slot]
    private var failures: [Int]
    private var nextSlot = 0
    /// Every connection that may have requests in flight, including those that accept no more.
    private var connections: [ObjectIdentifier: PushConnection] = [:]
    private var waiting: CircularBuffer<PendingPush> = []
    /// The number of requests in ``waiting`` whose caller still waits.
    private var waitingCount = 0
    private var lastFailure = "none was tried"
    private var failureWarnings = LogThrottle(every: .seconds(30))
    private var deadline: (at: NIODeadline, timer: Scheduled<Void>)?
    private var drained: EventLoopPromise<Void>?
    private var isShutDown = false

    init(
        _ environment: APNsEnvironment, endpoint: APNsEndpoint, tls: NIOSSLContext, configuration: APNsConfiguration,
        counters: RequestCounters, eventLoop: any EventLoop, logger: Logger
    ) {
        self.environment = environment
        self.endpoint = endpoint
        self.tls = tls
        self.configuration = configuration
        self.counters = counters
        self.eventLoop = eventLoop
        self.logger = logger
        let labels = [("environment", environment.rawValue)]
        openGauge = APNsMetrics.connectionsOpen.gauge(labels)
        waitingGauge = APNsMetrics.requestsWaiting.gauge(labels)
        backingOffGauge = APNsMetrics.backingOff.gauge(labels)
        failedCounter = APNsMetrics.connectionsFailed.counter(labels)
        slots = Array(repeating: .empty, count: configuration.connections)
        failures = Array(repeating: 0, count: configuration.connections)
    }

    // MARK: Requests

    /// Runs the commands submitted since the last call, in order.
    func receive(_ commands: [Submissions.Command]) {
        let now = NIODeadline.now()
        for command in commands {
            switch command {
            case .send(let push): admit(push, at: now)
            case .cancel(let push): cancel(push)
            }
        }
        dispatch(at: now)
    }

    private func admit(_ push: PendingPush, at now: NIODeadline) {
        if case .cancelled = push.stage { return finish(push, .notSent(.cancelled)) }
        if isShutDown { return finish(push, .notSent(.shuttingDown)) }
        if push.deadline <= now { return finish(push, .notSent(.timedOut)) }
        if waitingCount >= configuration.requestsWaitingMax { return finish(push, .notSent(.queueFull)) }
        push.stage = .waiting
        waiting.append(push)
        waitingCount += 1
        expire(by: push.deadline)
    }

    private func cancel(_ push: PendingPush) {
        switch push.stage {
        case .new: push.stage = .cancelled
        case .cancelled, .done: break
        case .waiting: finish(push, .notSent(.cancelled))
        case .sent(let connection, let id): connection.abandon(id, cause: .cancelled)
        }
    }

    /// Counts a result and resumes the caller.
    func finish(_ push: PendingPush, _ result: APNsResult) {
        counters.count(result)
        if case .waiting = push.stage {
            waitingCount -= 1
            // Requests without a caller stay in the queue until they reach its head or are too many.
            if waiting.count > 2 * waitingCount + 64 {
                push.finish(result)
                waiting.removeAll(where: \.isDone)
            }
        }
        push.finish(result)
    }

    /// Distributes waiting requests over connections with room, round robin.
    private func dispatch(at now: NIODeadline) {
        if waitingCount > 0 { open(at: now) }
        var touched = 0
        while waitingCount > 0, let connection = connectionWithRoom() {
            guard let push = waiting.popFirst() else { break }
            if push.isDone { continue }
            waitingCount -= 1
            connection.start(push)
            touched |= 1 << connection.slot
        }
        if touched != 0 {
            for case .open(let connection) in slots where touched & (1 << connection.slot) != 0 { connection.flush() }
        }
        if waitingCount > 0, !isAnyOpenOrOpening { failWaiting(.noConnection(lastFailure)) }
        waitingGauge.record(waitingCount)
    }

    private func connectionWithRoom() -> PushConnection? {
        for offset in 0..<slots.count {
            let index = (nextSlot + offset) % slots.count
            if case .open(let connection) = slots[index], connection.room > 0 {
                nextSlot = (index + 1) % slots.count
                return connection
            }
        }
        return nil
    }

    private func failWaiting(_ cause: APNsNotSentCause) {
        let pushes = waiting
        waiting = []
        for push in pushes where !push.isDone { finish(push, .notSent(cause)) }
    }

    // MARK: Time-outs

    /// Schedules the expiry of due requests no later than `moment`, with one timer for all requests.
    private func expire(by moment: NIODeadline) {
        if let deadline {
            if deadline.at <= moment { return }
            deadline.timer.cancel()
        }
        let timer = eventLoop.assumeIsolated().scheduleTask(deadline: moment) { [weak self] in
            guard let self else { return }
            expire()
        }
        deadline = (moment, timer)
    }

    private func expire() {
        deadline = nil
        let now = NIODeadline.now()
        var next: NIODeadline?
        let pushes = Array(waiting) + connections.values.flatMap(\.pushes)
        for push in pushes where !push.isDone {
            if push.deadline > now {
                next = min(next ?? push.deadline, push.deadline)
            } else if case .sent(let connection, let id) = push.stage {
                connection.abandon(id, cause: .timedOut)
            } else {
                finish(push, .notSent(.timedOut))
            }
        }
        if let next { expire(by: next) }
        dispatch(at: now)
        finishDrain()
    }

    // MARK: Connections

    /// Opens a connection in every empty place that may have one.
    private func open(at now: NIODeadline) {
        guard !isShutDown else { return }
        for index in slots.indices {
            switch slots[index] {
            case .empty: open(index)
            case .backingOff(let until) where until <= now: open(index)
            case .backingOff, .opening, .open: break
            }
        }
    }

    private var isAnyOpenOrOpening: Bool {
        slots.contains {
            switch $0 {
            case .open, .opening: true
            case .empty, .backingOff: false
            }
        }
    }

    private func open(_ index: Int) {
        let connection = PushConnection(
            slot: index, pool: self, authority: endpoint.authority, configuration: configuration)
        slots[index] = .opening(connection)
        connections[ObjectIdentifier(connection)] = connection
        let tls = tls
        let name = endpoint.serverName
        let timeout = configuration.connectTimeout
        // Each connection resolves the name again: Apple spreads load by DNS.
        ClientBootstrap(group: eventLoop)
            .resolver(configuration.resolver)
            .connectTimeout(TimeAmount(timeout))
            .connect(host: endpoint.host, port: endpoint.port)
            .assumeIsolated()
            .whenComplete { result in
                do {
                    let channel = try result.get()
                    if connection.isClosed { return channel.close(promise: nil) }
                    // A channel of several that were tried for the name, so handlers are added only now.
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLClientHandler(context: tls, serverHostname: name), connection,
                    ])
                } catch {
                    connection.failToConnect(error)
                }
            }
        eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(timeout)) { [weak connection] in
            guard let connection, !connection.isReady else { return }
            connection.close(because: "it was not ready for requests within \(timeout)")
        }
        recordSlots()
    }

    // MARK: Connection events

    /// APNs' settings have come.
    func isReady(_ connection: PushConnection) {
        guard owns(connection) else { return }
        if isShutDown { return connection.end() }
        slots[connection.slot] = .open(connection)
        if failureWarnings.reset() { logger.info("Connected to APNs again", metadata: metadata) }
        logger.debug("Connected to APNs", metadata: metadata)
        recordSlots()
    }

    /// A request was accepted on it.
    func isAuthenticated(_ connection: PushConnection) {
        if owns(connection) { failures[connection.slot] = 0 }
    }

    /// The connection has processed the answers and settings of one read.
    func hasRead(_ connection: PushConnection) {
        if waitingCount > 0 { dispatch(at: .now()) }
        finishDrain()
    }

    /// The connection accepts no more requests; APNs may still answer those in flight.
    func ends(_ connection: PushConnection, reason: String, isFailure: Bool) {
        guard owns(connection) else { return }
        logger.info("A connection to APNs accepts no more requests", metadata: metadata(reason))
        leave(connection, isFailure: isFailure || !connection.isAuthenticated, reason: reason)
    }

    /// The connection is lost; its requests' callers have not been resumed yet.
    func isLost(_ connection: PushConnection, reason: String) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil, owns(connection) else { return }
        guard !isShutDown else { return }
        failedCounter.increment()
        lastFailure = reason
        if failureWarnings.isDue(at: .now) {
            logger.warning("A connection to APNs failed, requests wait for the next", metadata: metadata(reason))
        }
        leave(connection, isFailure: !connection.isAuthenticated, reason: reason)
    }

    /// The callers of the lost connection's requests have been resumed.
    func hasLostAll(_ connection: PushConnection) {
        if waitingCount > 0 { dispatch(at: .now()) }
        finishDrain()
    }

    private func owns(_ connection: PushConnection) -> Bool {
        switch slots[connection.slot] {
        case .opening(let own), .open(let own): own === connection
        case .empty, .backingOff: false
        }
    }

    private func leave(_ connection: PushConnection, isFailure: Bool, reason: String) {
        let index = connection.slot
        guard isFailure else {
            slots[index] = .empty
            return recordSlots()
        }
        lastFailure = reason
        failures[index] += 1
        let backOff = BackOff(first: configuration.reconnectWait, longest: configuration.reconnectWaitMax)
        let pause = backOff.delay(failures: failures[index], jitter: .random(in: 0...1))
        slots[index] = .backingOff(until: .now() + TimeAmount(pause))
        logger.debug(
            "Waiting before the next connection to APNs",
            metadata: metadata(reason).merging(["wait_seconds": "\(pause / .seconds(1))"]) { $1 })
        recordSlots()
    }

    private func recordSlots() {
        openGauge.record(slots.count { if case .open = $0 { true } else { false } })
        // One that is tried again counts until it is open: where packets are dropped, each attempt lasts long.
        backingOffGauge.record(slots.indices.count { if case .open = slots[$0] { false } else { failures[$0] > 0 } })
    }

    private var metadata: Logger.Metadata {
        ["environment": "\(environment.rawValue)", "host": "\(endpoint.authority)"]
    }

    private func metadata(_ reason: String) -> Logger.Metadata {
        metadata.merging(["reason": "\(reason)"]) { _, new in new }
    }

    // MARK: Shutdown

    /// Refuses waiting and new requests, and lets requests in flight finish until `drainTimeout`.
    func shutDown(_ done: EventLoopPromise<Void>) {
        isShutDown = true
        drained = done
        failWaiting(.shuttingDown)
        for connection in Array(connections.values) { connection.end() }
        eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(configuration.drainTimeout)) { [weak self] in
            guard let self else { return }
            for connection in Array(connections.values) {
                for push in connection.pushes { finish(push, .unknown(.shuttingDown)) }
                connection.close(because: "the process shuts down")
            }
            finishDrain()
        }
        finishDrain()
    }

    private func finishDrain() {
        guard let drained, connections.values.allSatisfy({ $0.inFlight == 0 }) else { return }
        self.drained = nil
        drained.succeed()
    }
}
