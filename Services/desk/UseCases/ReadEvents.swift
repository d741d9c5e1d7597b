import DomainTime
import DoorstepAPI
import FlowControl
import Foundation

/// Reads the events of all deliveries, newest first; pages with the same filter share a read and its answer.
struct ReadEvents: Sendable {
    private let services: ServiceClient
    private let clock: DomainClock
    /// Answers that are kept for a second.
    private let reads = SharedReads<EventFilter, Result<TimelinePageBody, any Error>>(
        keysMax: 50, keptFor: .seconds(1))

    init(services: ServiceClient, clock: DomainClock) {
        self.services = services
        self.clock = clock
    }

    /// - Throws: ``ServiceRefusal``, ``ServiceUnavailable``.
    func callAsFunction(_ filter: EventFilter) async throws -> TimelinePageBody {
        try await reads.value(of: filter) { try await services.timeline(filter.servicesQuery(now: clock.now)) }
    }
}
