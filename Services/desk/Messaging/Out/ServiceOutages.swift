import DeliveryDiagnosis
import DomainTime
import Foundation
import Synchronization

/// Since when each service has not answered this process.
final class ServiceOutages: Sendable {
    private let clock: DomainClock
    private let since = Mutex<[TimelineEvent.Source: ServiceUnavailable]>([:])

    init(clock: DomainClock) { self.clock = clock }

    /// Notes that a service did not answer; the first time counts.
    func began(_ service: TimelineEvent.Source, _ reason: String) -> ServiceUnavailable {
        since.withLock { since in
            let outage = ServiceUnavailable(
                service: service, reason: reason, since: since[service]?.since ?? clock.now)
            since[service] = outage
            return outage
        }
    }

    func ended(_ service: TimelineEvent.Source) { since.withLock { $0[service] = nil } }

    /// The present outages, in the services' order.
    var present: [ServiceUnavailable] {
        let since = since.withLock { $0 }
        return TimelineEvent.Source.allCases.compactMap { since[$0] }
    }
}
