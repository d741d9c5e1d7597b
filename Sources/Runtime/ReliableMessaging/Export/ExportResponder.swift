package import Logging
package import Messages
package import NatsClient
internal import PostgresClient
internal import ServiceLifecycle

/// Answers the requests of `orders` for a person's records, one after the other; replicas share them.
package struct ExportResponder: Service {
    private let responder: RequestResponder<ExportRequest, ExportChunk>

    package init(_ nats: NatsClient, _ service: ErasingService, logger: Logger, export: ExportPerson) {
        responder = RequestResponder(nats, subject: Subject.exports(service), logger: logger) { request in
            guard let request else { return ExportChunk(fault: "it is no request for a person's records") }
            if let fault = request.fault { return ExportChunk(fault: fault) }
            do {
                return try await export(request)
            } catch let error as PostgresError where !error.isOutage && error.code != .cancelled {
                // It fails again, so it is no outage that passes.
                logger.warning(
                    "Records of a person cannot be read, so their export waits",
                    metadata: ["person_request_id": "\(request.request)", "reason": "\(error)"])
                return ExportChunk(fault: "its records cannot be read")
            }
        }
    }

    /// Answers until graceful shutdown; never fails because of an outage.
    /// - Throws: never; failures are logged.
    package func run() async throws { try await responder.run() }
}
