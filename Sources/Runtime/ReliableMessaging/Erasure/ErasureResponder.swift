package import Logging
package import Messages
package import NatsClient
internal import ServiceLifecycle

/// Answers the requests of `orders` to erase a person, one after the other; replicas share them.
package struct ErasureResponder: Service {
    /// Erases a part and returns its receipt.
    package typealias Erasing = @Sendable (ErasureRequest) async throws -> ErasureReceipt

    private let responder: RequestResponder<ErasureRequest, ErasureReceipt>

    /// - Parameter keptDays: domain days for which the service keeps rows with a pseudonym; nil where none stay.
    package init(
        _ nats: NatsClient, _ service: ErasingService, keptDays: Int? = nil, logger: Logger, erase: @escaping Erasing
    ) {
        responder = RequestResponder(nats, subject: Subject.erasures(service), logger: logger) { request in
            guard let request else { return ErasureReceipt(fault: "it is no request to erase a person") }
            if let fault = request.fault { return ErasureReceipt(fault: fault) }
            var receipt = try await erase(request)
            receipt.keptDays = keptDays
            return receipt
        }
    }

    /// Answers until graceful shutdown; never fails because of an outage.
    /// - Throws: never; failures are logged.
    package func run() async throws { try await responder.run() }
}
