internal import CoreMetrics
internal import DeclaredMetrics
internal import Foundation
package import Logging
internal import Messages
package import NatsClient
internal import Synchronization
internal import WireCoding

/// Asks readers which objects they lack, by ``RevisionDigest``.
package final class DigestRequester: Sendable {
    /// Sends a digest to a subject, and returns the reply.
    package typealias Request = @Sendable (_ payload: [UInt8], _ subject: String) async throws -> [UInt8]

    private static let timeout = Duration.seconds(3)
    /// The pause after an unanswered digest, in which other readers of the page do not wait for that reader.
    private static let askedAgainAfter = Duration.seconds(30)

    private let logger: Logger
    private let request: Request
    private let now: @Sendable () -> ContinuousClock.Instant
    /// When readers are asked again that did not answer the last time, by subject.
    private let silent = Mutex<[String: ContinuousClock.Instant]>([:])
    private let unanswered = Atomic(0)

    package init(
        logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, request: @escaping Request
    ) {
        self.logger = logger
        self.now = now
        self.request = request
    }

    package convenience init(_ nats: NatsClient, logger: Logger) {
        self.init(logger: logger) { payload, subject in
            try await nats.request(payload, to: subject, timeout: Self.timeout).payload
        }
    }

    /// Asks readers again at once that have not answered.
    func askAgain() {
        let now = now()
        silent.withLock { $0 = $0.mapValues { _ in now } }
    }

    /// The digests so far that no reader answered, or that were not sent since their reader was silent just before.
    var unansweredCount: Int { unanswered.load(ordering: .relaxed) }

    /// The objects that a reader lacks, or that no reader can confirm.
    ///
    /// - Parameter silentLackAll: whether a reader that does not answer counts as lacking everything: it may be of an
    ///   earlier version, or offline until later. Otherwise it counts as lacking nothing.
    /// - Throws: the broker's error where it is unreachable; publishing would fail too.
    func lacking(of objects: [RepublishableObject], silentLackAll: Bool = true) async throws -> [RepublishableObject] {
        let subjects = Set(objects.flatMap(\.revisions.keys))
        let isUnconfirmed = objects.indices.filter { objects[$0].isUnconfirmed }
        let lacking = try await withThrowingTaskGroup(of: [Int].self) { group in
            for subject in subjects { group.addTask { try await self.lacking(of: objects, subject, silentLackAll) } }
            return try await group.reduce(into: Set(isUnconfirmed)) { $0.formUnion($1) }
        }
        return lacking.sorted().map { objects[$0] }
    }

    /// The indexes of the objects that the reader behind a subject lacks.
    private func lacking(
        of objects: [RepublishableObject], _ subject: String, _ silentLackAll: Bool
    ) async throws -> [Int] {
        let asked = objects.indices.compactMap { place in
            objects[place].revisions[subject].map { (place: place, revision: $0) }
        }
        func withoutAnswer() -> [Int] {
            unanswered.add(1, ordering: .relaxed)
            return silentLackAll ? asked.map(\.place) : []
        }
        if let askedAgain = silent.withLock({ $0[subject] }), now() < askedAgain { return withoutAnswer() }
        let digest = try [UInt8](WireJSON.encode(RevisionDigest(asked.map(\.revision))))
        do {
            let reply = try await request(digest, subject)
            let lacking = try WireJSON.decode(LackingRevisions.self, from: Data(reply))
            if let fault = lacking.fault { throw Unanswered(reason: "refused: \(fault)") }
            guard lacking.places.allSatisfy(asked.indices.contains) else {
                throw Unanswered(reason: "not of the digest")
            }
            answered(subject)
            return lacking.places.map { asked[$0].place }
        } catch let error as NatsError where [.disconnected, .closed].contains(error.code) {
            throw error
        } catch let error where !(error is CancellationError) {
            isSilent(subject, error)
            return withoutAnswer()
        }
    }

    private struct Unanswered: Error, CustomStringConvertible {
        let reason: String
        var description: String { reason }
    }

    private func answered(_ subject: String) {
        guard silent.withLock({ $0.removeValue(forKey: subject) }) != nil else { return }
        logger.info("A reader answers digests again", metadata: ["subject": "\(subject)"])
    }

    private func isSilent(_ subject: String, _ error: any Error) {
        MessagingMetrics.resyncUnanswered.counter([("subject", subject)]).increment()
        let askedAgain = now() + Self.askedAgainAfter
        guard silent.withLock({ $0.updateValue(askedAgain, forKey: subject) }) == nil else { return }
        logger.warning(
            "A reader does not answer digests, everything is republished to it until it does",
            metadata: ["subject": "\(subject)", "reason": "\(error)"])
    }
}
