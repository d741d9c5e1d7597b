import DomainTime
import DoorstepAPI
import FlowControl
import Foundation

/// Reads the events of all deliveries, newest first; pages with the same filter share a read and its answer.
struct ReadEvents: Sendable {
    private let services: ServiceClient
    private let clock: DomainClock
    /// Answers that are kept for a second.
    private let reads: SharedReads<EventFilter, Result<TimelinePageBody, any Error>>

    /// - Parameter wallNow: the time by which an answer is kept.
    init(
        services: ServiceClient, clock: DomainClock,
        wallNow: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.services = services
        self.clock = clock
        reads = SharedReads(keysMax: 50, keptFor: .seconds(1), now: wallNow)
    }

    /// - Throws: ``ServiceRefusal``, ``ServiceUnavailable``.
    func callAsFunction(_ filter: EventFilter) async throws -> TimelinePageBody {
        try await reads.value(of: filter) { try await services.timeline(filter.servicesQuery(now: clock.now)) }
    }
}
