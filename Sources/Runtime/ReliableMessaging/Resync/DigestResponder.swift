internal import FlowControl
internal import Foundation
package import Logging
package import Messages
package import NatsClient
internal import ServiceLifecycle
internal import WireCoding

/// Answers writers' digests: which of what they have published this service does not have as new as that.
package final class DigestResponder: Service {
    /// The places of the revisions that are lacking, from 0.
    package typealias Lacking = @Sendable ([PublishedRevision]) async throws -> [Int]

    /// Replicas that share the digests of a subject.
    private static let queue = "resync"
    /// Digests that wait; what is older than these is answered too late.
    private static let waitingMax = 4
    /// What every inbox begins with: a service may publish wherever it is asked to reply to, so that an asker must not
    /// choose a subject that is another's.
    private static let inbox = "_INBOX"

    private let nats: NatsClient
    private let subject: String
    private let logger: Logger
    private let lacking: Lacking

    package init(_ nats: NatsClient, subject: String, logger: Logger, lacking: @escaping Lacking) {
        self.nats = nats
        self.subject = subject
        self.logger = logger
        self.lacking = lacking
    }

    /// Answers until graceful shutdown.
    ///
    /// Never fails because of an outage; a digest that cannot be compared meanwhile is not answered.
    package func run() async throws {
        let backOff = BackOff(first: .milliseconds(200), longest: .seconds(5))
        await cancelWhenGracefulShutdown {
            var failures = 0
            while !Task.isCancelled {
                do {
                    let digests = try await self.nats.subscribe(
                        self.subject, queue: Self.queue, bufferedMessagesMax: Self.waitingMax)
                    failures = 0
                    for await digest in digests { await self.reply(to: digest) }
                } catch {
                    failures += 1
                    try? await Task.sleep(for: backOff.delay(failures: failures))
                }
            }
        }
    }

    func reply(to message: NatsMessage) async {
        guard message.reply?.hasPrefix(Self.inbox) == true else {
            logger.warning("A digest that is to be answered elsewhere than in an inbox is passed over")
            return
        }
        do {
            let lacking = try await lacking(in: message)
            try await nats.reply(to: message, payload: [UInt8](WireJSON.encode(lacking)))
        } catch {
            logger.debug(
                "A digest is not answered", metadata: ["subject": "\(subject)", "reason": "\(error)"])
        }
    }

    private func lacking(in message: NatsMessage) async throws -> LackingRevisions {
        guard let digest = try? WireJSON.decode(RevisionDigest.self, from: Data(message.payload)) else {
            return LackingRevisions(places: [], fault: "it is no digest")
        }
        if let fault = digest.fault { return LackingRevisions(places: [], fault: fault) }
        return LackingRevisions(places: try await lacking(digest.revisions))
    }
}
