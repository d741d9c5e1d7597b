import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// Shows a photo or a signature of a hand-over to its store, to operators, and to its customer if the store wants it.
///
/// The timeline records which operator saw it, before they do, as it does with numbers.
struct ShowImage: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    /// Opens images; nil where none can be kept.
    let box: ProofImageBox?
    let visibility: ImageVisibility

    struct Shown: Sendable {
        let delivery: Delivery
        let kind: ProofKind
        let format: ProofImage.Format
        let bytes: [UInt8]
    }

    /// Nil where there is none that the reader may see.
    func callAsFunction(_ hash: String, of id: DeliveryID, for reader: Principal) async throws -> Shown? {
        guard let delivery = try await OrderRepository.delivery(id, opening: nil, on: pool)?.delivery,
            reader.sees(delivery),
            isShown(hash, of: delivery, to: reader), let kind = delivery.proof?.kind(ofImage: hash),
            let stored = try await ProofImageRepository.image(hash, of: id, on: pool),
            let bytes = box?.open(stored.sealed, hash: hash, of: id)
        else { return nil }
        if case .operator = reader.subject {
            let now = clock.now
            try await ContactRepository.record(
                [.init(delivery: id, what: "saw the \(kind.rawValue)")], by: reader.recordedName, at: now,
                since: now.addingTimeInterval(-ReadContacts.spanSeconds), on: pool)
        }
        return Shown(delivery: delivery, kind: kind, format: stored.format, bytes: bytes)
    }

    private func isShown(_ hash: String, of delivery: Delivery, to reader: Principal) -> Bool {
        switch reader.subject {
        case .store, .operator: true
        case .customer: visibility.shows(hash, of: delivery)
        case .courier, .system: false
        }
    }
}
