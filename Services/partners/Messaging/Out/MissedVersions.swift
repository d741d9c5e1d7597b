import CoreMetrics
import DeclaredMetrics
import Foundation
import Logging
import Messages
import NatsClient
import OrderDomain
import WireCoding

/// Asks `orders` for versions of a delivery whose messages this service has lost.
///
/// Requests are sequential, and an answer has at most `DeliveryVersions.bytesMax`. While `orders` or the broker is
/// unavailable the call throws, and the message that revealed the gap is redelivered.
struct MissedVersions: Sendable {
    private static let timeout = Duration.seconds(3)

    /// Sends a request to a subject, and returns the reply.
    typealias Request = @Sendable (_ payload: [UInt8], _ subject: String) async throws -> [UInt8]

    private let request: Request
    private let logger: Logger

    init(logger: Logger, request: @escaping Request) {
        self.logger = logger
        self.request = request
    }

    init(_ nats: NatsClient, logger: Logger) {
        self.init(logger: logger) { try await nats.request($0, to: $1, timeout: Self.timeout).payload }
    }

    /// The versions that `orders` still has, oldest first, as they were published.
    ///
    /// None where the broker or `orders` refuses the request: events then cover the newest version alone.
    /// - Throws: the request's time-out.
    func callAsFunction(_ delivery: DeliveryID, _ versions: ClosedRange<Int>) async throws -> [DeliveryChanged] {
        var changes: [DeliveryChanged] = []
        var first = versions.lowerBound
        do {
            while first <= versions.upperBound {
                let answer = try await answer(to: DeliveryVersionsQuestion(delivery, first...versions.upperBound))
                let news = answer.changes.filter { change in
                    change.delivery.id == delivery && change.delivery.version >= first
                        && versions.contains(change.delivery.version)
                        && change.fault(on: Subject.deliveriesChanged) == nil
                }
                changes += news
                guard answer.isCut, let last = news.map(\.delivery.version).max() else { break }
                first = last + 1
            }
        } catch let error as Refused {
            notAvailable(delivery, versions, error.fault)
        } catch let error as NatsError where error.code == .notPermitted {
            notAvailable(delivery, versions, "\(error)")
        }
        count(changes.count, "fetched")
        count(versions.count - changes.count, "gone")
        return changes
    }

    private func answer(to question: DeliveryVersionsQuestion) async throws -> DeliveryVersions {
        let reply = try await request([UInt8](WireJSON.encode(question)), Subject.deliveryVersions)
        // `Refused` reports the unreadable answer; the caller logs it.
        guard let answer = try? WireJSON.decode(DeliveryVersions.self, from: Data(reply)) else {
            throw Refused(fault: "the answer is none")
        }
        if let fault = answer.fault { throw Refused(fault: fault) }
        return answer
    }

    private func count(_ versions: Int, _ outcome: String) {
        guard versions > 0 else { return }
        WebhookMetrics.missedVersions.counter([("outcome", outcome)]).increment(by: versions)
    }

    private func notAvailable(_ delivery: DeliveryID, _ versions: ClosedRange<Int>, _ reason: String) {
        logger.warning(
            "orders does not answer which versions of a delivery were missed, no events are made of them",
            metadata: [
                "delivery_id": "\(delivery)", "first": "\(versions.lowerBound)", "last": "\(versions.upperBound)",
                "reason": "\(reason)",
            ])
    }

    private struct Refused: Error {
        let fault: String
    }
}
