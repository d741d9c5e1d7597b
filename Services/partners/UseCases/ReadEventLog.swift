import DoorstepAPI
import PostgresClient

/// Reads the log of an endpoint's sends.
struct ReadEventLog: Sendable {
    /// Events of one page.
    static let pageRows = 100

    let pool: PostgresPool

    /// A page of an endpoint's events, newest first, without their attempts.
    ///
    /// - Parameters:
    ///   - state: the only one that is wanted; nil for all.
    ///   - cursor: the number after which the page begins; nil for the first.
    func callAsFunction(
        of endpoint: Endpoint, in state: EventDeliveryBody.State?, after cursor: Int?
    ) async throws -> EventDeliveriesBody {
        let page = try await EventLogRepository.deliveries(
            of: endpoint.id, state: state, before: cursor, rowsMax: Self.pageRows, on: pool)
        return EventDeliveriesBody(deliveries: page.deliveries, next: page.next.map { "\($0)" })
    }

    /// One event with each attempt and its body; nil for an event of other endpoints.
    func event(_ event: EventID, of endpoint: Endpoint) async throws -> EventDeliveryBody? {
        try await EventLogRepository.delivery(of: event, to: endpoint.id, on: pool)
    }
}
