import Messages
import NatsClient

/// Asks services to erase a person.
struct ErasureClient: Sendable {
    /// A part has some hundred deliveries, whose rows are deleted meanwhile.
    private static let timeout = Duration.seconds(10)

    private let ask: ServiceRequests

    init(request: @escaping ServiceRequests.Send) { ask = ServiceRequests(request) }

    init(_ nats: NatsClient) { ask = ServiceRequests(nats, timeout: Self.timeout) }

    /// - Throws: where nothing answers in time, or the service refuses the request.
    func callAsFunction(_ service: ErasingService, _ part: PersonErasureRequest) async throws -> ErasureReceipt {
        let receipt: ErasureReceipt = try await ask(part, to: Subject.erasures(service))
        if let fault = receipt.fault { throw RefusedRequest(description: fault) }
        return receipt
    }
}
