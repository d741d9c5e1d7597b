import EmulatorAPI
import FaultInjection
import Foundation
import Glibc
import SimulationSupport
import Synchronization
import TestSupport

/// Carries out the faults of a plan against a stack, and mends each of them.
struct Injector: Sendable {
    let stack: ProxiedStack
    let devices: DeviceFleet
    let phones: IPhoneFleet
    let faultTimes: FaultTimes
    let database: DatabaseFaults
    let book: LedgerBook
    let log: RunLog

    /// Injects a round of faults, and returns when all are mended.
    func inject(_ round: [PlannedFault]) async throws {
        let began = ContinuousClock.now
        var last: [String: Task<Void, any Error>] = [:]
        var all: [Task<Void, any Error>] = []
        for fault in round {
            try await Task.sleep(until: began + .seconds(fault.at), clock: .continuous)
            let former = last[fault.resource]
            // Awaited below; one after another where two are done to the same thing.
            let task = Task {
                try await former?.value
                log.line("\(fault)")
                let began = ContinuousClock.now
                try await inject(fault)
                if fault.mayRepeatEvents { faultTimes.note(began..<ContinuousClock.now) }
            }
            last[fault.resource] = task
            all.append(task)
        }
        for task in all { try await task.value }
    }

    private func inject(_ fault: PlannedFault) async throws {
        switch fault.target {
        case .devices: try await disconnect(fault)
        case .phones: try await injectIntoPhone(fault)
        case .apple: try await injectIntoApple(fault)
        case .receiver: try await breakConnections(fault)
        case .orders: try await inject(fault, into: .orders)
        case .courierETA: try await inject(fault, into: .courierETA)
        case .dispatch: try await inject(fault, into: .dispatch)
        case .desk: try await inject(fault, into: .desk)
        case .partners: try await inject(fault, into: .partners)
        case .broker: try await injectIntoBroker(fault)
        case .database: try await injectIntoDatabase(fault)
        }
    }

    private func disconnect(_ fault: PlannedFault) async throws {
        await devices.disconnect(fault.choice)
        try await pause(fault)
        await devices.connect(fault.choice)
    }

    private func injectIntoPhone(_ fault: PlannedFault) async throws {
        let id = phones.ids[fault.choice % phones.ids.count]
        try await phones.phones.act(fault.kind == .killApp ? .killApp : .goOffline, on: id)
        try await pause(fault)
        try await phones.phones.act(fault.kind == .killApp ? .launchApp : .goOnline, on: id)
    }

    private func injectIntoApple(_ fault: PlannedFault) async throws {
        guard let script = fault.pushScript else { return try await breakConnections(fault) }
        try await phones.phones.addFault(script)
        try await pause(fault)
        try await phones.phones.removeFaults()
    }

    private func pause(_ fault: PlannedFault) async throws { try await Task.sleep(for: .seconds(fault.lasts)) }

    // MARK: Services

    private func inject(_ fault: PlannedFault, into service: ServiceName) async throws {
        let processes = stack.processes
        let replica = ProcessStack.Replica(service: service, number: 1)
        switch fault.kind {
        case .kill:
            await processes.kill9(replica)
            try await pause(fault)
            try await processes.launch(replica)
        case .terminate:
            await processes.terminate(replica.name)
            try await pause(fault)
            try await processes.launch(replica)
        case .suspend: try await suspend(replica.name, fault)
        case .addReplica: try await addReplica(of: service, fault)
        default: try await breakConnections(fault)
        }
    }

    private func suspend(_ name: String, _ fault: PlannedFault) async throws {
        await stack.processes.signal(name, SIGSTOP)
        try await pause(fault)
        await stack.processes.signal(name, SIGCONT)
    }

    private func addReplica(of service: ServiceName, _ fault: PlannedFault) async throws {
        let second = ProcessStack.Replica(service: service, number: 2)
        try await stack.processes.launch(second)
        stack.route(second, isRunning: true)
        try await pause(fault)
        stack.route(second, isRunning: false)
        if fault.choice.isMultiple(of: 2) {
            await stack.processes.kill9(second)
        } else {
            await stack.processes.terminate(second.name)
        }
    }

    // MARK: Connections

    private func breakConnections(_ fault: PlannedFault) async throws {
        let proxies = stack.proxies(to: fault.target)
        guard let mode = fault.kind.mode else {
            for proxy in proxies { await proxy.resetConnections() }
            return
        }
        for proxy in proxies { proxy.set(mode) }
        try await pause(fault)
        for proxy in proxies { proxy.set(.forward) }
    }

    // MARK: The broker

    private func injectIntoBroker(_ fault: PlannedFault) async throws {
        let processes = stack.processes
        switch fault.kind {
        case .kill:
            await processes.kill9Nats()
            try await pause(fault)
            try await processes.startNats()
        case .terminate:
            await processes.terminateNats()
            try await pause(fault)
            try await processes.startNats()
        case .suspend: try await suspend(ProcessStack.broker, fault)
        case .wipeStore:
            await processes.kill9Nats()
            try await processes.deleteBrokerStore()
            try await pause(fault)
            try await processes.startNats()
            try await rebuildStreams()
        case .deleteStream:
            try await Broker(stack).deleteStream(fault.choice)
            try await pause(fault)
            try await rebuildStreams()
        case .deleteConsumer: try await Broker(stack).deleteConsumer(fault.choice)
        case .setBackStore, .setBackMessages:
            try await processes.copyBrokerStore()
            try await pause(fault)
            await processes.terminateNats()
            try await processes.setBackBrokerStore(messagesOnly: fault.kind == .setBackMessages)
            try await processes.startNats()
        default: try await breakConnections(fault)
        }
    }

    /// What an operator does when the broker lost its streams, until it succeeds.
    private func rebuildStreams() async throws {
        let processes = stack.processes
        let failure = Mutex("")
        try await eventually("the streams are made anew", within: 300, explain: { failure.withLock(\.self) }) {
            do {
                try await processes.admin(["rebuild-streams", "--yes"])
                return true
            } catch {
                failure.withLock { $0 = "\(error)" }
                return false
            }
        }
    }

    // MARK: The database

    private func injectIntoDatabase(_ fault: PlannedFault) async throws {
        let postgres = await database.primary
        switch fault.kind {
        case .kill:
            try await postgres.kill9()
            try await pause(fault)
            try await postgres.restart()
        case .terminate:
            try await postgres.stopImmediately()
            try await pause(fault)
            try await postgres.restart()
        case .killPostmaster:
            try await postgres.killPostmaster()
            try await pause(fault)
            try await postgres.restart()
        case .suspend: try await database.suspendSession(fault.choice, for: fault.lasts)
        case .killSession: try await database.killSession(fault.choice)
        case .terminateSessions: try await database.terminateSessions()
        case .cancelStatements: try await database.cancelStatements()
        case .lockTable: try await database.lockTable(fault.choice, for: fault.lasts)
        case .switchOver: try await database.switchOver(after: fault.lasts) { try await noteFirstWrite() }
        default: try await breakConnections(fault)
        }
    }
}

extension Injector {
    /// Waits until a change is acknowledged, and notes how long that took.
    private func noteFirstWrite() async throws {
        let began = ContinuousClock.now
        let before = await book.ledger.acknowledgedCount
        try await eventually("a change is acknowledged after a promotion", within: 120) {
            await book.ledger.acknowledgedCount > before
        }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        await book.switchedOver(after: seconds)
        log.line("a change was acknowledged \(PlannedFault.text(seconds)) s after the promotion")
    }
}

extension FaultKind {
    /// What a proxy does meanwhile; nil where connections are reset once.
    fileprivate var mode: Proxy.Mode? {
        switch self {
        case .refuseConnections: .refuse
        case .stallConnections: .stall
        case .cutAnswers: .cutAnswers
        case .halveAnswers: .halveAnswers
        default: nil
        }
    }
}
