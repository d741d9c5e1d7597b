package import Logging
package import Messages
package import NatsClient
internal import PostgresClient

/// Answers the requests of `orders` for a person's records, one after the other; replicas share them.
package typealias ExportResponder = RequestResponder<ExportRequest, ExportChunk>

extension ExportResponder {
    package convenience init(_ nats: NatsClient, _ service: ErasingService, logger: Logger, export: ExportPerson) {
        self.init(nats, subject: Subject.exports(service), logger: logger) { request in
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
}
