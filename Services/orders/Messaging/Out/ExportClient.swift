import Messages
import NatsClient

/// Asks services for a person's records.
struct ExportClient: Sendable {
    private static let timeout = Duration.seconds(10)

    private let ask: ServiceRequests

    init(request: @escaping ServiceRequests.Send) { ask = ServiceRequests(request) }

    init(_ nats: NatsClient) { ask = ServiceRequests(nats, timeout: Self.timeout) }

    /// - Throws: where nothing answers in time, or the service refuses the request.
    func callAsFunction(_ service: ErasingService, _ part: ExportRequest) async throws -> ExportChunk {
        try await ask(part, to: Subject.exports(service))
    }
}
