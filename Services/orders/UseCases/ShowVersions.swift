import Foundation
import Messages
import OrderDomain
import PostgresClient
import WireCoding

/// Answers a reader that lost messages of a delivery with the versions of those messages.
struct ShowVersions: Sendable {
    /// The most versions by which a question goes back: more than a delivery has in its life.
    private static let stepsMax = 5_000

    let pool: PostgresPool

    /// - Parameter question: nil where the request is none.
    func callAsFunction(_ question: DeliveryVersionsQuestion?) async throws -> DeliveryVersions {
        guard let question, let asked = question.versions else {
            return DeliveryVersions([], fault: "it is no question about versions")
        }
        // Read before the changes that revert it, which therefore exist for each of its versions.
        guard let newest = try await OrderRepository.newest(question.delivery, on: pool)?.withoutNumbers,
            asked.lowerBound <= newest.version, newest.version - asked.lowerBound < Self.stepsMax
        else { return DeliveryVersions([]) }
        let changes = try await OrderRepository.changes(
            of: newest.id, in: asked.lowerBound...newest.version, on: pool)
        return try Self.answer(Self.messages(of: newest, by: changes).filter { asked.contains($0.delivery.version) })
    }

    /// The messages of a delivery's versions, oldest first, back to the first with an unknown predecessor.
    private static func messages(
        of newest: Delivery, by changes: [OrderRepository.VersionChange]
    ) -> [DeliveryChanged] {
        var messages: [DeliveryChanged] = []
        var delivery = newest
        for change in changes {
            guard change.version == delivery.version else { break }
            // A change that 0.26 has stored has the number of a former courier.
            let before = change.reversal(delivery).withoutNumbers
            messages.append(
                DeliveryChanged(
                    delivery: delivery, links: [], cause: change.kind, changedAt: change.at,
                    reached: delivery.status.codesReached(from: before.status)))
            delivery = before
        }
        if delivery.version == 1 {
            messages.append(
                DeliveryChanged(delivery: delivery, links: [], cause: "placed", changedAt: delivery.placedAt))
        }
        return messages.reversed()
    }

    /// The messages that fit into one answer.
    private static func answer(_ messages: [DeliveryChanged]) throws -> DeliveryVersions {
        var bytes = 0
        let fitting = try messages.prefix { message in
            let isFirst = bytes == 0
            bytes += try WireJSON.encode(message).count
            return isFirst || bytes <= DeliveryVersions.bytesMax
        }
        return DeliveryVersions(Array(fitting), isCut: fitting.count < messages.count)
    }
}
