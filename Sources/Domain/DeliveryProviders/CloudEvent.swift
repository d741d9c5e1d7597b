internal import Foundation
internal import OrderDomain

/// CloudEvents 1.0 in structured or batched mode, with Doorstep's own vocabulary: for senders without a dedicated
/// adapter.
///
/// - Source: CloudEvents 1.0.2, "JSON event format" and "JSON batch format".
enum CloudEvent {
    /// The events of a batch that are read; a larger one is refused whole.
    static let batchMax = 100

    static func events(
        in document: ProviderDocument, receivedAt: Date, from sender: String
    ) throws(UnreadableBody) -> [ReadEvent] {
        guard let batch = document.elements else {
            return [try event(in: document, receivedAt: receivedAt, from: sender)]
        }
        guard batch.count <= batchMax else { throw UnreadableBody("a batch has at most \(batchMax) events") }
        var events: [ReadEvent] = []
        for one in batch { events.append(try event(in: one, receivedAt: receivedAt, from: sender)) }
        return events
    }

    private static func event(
        in document: ProviderDocument, receivedAt: Date, from sender: String
    ) throws(UnreadableBody) -> ReadEvent {
        guard document["specversion"].name == "1.0" else { throw UnreadableBody("specversion is not 1.0") }
        guard let id = document["id"].name, let source = document["source"].name, let kind = document["type"].name
        else { throw UnreadableBody("id, source or type is missing") }
        let data = document["data"]
        guard let reference = document["subject"].name ?? data["delivery"].name else {
            throw UnreadableBody("subject is missing")
        }
        var event = ReadEvent(
            provider: .cloudEvents, key: "\(source)|\(id)", kind: kind, references: [reference],
            shopReference: reference, sender: sender, receivedAt: receivedAt)
        event.occurredAt =
            (data["occurredAt"].time(received: receivedAt)) ?? document["time"].time(received: receivedAt)
        switch kind {
        case "doorstep.delivery.status":
            event.meaning = data["status"].name.flatMap(StatusCode.init).map { .status($0) }
            event.kind = [kind, data["status"].name].compactMap(\.self).joined(separator: " ")
        case "doorstep.delivery.late": event.meaning = .late
        case "doorstep.courier.position": event.meaning = .nothing
        default: break
        }
        event.isTest = data["test"].flag ?? false
        event.reason = data["reason"].name
        event.proofs = Set((data["proofs"].elements ?? []).compactMap { $0.name.flatMap(ProofKind.init) }).sorted()
        let courier = data["courier"]
        event.courier = ReadCourier(
            id: courier["id"].name, name: courier["name"].name, phone: courier["phone"].name,
            vehicle: courier["vehicle"].name)
        event.place = data["position"].coordinate("latitude", "longitude")
        return event
    }
}
