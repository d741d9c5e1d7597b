import DeliveryProviders
import FaultInjection
import Foundation
import OrderDomain
import ScriptedPeers
import SimulationSupport
import TestSupport

/// The run of one seed: a stack of its own, load and faults, and checks in between.
struct SeedRun: Sendable {
    /// Domain seconds in a wall second: cards, windows and timers pass in a run, and no card reaches its eighth hour.
    static let rate = 20.0
    static let customers = ["mette", "jonas", "aya", "lars", "nina", "omar", "sofie", "emil", "freja", "noah"]
    /// Those with an iPhone, the last two of whom have no other device.
    static let iPhoneCustomers = ["mette", "aya", "nina", "sofie", "emil", "lars", "noah"]
    static let store = StoreID(rawValue: "nordhavn")
    /// Deliveries that a customer has at a time, orders of two aside.
    static let deliveriesPerCustomer = 3
    /// Wall seconds after the end of the faults within which everything is right.
    static let recoverySecondsMax = 120.0
    /// Wall seconds after the promotion of a standby within which a change is acknowledged.
    static let switchOverSecondsMax = 10.0

    /// How often customers open the app on their phones until all is right.
    static let openingInterval = Duration.seconds(15)

    /// How often what is not right yet is printed.
    static let reportInterval = Duration.seconds(20)

    let plan: FaultPlan
    /// Where logs go after a violation.
    let keptLogs: String

    /// Whether faults are planted at the end, each of which the oracle must name.
    let isTrial: Bool

    func callAsFunction() async throws -> RunReport {
        let log = RunLog(seed: plan.seed)
        // What waits for a third attempt waits for longer than a check does.
        let receiver = WebhookReceiver(seed: plan.seed, refusalsMax: 1)
        let server = try await ScriptedHTTPServer.start { receiver.receive($0) }
        let stack = try await ProxiedStack.start(
            rate: Self.rate, hasStandby: plan.hasSwitchOver, receiverPort: server.port)
        log.line("the stack is up: \(plan.rounds.count) rounds, \(plan.faultCount) faults")
        return try await withTeardown({
            await stack.stop()
            try await server.stop()
        }) {
            do {
                let report = try await run(on: stack, receiver, log)
                if !report.violations.isEmpty { keepLogs(of: stack, log) }
                return report
            } catch {
                keepLogs(of: stack, log)
                throw error
            }
        }
    }

    private func run(on stack: ProxiedStack, _ receiver: WebhookReceiver, _ log: RunLog) async throws -> RunReport {
        let devices = try await DeviceFleet(
            customers: Self.customers, without: Set(Self.iPhoneCustomers.suffix(2)), on: stack)
        let phones = try await IPhoneFleet(customers: Self.iPhoneCustomers, on: stack)
        let database = DatabaseFaults(stack)
        let faultTimes = FaultTimes()
        let parts = RunParts(
            stack: stack, devices: devices, phones: phones,
            shop: Shop(stack: stack, book: LedgerBook(), gate: Gate()), receiver: receiver, faultTimes: faultTimes,
            database: database, log: log,
            reader: SnapshotReader(stack, devices, phones, receiver, faultTimes, database.pool))
        let providers = try await join(parts)
        await devices.connectAll()
        let report = try await withThrowingTaskGroup(of: RunReport?.self) { group in
            group.addTask {
                await phones.follow()
                return nil
            }
            for customer in load(parts, providers) {
                group.addTask {
                    var customer = customer
                    // Runs until the gate ends.
                    do { try await customer.run() } catch is CancellationError {}
                    return nil
                }
            }
            group.addTask {
                do {
                    return try await rounds(parts)
                } catch {
                    // Whoever waits at the gate would wait for ever.
                    await parts.gate.end()
                    throw error
                }
            }
            var report: RunReport?
            while report == nil, let next = try await group.next() { report = next }
            group.cancelAll()
            return report
        }
        await devices.disconnectAll()
        guard let report else { preconditionFailure("the rounds return a report") }
        return report
    }

    /// Subscribes the shop's receiver to the events of its store, and adds an account at each provider.
    private func join(_ parts: RunParts) async throws -> [ProviderAccount] {
        guard let store = Self.store else { preconditionFailure("a store's id") }
        let endpoint = try await WebhookEndpoint.add(parts.stack.receiverURL, of: store, on: parts.stack)
        try parts.receiver.trust(endpoint.secret)
        var accounts: [ProviderAccount] = []
        for provider in DeliveryProvider.allCases {
            accounts.append(try await ProviderAccount.add(provider, to: parts.stack))
        }
        return accounts
    }

    private func load(_ parts: RunParts, _ providers: [ProviderAccount]) -> [Customer] {
        Self.customers.indices.flatMap { index in
            (0..<Self.deliveriesPerCustomer).map { place in
                Customer(
                    name: Self.customers[index], number: index * Self.deliveriesPerCustomer + place, shop: parts.shop,
                    providers: providers, seed: plan.seed)
            }
        }
    }

    // MARK: Rounds

    private func rounds(_ parts: RunParts) async throws -> RunReport {
        var report = RunReport(seed: plan.seed)
        let injector = Injector(
            stack: parts.stack, devices: parts.devices, phones: parts.phones, faultTimes: parts.faultTimes,
            database: parts.database, book: parts.book, log: parts.log)
        for (index, round) in plan.rounds.enumerated() {
            try await injector.inject(round)
            let mended = ContinuousClock.now
            parts.log.line("round \(index + 1) of \(plan.rounds.count): the faults have ended")
            await parts.gate.close()
            parts.log.line("every request has been answered")
            parts.receiver.set(.acceptingAll)
            if index == plan.rounds.count - 1 { await parts.reader.forget() }
            try await check(parts, since: mended, into: &report)
            report.faults += round.count
            report.kills += round.count(where: \.kind.isKill)
            if index < plan.rounds.count - 1 {
                parts.receiver.set(.refusingSome)
                await parts.gate.open()
            }
        }
        let switchOvers = await parts.book.switchOvers
        report.longestSwitchOver = switchOvers.max()
        report.violations += switchOvers.filter { $0 > Self.switchOverSecondsMax }.map {
            Violation(.answer, "after a promotion no change was acknowledged for \(text($0)) s")
        }
        if isTrial { report.violations += try await OracleTrial(parts: parts)() }
        await parts.gate.end()
        let ledger = await parts.book.ledger
        report.seconds = parts.log.seconds
        report.acknowledged = ledger.acknowledgedCount
        report.fixes = ledger.fixCount
        report.reports = ledger.reportCount
        report.pushes = await parts.devices.eventCount() + (try await parts.phones.pushCount())
        report.events = parts.receiver.accepted.count
        await describe(parts)
        return report
    }

    /// Reads and compares until everything is right, or its time is over; then what is not is a violation.
    private func check(_ parts: RunParts, since mended: ContinuousClock.Instant, into report: inout RunReport)
        async throws
    {
        let known = Set(report.violations)
        var last: [Violation] = []
        var former: [Violation] = []
        var counts = (records: 0, cards: 0)
        var reported = ContinuousClock.now
        var openedAt: ContinuousClock.Instant?
        repeat {
            if openedAt.map({ ContinuousClock.now - $0 > Self.openingInterval }) ?? true {
                openedAt = .now
                try await parts.phones.openApps()
            }
            // One that was found at an earlier point does not hold up this one.
            former = last
            do {
                var snapshot = try await parts.reader.read(parts.book)
                last = Oracle(await parts.book.ledger, snapshot).violations.filter { !known.contains($0) }
                counts = (snapshot.records.count, snapshot.screens.reduce(0) { $0 + $1.cards.count(where: \.isLive) })
                if last.isEmpty {
                    snapshot.doctor = await doctor(parts)
                    last = Oracle(await parts.book.ledger, snapshot).violations.filter { !known.contains($0) }
                }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                last = [Violation(.answer, "nothing could be read: \(error)")]
            }
            if last.isEmpty {
                let seconds = (ContinuousClock.now - mended) / .seconds(1)
                report.longestRecovery = max(report.longestRecovery, seconds)
                parts.log.line(
                    "all is right after \(text(seconds)) s: \(counts.records) deliveries, \(counts.cards) live cards")
                return
            }
            if ContinuousClock.now - reported > Self.reportInterval {
                reported = ContinuousClock.now
                for violation in last.prefix(5) { parts.log.line("not yet: \(violation)") }
            }
            try await Task.sleep(for: .milliseconds(500))
        } while (ContinuousClock.now - mended) / .seconds(1) < Self.recoverySecondsMax
        report.longestRecovery = max(report.longestRecovery, (ContinuousClock.now - mended) / .seconds(1))
        // Beside what was wrong a moment before too, what was not is under way.
        let lasting = last.filter(former.contains)
        if !lasting.isEmpty { last = lasting }
        for violation in last { parts.log.line("VIOLATION \(violation)") }
        report.violations += last
    }

    /// What `doorstep admin doctor` finds wrong; nil where all is well.
    private func doctor(_ parts: RunParts) async -> String? {
        do {
            try await parts.stack.processes.admin(["doctor"])
            return nil
        } catch {
            return "\(error)".split(separator: "\n").filter { $0.hasPrefix("✗") }.joined(separator: "; ")
        }
    }

    // MARK: What is printed and kept

    private func describe(_ parts: RunParts) async {
        let memory = await parts.stack.processes.peakMemory.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value / 1_024) MiB" }
        parts.log.line("most memory resident: \(memory.joined(separator: ", "))")
        for (what, count) in await parts.book.refusals.sorted(by: { $0.key < $1.key }) {
            parts.log.line("refused \(count) times: \(what)")
        }
        for (what, count) in LogFindings(parts.stack.processes.logs).errors.sorted(by: { $0.key < $1.key }) {
            parts.log.line("logged as error \(count) times: \(what)")
        }
    }

    private func keepLogs(of stack: ProxiedStack, _ log: RunLog) {
        let folder = "\(keptLogs)/seed-\(plan.seed)"
        try? FileManager.default.removeItem(atPath: folder)
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, text) in stack.processes.logs {
            try? Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name).log"))
        }
        log.line("the processes' logs are in \(folder)")
    }

    private func text(_ seconds: Double) -> String { String(format: "%.1f", seconds) }
}
