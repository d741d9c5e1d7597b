package import Logging
package import Messages
package import NatsClient

/// Answers writers' digests with the published objects that this service lacks in that revision.
package typealias DigestResponder = RequestResponder<RevisionDigest, LackingRevisions>

extension DigestResponder {
    /// The places of the revisions that are lacking, from 0.
    package typealias Lacking = @Sendable ([PublishedRevision]) async throws -> [Int]

    package convenience init(
        _ nats: NatsClient, subject: String, logger: Logger, lacking: @escaping Lacking
    ) {
        self.init(nats, subject: subject, logger: logger) { digest in
            guard let digest else { return LackingRevisions(places: [], fault: "it is no digest") }
            if let fault = digest.fault { return LackingRevisions(places: [], fault: fault) }
            return LackingRevisions(places: try await lacking(digest.revisions))
        }
    }
}
