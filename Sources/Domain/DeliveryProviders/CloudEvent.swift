internal import Foundation
internal import OrderDomain

/// CloudEvents 1.0 in structured or batched mode, with Doorstep's own vocabulary: for senders without a dedicated
/// adapter.
///
/// - Source: CloudEvents 1.0.2, "JSON event format" and "JSON batch format".
enum CloudEvent {
    /// The events of a batch that are read; a larger one is refused whole.
    static let batchMax = 100
    /// The types of events about a delivery, which their subject names.
    private static let typesOfDeliveries = [
        "doorstep.delivery.status", "doorstep.delivery.late", "doorstep.courier.position",
    ]

    static func events(
        in document: ProviderDocument, receivedAt: Date, from sender: String
    ) throws(UnreadableBody) -> [Result<ReadEvent, UnreadableBody>] {
        guard let batch = document.elements else {
            return [.success(try event(in: document, receivedAt: receivedAt, from: sender))]
        }
        guard batch.count <= batchMax else { throw UnreadableBody("a batch has at most \(batchMax) events") }
        return batch.map { one -> Result<ReadEvent, UnreadableBody> in
            do throws(UnreadableBody) {
                return .success(try event(in: one, receivedAt: receivedAt, from: sender))
            } catch {
                return .failure(error)
            }
        }
    }

    private static func event(
        in document: ProviderDocument, receivedAt: Date, from sender: String
    ) throws(UnreadableBody) -> ReadEvent {
        guard document["specversion"].name == "1.0" else { throw UnreadableBody("specversion is not 1.0") }
        guard let id = document["id"].name, let source = document["source"].name, let kind = document["type"].name
        else { throw UnreadableBody("id, source or type is missing") }
        let data = try payload(of: document, isOfDelivery: typesOfDeliveries.contains(kind))
        let reference = document["subject"].name ?? data["delivery"].name
        guard reference != nil || !typesOfDeliveries.contains(kind) else {
            throw UnreadableBody("subject is missing")
        }
        var event = ReadEvent(
            provider: .cloudEvents, key: "\(source)|\(id)", kind: kind, references: reference.map { [$0] } ?? [],
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

    /// The event's data, which a library that has it as bytes sends in base64.
    ///
    /// An event of another type may have data that is no JSON.
    private static func payload(
        of document: ProviderDocument, isOfDelivery: Bool
    ) throws(UnreadableBody) -> ProviderDocument {
        guard case .null = document["data"], let text = document["data_base64"].name else { return document["data"] }
        // Of one about a delivery the error below has the reason for the sender.
        if let json = Data(base64Encoded: text), let data = try? ProviderDocument(parsing: json) { return data }
        guard !isOfDelivery else { throw UnreadableBody("data_base64 is not JSON in base64") }
        return .null
    }
}
