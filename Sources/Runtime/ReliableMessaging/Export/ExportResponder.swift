package import Logging
package import Messages
package import NatsClient
internal import ServiceLifecycle

/// Answers the requests of `orders` for a person's records, one after the other; replicas share them.
package struct ExportResponder: Service {
    private let responder: RequestResponder<ExportRequest, ExportChunk>

    package init(_ nats: NatsClient, _ service: ErasingService, logger: Logger, export: ExportPerson) {
        responder = RequestResponder(nats, subject: Subject.exports(service), logger: logger) { request in
            guard let request else { return ExportChunk(fault: "it is no request for a person's records") }
            if let fault = request.fault { return ExportChunk(fault: fault) }
            return try await export(request)
        }
    }

    /// Answers until graceful shutdown; never fails because of an outage.
    /// - Throws: never; failures are logged.
    package func run() async throws { try await responder.run() }
}
