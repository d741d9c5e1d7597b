import Foundation
import SimulationSupport
import Synchronization

extension ProviderRun {
    /// What happens to a stack while providers post to it.
    enum Fault: Sendable {
        /// A service is killed, and started again.
        case killPartners, killOrders
        /// The broker is killed, and started again with what it stored.
        case killBroker
        /// The broker is killed and loses what it stored; its streams are built again.
        case loseBrokerStore
    }

    /// Does to the stack what a fault does, and returns when the stack is whole again.
    func strike(_ fault: Fault) async throws {
        let stack = simulation.stack
        switch fault {
        case .killPartners:
            record.noteKillOfPartners(at: .now)
            await stack.kill9(.partners)
            try await stack.start(.partners)
        case .killOrders:
            await stack.kill9(.orders)
            try await stack.start(.orders)
        case .killBroker:
            await stack.kill9Nats()
            try await stack.startNats()
        case .loseBrokerStore:
            try await stack.loseBrokerStore()
            try await stack.admin(["rebuild-streams", "--yes"])
        }
    }
}

/// What faults did that the end conditions depend on.
final class FaultRecord: Sendable {
    private struct State: Sendable {
        var killsOfPartners: [ContinuousClock.Instant] = []
    }

    private let state = Mutex(State())

    func noteKillOfPartners(at moment: ContinuousClock.Instant) {
        state.withLock { $0.killsOfPartners.append(moment) }
    }

    /// When partners was killed.
    var killsOfPartners: [ContinuousClock.Instant] { state.withLock { $0.killsOfPartners } }
}
