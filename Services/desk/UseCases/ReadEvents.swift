import DomainTime
import DoorstepAPI
import Foundation
import Synchronization

/// Reads the events of all deliveries, newest first; pages with the same filter share an answer.
final class ReadEvents: Sendable {
    /// Filters whose answers are kept.
    private static let keptMax = 50
    /// Wall time for which an answer is kept.
    private static let interval = Duration.seconds(1)

    private struct Kept {
        let page: TimelinePageBody
        let at: ContinuousClock.Instant
    }

    private let services: ServiceClient
    private let clock: DomainClock
    private let kept = Mutex<[EventFilter: Kept]>([:])

    init(services: ServiceClient, clock: DomainClock) {
        self.services = services
        self.clock = clock
    }

    /// - Throws: ``ServiceRefusal``, ``ServiceUnavailable``.
    func callAsFunction(_ filter: EventFilter) async throws -> TimelinePageBody {
        if let answer = kept.withLock({ $0[filter] }), ContinuousClock.now - answer.at < Self.interval {
            return answer.page
        }
        let page = try await services.timeline(filter.servicesQuery(now: clock.now))
        kept.withLock { kept in
            if kept.count >= Self.keptMax { kept.removeAll() }
            kept[filter] = Kept(page: page, at: .now)
        }
        return page
    }
}
